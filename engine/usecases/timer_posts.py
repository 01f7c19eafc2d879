"""What the ten minutes of an evening lead to, by a player's choice or by time: their posts, and the forfeit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from engine.adjudication import forfeit
from engine.match_rulings import case_of
from engine.model import Match, Post
from engine.ports import LichessGame, Reader, Store
from engine.rulings import Ruling, preview
from engine.timers import Crossing, Timer, TimerEnd, TimerKind, breaks_used, came_of, is_judged, is_lifted, is_stopped
from engine.usecases.context import Event
from engine.usecases.game_lines import keep_counted
from engine.usecases.matches import MatchView
from engine.usecases.pair_games import read_games
from engine.usecases.posts import Outbox
from engine.usecases.rulings import Signature, enact

_POSTS = ("timer", "timer_told")
_WITH_TDS = (TimerEnd.TD, TimerEnd.ASKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A timer as it is after somebody has told or chosen something; what came of it is its `outcome`. `used`: breaks
    that whoever is away has used before."""

    view: MatchView
    timer: Timer
    used: int = 0


def told_of(reader: Reader, view: MatchView, timer: Timer) -> Told:
    gone = timer.entrant_id if timer.kind is TimerKind.BREAK else view.match.opponent_of(timer.entrant_id)
    timers = reader.find(Timer, match_id=timer.match_id)
    used = breaks_used(view.rules.evening, view.terms, timers, gone, before=timer)
    return Told(view=view, timer=timer, used=used)


def waits_in(reader: Reader, view: MatchView) -> list[Told]:
    """What still waits in a match: ten minutes of which nothing has come, a match that was put off (R6.3), what is with
    the TDs, and what is left of a claim that the TDs have taken back (R6.5)."""
    current = reader.find(Timer, match_id=view.match.id, agreed_at=view.match.agreed_at, outcome=None)
    put_off = reader.find(Timer, match_id=view.match.id, outcome=TimerEnd.RESCHEDULED)
    waiting = [timer for timer in current if not is_stopped(view.terms, timer)]
    both = reader.find(Timer, match_id=view.match.id, agreed_at=view.match.agreed_at, outcome=_WITH_TDS)
    with_tds = [one for one in both if came_of(one) in _WITH_TDS and not is_judged(one, view.ruled_games)]
    lifted = [view.absence] if view.absence is not None and is_lifted(view.terms, view.absence) else []
    return [told_of(reader, view, timer) for timer in (*waiting, *put_off[-1:], *with_tds[-1:], *lifted)]


class TimerPosts(Outbox):
    """The posts about the ten minutes; each follows what becomes of them."""

    def called(self, event: Event, timer: Timer) -> None:
        """In the thread; and to the TDs, unless it is a break."""
        match_id, key = timer.match_id, f"timer:{timer.id}"
        self.owe(key, "timer", f"thread:{match_id}", match_id=match_id, timer_id=timer.id)
        if timer.kind is TimerKind.BREAK:
            return
        came = came_of(timer)
        outcome = None if came is None else came.value
        about: dict[str, object] = {"match_id": match_id, "entrant_id": timer.entrant_id, "outcome": outcome}
        if timer.decided_at is not None:
            about["decided_at"] = timer.decided_at.isoformat()
        agreed_at = timer.agreed_at.isoformat()
        if timer.kind is TimerKind.ABSENT:
            about |= {"agreed_at": agreed_at, "early": list(timer.evidence.get("early", ()))}
            self.td(key, "opponent_absent", edition_id=event.edition.id, **about)
        else:
            gaps = (timer.evidence.get("after") or timer.evidence)["gaps"]
            self.td(key, "opponent_left", edition_id=event.edition.id, gaps=gaps, **about)

    def told(self, timer: Timer, what: str, *, ended: datetime | None = None) -> None:
        """What follows after the ten minutes: `over` (at `ended`, to choose), `claimed`, `rescheduled`,
        `failed`; or `runs`: they have begun with the end of a game."""
        stamp = "" if ended is None else f":{ended:%Y-%m-%dT%H:%M:%S}"
        payload = {"match_id": timer.match_id, "timer_id": timer.id, "what": what}
        self.owe(f"timer:{timer.id}:{what}{stamp}", "timer_told", f"thread:{timer.match_id}", **payload)

    def follow(self, event: Event, timer: Timer) -> None:
        """Something has come of it: what was said before is brought up to date."""
        self.called(event, timer)
        for post in self._store.find(Post, target=f"thread:{timer.match_id}", kind=_POSTS):
            if post.payload["timer_id"] == timer.id and post.kind != "timer":
                self.owe(post.key, post.kind, post.target, **post.payload)
        if came_of(timer) is TimerEnd.PLAYED and "crossing" in timer.evidence:
            self.crossed(event, timer, Crossing(timer.evidence["crossing"]))
        if timer.kind is TimerKind.ABSENT:
            self.call_follows(event.matches[timer.match_id])

    def end(self, event: Event, timer: Timer, outcome: TimerEnd) -> Timer:
        """Stored and told."""
        ended = self._store.save(replace(timer, outcome=outcome, decided_at=self._now))
        self.follow(event, ended)
        return ended

    def td_called(self, event: Event, timer: Timer, by: int) -> None:
        """Q16, Q17: by that player, because the other is not back and has no break left."""
        key, seen = f"timer:{timer.id}:asked", timer.evidence["after"]
        about = {"match_id": timer.match_id, "entrant_id": by, "kind": timer.kind.value, "gaps": seen["gaps"]}
        self.td(key, "td_called", edition_id=event.edition.id, **about)

    def crossed(self, event: Event, timer: Timer, how: Crossing = Crossing.BOTH) -> None:
        """Q38d: each says of the other that they are not there; or the own break of whoever says it stands against
        it, or games from before the agreed time do (Q12)."""
        about: dict[str, object] = {"match_id": timer.match_id, "entrant_id": timer.entrant_id, "how": how.value}
        if came_of(timer) is TimerEnd.PLAYED:
            about["played"] = True
        if how is Crossing.PLAYED_EARLY:
            about |= {"games": timer.evidence["early"], "agreed_at": timer.agreed_at.isoformat()}
        self.td(f"timer:{timer.id}:crossed", "absences_cross", edition_id=event.edition.id, **about)


def forfeited(
    store: Store, event: Event, match: Match, games: Sequence[LichessGame], by: int, kind: str, signed: Signature
) -> None:
    """The match is forfeited, the games played so far stand; everything that shows it follows, and the TDs read it, a
    second forfeit too (Q25)."""
    case = case_of(event.championship, match.id)
    reading = read_games(event, match, games)
    keep_counted(store, match, reading.all_counted, games, signed.at)
    if reading.counted:
        case = replace(case, games=reading.counted, tiebreak_games=reading.tiebreak)
    ruling = Ruling(kind, (forfeit(case, by, kind),))
    enact(store, event, ruling, preview(event.championship, ruling, signed.at), signed)
