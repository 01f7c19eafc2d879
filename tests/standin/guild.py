"""A server, and what its people do in it by hand: no permission of the bot's is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discord import Permissions

from tests.standin.core import Core
from tests.standin.payloads import new_channel, new_guild, new_member, new_role, new_user
from tests.standin.people import Person
from tests.standin.permissions import EVERYBODY
from tests.standin.rest_channels import COMMUNITY, delete_channel
from tests.standin.rest_guilds import remove_role
from tests.standin.state import Json, Kind
from tests.standin.views import Place, Role


@dataclass(frozen=True)
class Guild:
    core: Core
    id: int

    @classmethod
    def found(cls, core: Core, name: str, *, community: bool, bot: Permissions) -> Guild:
        """Makes a server with the bot in it, which has a role "Bot" with the permissions `bot`."""
        data = new_guild(core.state, core.clock, name, EVERYBODY.value)
        data["features"] = [COMMUNITY] if community else []
        guild = cls(core, int(data["id"]))
        role = guild.create_role("Bot", permissions=bot)
        new_member(core.state, core.clock, data["id"], core.state.bot, [str(role.id)])
        return guild

    @property
    def data(self) -> Json:
        return self.core.state.guild(self.id)

    @property
    def channels(self) -> dict[str, Place]:
        return {c["name"]: Place(self.core, int(c["id"])) for c in self.core.state.guild_channels(self.id)}

    @property
    def roles(self) -> dict[str, Role]:
        return {role["name"]: Role(int(role["id"]), role["name"]) for role in self.data["roles"]}

    # --- Making ------------------------------------------------------------------------------------------------

    def create_role(self, name: str, *, permissions: Permissions = Permissions()) -> Role:  # noqa: B008
        made = new_role(self.core.state, self.core.clock, self.data, name, permissions.value)
        self.core.emit("GUILD_ROLE_CREATE", {"guild_id": str(self.id), "role": made})
        return Role(int(made["id"]), name)

    def create_text_channel(self, name: str) -> Place:
        return self._channel(Kind.TEXT, name)

    def create_forum_channel(self, name: str) -> Place:
        return self._channel(Kind.FORUM, name)

    def _channel(self, kind: Kind, name: str) -> Place:
        made = new_channel(self.core.state, self.core.clock, kind, str(self.id), name)
        self.core.emit("CHANNEL_CREATE", made)
        return Place(self.core, int(made["id"]))

    def add_member(self, name: str, roles: list[Role] | None = None) -> Person:
        """A new person, who has just joined."""
        state, clock = self.core.state, self.core.clock
        user = new_user(state, clock, name)
        member = new_member(state, clock, str(self.id), user, [str(role.id) for role in roles or ()])
        self.core.emit("GUILD_MEMBER_ADD", member | {"guild_id": str(self.id)})
        return Person(self.core, str(self.id), int(user["id"]), name)

    def set_features(self, *features: str) -> None:
        self.data["features"] = list(features)
        self.core.emit("GUILD_UPDATE", self.data)

    # --- Changing ----------------------------------------------------------------------------------------------

    def remove_member(self, person: Person) -> None:
        member = self.core.state.members[str(self.id)].pop(str(person.id))
        self.core.emit("GUILD_MEMBER_REMOVE", {"guild_id": str(self.id), "user": member["user"]})

    def edit_role(self, role: Role, *, permissions: Permissions) -> None:
        data = self.core.state.role(self.id, role.id)
        data["permissions"] = str(permissions.value)
        self.core.emit("GUILD_ROLE_UPDATE", {"guild_id": str(self.id), "role": data})

    def delete_role(self, role: Role) -> None:
        remove_role(self.core, str(self.id), self.core.state.role(self.id, role.id))

    def overwrite(
        self,
        channel: Place,
        target: Role | Person,
        *,
        allow: Permissions | None = None,
        deny: Permissions | None = None,
    ) -> None:
        """What somebody may and may not in one channel, instead of what was set there before."""
        data = channel.data
        made: dict[str, Any] = {"id": str(target.id), "type": int(isinstance(target, Person))}
        made |= {"allow": str((allow or Permissions()).value), "deny": str((deny or Permissions()).value)}
        others = [one for one in data["permission_overwrites"] if one["id"] != made["id"]]
        data["permission_overwrites"] = [*others, made]
        self.core.emit("CHANNEL_UPDATE", data)

    def delete_channel(self, channel: Place) -> None:
        delete_channel(self.core, channel.data)

    def set_tags(self, forum: Place, tags: list[Json]) -> None:
        forum.data["available_tags"] = tags
        self.core.emit("CHANNEL_UPDATE", forum.data)

    def archive(self, thread: Place, *, locked: bool = False) -> None:
        thread.data["thread_metadata"]["locked"] = locked
        self.core.archive(thread.data)

    def close_dms(self, person: Person, closed: bool = True) -> None:
        """Whether this person takes direct messages from the bot."""
        if closed:
            self.core.state.closed_dms.add(str(person.id))
        else:
            self.core.state.closed_dms.discard(str(person.id))
