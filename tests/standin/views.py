"""What a person sees of the stand-in: servers, channels, messages and answers, read from the state as it is now."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.discord_limits import TEXT_INPUT, walk
from tests.standin.core import Core
from tests.standin.state import EPHEMERAL, LOADING, Arrival, Interaction, Json


@dataclass(frozen=True)
class Shown:
    """A message as it looked when it was read."""

    data: Json

    @property
    def id(self) -> int:
        return int(self.data["id"])

    @property
    def channel_id(self) -> int:
        return int(self.data["channel_id"])

    @property
    def content(self) -> str:
        return self.data["content"]

    @property
    def components(self) -> list[Json]:
        return self.data["components"]

    @property
    def ephemeral(self) -> bool:
        return bool(self.data["flags"] & EPHEMERAL)

    @property
    def edited_at(self) -> datetime | None:
        edited = self.data["edited_timestamp"]
        return datetime.fromisoformat(edited) if edited else None

    @property
    def attachments(self) -> list[Json]:
        return self.data["attachments"]


@dataclass(frozen=True)
class Place:
    """A channel or thread."""

    core: Core
    id: int

    @property
    def data(self) -> Json:
        return self.core.state.channel(self.id)

    @property
    def name(self) -> str:
        return self.data["name"]

    @property
    def mention(self) -> str:
        return f"<#{self.id}>"

    @property
    def threads(self) -> list[Place]:
        return [Place(self.core, int(thread["id"])) for thread in self.core.state.threads_of(self.id)]

    def history(self) -> list[Shown]:
        """Oldest first; without what Discord itself writes, such as that a thread was started."""
        rows = self.core.state.messages[str(self.id)].values()
        return [Shown(deepcopy(message)) for message in rows if message["type"] == 0]

    @property
    def last_message(self) -> Shown | None:
        return next(iter(self.history()[::-1]), None)

    def arrived(self) -> list[Arrival]:
        return [a for a in self.core.state.arrivals if a.channel_id == self.id]


@dataclass(frozen=True)
class Role:
    id: int
    name: str

    @property
    def mention(self) -> str:
        return f"<@&{self.id}>"


@dataclass(frozen=True)
class Result:
    """What an act led to. `failed`: "The application did not respond"."""

    core: Core
    interaction: Interaction

    @property
    def failed(self) -> bool:
        return self.interaction.failed

    @property
    def acknowledged(self) -> bool:
        return self.interaction.callback is not None

    @property
    def response(self) -> Shown | None:
        """The first answer; None while the bot "is thinking"."""
        return self._message(self.interaction.original_id)

    @property
    def followups(self) -> list[Shown]:
        return [found for id in self.interaction.followup_ids if (found := self._message(id)) is not None]

    @property
    def modal(self) -> Json | None:
        return deepcopy(self.interaction.modal)

    @property
    def choices(self) -> list[Any] | None:
        return self.interaction.choices

    def _message(self, message_id: str | None) -> Shown | None:
        if message_id is None:
            return None
        clicked = self.interaction.message
        if clicked is not None and message_id == clicked["id"]:
            return Shown(deepcopy(clicked))
        state = self.core.state
        public = state.messages.get(self.interaction.channel_id, {}).get(message_id)
        found = self.interaction.private.get(message_id) or public
        return Shown(deepcopy(found)) if found is not None and not found["flags"] & LOADING else None

    @property
    def settled(self) -> bool:
        """Whether the person has something to look at, or never will."""
        shown = self.interaction
        return (
            shown.failed
            or shown.modal is not None
            or shown.choices is not None
            or (self.acknowledged and self._is_shown())
        )

    def _is_shown(self) -> bool:
        clicked = self.interaction.message
        updating = clicked is not None and self.interaction.original_id == clicked["id"]
        return updating or self.response is not None

    @property
    def field_ids(self) -> list[str]:
        """The custom ids of the fields of the form, in order."""
        return [c["custom_id"] for c in walk((self.modal or {}).get("components", [])) if c["type"] == TEXT_INPUT]
