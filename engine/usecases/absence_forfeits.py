"""What a reported absence leads to, by a player's choice or by time (R6.3, Q11): its posts, and the forfeit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from engine.adjudication import forfeit
from engine.match_rulings import case_of
from engine.model import Absence, Match, Post
from engine.ports import LichessGame, Store
from engine.rulings import Ruling, preview
from engine.scoring import Fault
from engine.usecases.context import Event
from engine.usecases.posts import Outbox
from engine.usecases.reporting import read_games
from engine.usecases.rulings import Signature, enact

_CAME = frozenset({Fault.UNFINISHED, Fault.NEEDS_TD, Fault.AFTER_DEADLINE})
"""Who plays such a game has come, though it does not count yet, or not at all."""


class AbsencePosts(Outbox):
    """The posts about an absence; each follows what becomes of it."""

    def absent(self, event: Event, absence: Absence) -> None:
        """To the absent player, in the thread, and to the TDs."""
        match_id, key = absence.match_id, f"absence:{absence.id}"
        self.owe(key, "absent", f"thread:{match_id}", match_id=match_id, absence_id=absence.id)
        outcome = None if absence.outcome is None else absence.outcome.value
        self.td(
            key,
            "opponent_absent",
            edition_id=event.edition.id,
            match_id=match_id,
            entrant_id=absence.entrant_id,
            agreed_at=absence.agreed_at.isoformat(),
            outcome=outcome,
        )

    def told(self, absence: Absence, what: str, *, games_read: bool = True) -> None:
        """What follows after the ten minutes: `over` (to choose), `claimed`, `rescheduled` or `failed`."""
        match_id, key = absence.match_id, f"absence:{absence.id}:{what}"
        payload = {"match_id": match_id, "absence_id": absence.id, "what": what, "games_read": games_read}
        self.owe(key, "absence_told", f"thread:{match_id}", **payload)

    def follow(self, event: Event, absence: Absence) -> None:
        """Something has come of it: what was said before is brought up to date."""
        self.absent(event, absence)
        for what in ("over", "rescheduled"):
            post = self._store.one(Post, key=f"absence:{absence.id}:{what}")
            if post is not None:
                self.owe(post.key, post.kind, post.target, **post.payload)


def game_starts(event: Event, match: Match, agreed_at: datetime, games: Iterable[LichessGame]) -> Sequence[datetime]:
    """When the two began games since that appointment, those that were aborted left out (Q13, Q19)."""
    games = tuple(games)
    reading = read_games(event, replace(match, agreed_at=agreed_at), games)
    came = {faulty.game_id for faulty in reading.faulty if _CAME.issuperset(faulty.faults)}
    came |= {game.game_id for game in reading.counted} | set(reading.extra)
    return [game.created_at for game in games if game.id in came]


def forfeited(store: Store, event: Event, match: Match, by: int, kind: str, signed: Signature) -> None:
    """The match is forfeited; everything that shows it follows, and the TDs read it, a second forfeit too (Q25)."""
    ruling = Ruling(kind, (forfeit(case_of(event.championship, match.id), by, kind),))
    enact(store, event, ruling, preview(event.championship, ruling, signed.at), signed)
