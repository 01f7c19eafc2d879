"""A small Discord of the project's own, over real HTTP and WebSocket on the loopback, for an unmodified discord.py.

async with Standin(ManualClock()) as standin:
    standin.point_discord_py_here(monkeypatch)      # or another process: `standin.base` is "127.0.0.1:<port>"
    server = standin.create_guild("Antichess", community=True)
    anna = server.add_member("anna")
    result = await standin.slash(anna, server.channels["general"], "offer", times="Sat 18:00")
    result.response.content
"""

from __future__ import annotations

from typing import Any

from discord import Permissions

from tests.standin.clock import Clock, ManualClock
from tests.standin.faults import Fault, Plan
from tests.standin.guild import Guild
from tests.standin.people import Person
from tests.standin.permissions import ALL
from tests.standin.rates import Rate
from tests.standin.server import TOKEN, Server, restored
from tests.standin.state import Arrival, Json, State
from tests.standin.views import Place, Result, Role, Shown

__all__ = [
    "TOKEN", "Arrival", "Clock", "Fault", "Guild", "ManualClock", "Person", "Place", "Plan", "Rate", "Result", "Role",
    "Shown", "Standin", "State", "restored",
]  # fmt: skip


class Standin(Server):
    """The server with the people in it."""

    async def __aenter__(self) -> Standin:
        await super().__aenter__()
        return self

    def create_guild(self, name: str, *, community: bool = False, bot: Permissions = ALL) -> Guild:
        """A server with the bot in it; `bot` is what it may."""
        return Guild.found(self.core, name, community=community, bot=bot)

    def guilds(self) -> list[Guild]:
        """After a restored state."""
        return [Guild(self.core, int(id)) for id in self.state.guilds]

    def person(self, guild: Guild, name: str) -> Person:
        """By name; for a restored state."""
        members = self.state.members[str(guild.id)].values()
        found = next(m["user"] for m in members if m["user"]["username"] == name)
        return Person(self.core, str(guild.id), int(found["id"]), name)

    def dm(self, person: Person) -> Place | None:
        """The direct messages between the bot and that person, if there are any."""
        dms = (c for c in self.state.channels.values() if c.get("recipients"))
        return next((Place(self.core, int(c["id"])) for c in dms if c["recipients"][0]["id"] == str(person.id)), None)

    async def slash(self, who: Person, channel: Place, name: str, /, **options: Any) -> Result:
        return await who.slash(channel, name, **options)

    async def autocomplete(
        self, who: Person, channel: Place, name: str, option: str, typed: str = "", /, **others: Any
    ) -> list[Json]:
        return await who.autocomplete(channel, name, option, typed, **others)

    async def click(self, who: Person, message: Shown, custom_id: str) -> Result:
        return await who.click(message, custom_id)

    async def submit(self, who: Person, shown: Result, *values: str) -> Result:
        """Fills the fields of a form in order."""
        return await who.submit_modal(shown, dict(zip(shown.field_ids, values, strict=False)))
