"""An edition in the formats of other programs."""

from __future__ import annotations

from engine.errors import NotFound
from engine.model import Edition
from engine.ports import Reader
from engine.reading import point_values
from engine.trf import from_tournament, write
from engine.usecases.context import Folds, load_event
from engine.usecases.schedule import entrants_of


def find_edition(reader: Reader, key: str | None = None, guild_id: int | None = None) -> Edition:
    """The newest edition, of a key and of a server if they are given. NotFound("no_such_edition") with all `known`."""
    editions = reader.find(Edition)
    wanted = [e for e in editions if key in (None, e.key) and guild_id in (None, e.guild_id)]
    if not wanted:
        raise NotFound("no_such_edition", key=key, known=tuple(dict.fromkeys(e.key for e in editions)))
    return wanted[-1]


def report(reader: Reader, edition: Edition) -> str:
    """The Qualification as a tournament report file (TRF16), see docs/trf.md; TrfInvalid where TRF cannot say it."""
    event = load_event(reader, Folds(), edition.id)
    file = from_tournament(
        event.tournament,
        event.entrants.values(),
        event.championship.qualification(),
        title=edition.title,
        rounds=event.rules.swiss.rounds(max(2, entrants_of(event))),
        values=point_values(event.rules),
    )
    return write(file)
