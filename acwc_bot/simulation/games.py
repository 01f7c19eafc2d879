"""Games on a simulated Lichess: their outcome by strength and chance, their count by the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from acwc_bot.simulation.chance import Chance, happens
from engine.armageddon import AwaitingThrow, Bid, ColoursFixed, Hand, Throw, bidding, bids_due, ways_to_play
from engine.facts import CountedGame, MatchPlayed
from engine.knockout import KnockoutScore, Phase, score_knockout
from engine.match_flow import suggested_white
from engine.model import Entrant, Stage
from engine.ports import LichessGame
from engine.rules import MatchRules
from engine.rules.schema import Armageddon
from engine.scoring import GameRules, MatchScore, score_match, verify
from engine.sides import Side

DRAWN = 0.04
"""How many games of equal players are drawn; antichess has few draws."""
ABORTED = 0.01
WARMED_UP = 0.03
"""How many matches have a casual game before them, which must not count (Q12)."""
PLAYED_ON = 0.1
"""How many decided matches are played on."""
PAUSE = timedelta(seconds=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """A match that is about to be played. `games` are the rules of verification, `match` those of the match itself."""

    match_id: int
    stage: Stage
    a: Entrant
    b: Entrant
    match: MatchRules
    games: GameRules
    agreed_at: datetime
    window_start: datetime
    deadline: datetime

    @property
    def is_knockout(self) -> bool:
        return self.stage in (Stage.SEMIFINALS, Stage.FINALS)

    @property
    def better_seed(self) -> Side:
        return Side.A if self.a.seed < self.b.seed else Side.B


@dataclass(slots=True)
class Sitting:
    """The games of a match as they come; `clocks`: White's seconds after each of his moves (Q39)."""

    meeting: Meeting
    now: datetime
    games: list[LichessGame] = field(default_factory=list[LichessGame])
    clocks: dict[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])
    colours: ColoursFixed | None = None

    def counted(self, before: datetime | None = None) -> tuple[CountedGame, ...]:
        """The regular games that count, of those that were over at a moment; a decider alone has none (Q33)."""
        if self.meeting.match.games == 0:
            return ()
        games = [g for g in self.games if before is None or (g.last_move_at or g.created_at) <= before]
        return read(self.meeting, games).counted


@dataclass(slots=True)
class Board:
    """Where games are played: every game has its own id. `armageddon`: the rules of that game."""

    chance: Chance
    armageddon: Armageddon
    played: int = 0

    def play(self, meeting: Meeting, enough: Callable[[MatchScore], bool] | None = None) -> Sitting:
        """A whole match from its agreed start; in a pool or the Swiss until `enough`, where that is asked for."""
        sitting = Sitting(meeting, meeting.agreed_at)
        if happens(self.chance, WARMED_UP):
            self._warm_up(sitting)
        sitting.now += timedelta(minutes=self.chance.randint(0, 8))
        if meeting.is_knockout and enough is None:
            self._play_knockout(sitting)
            return sitting
        over = enough or (lambda score: score.decided)
        # Nothing is decided before half of the games are played.
        at_least = 1 if enough else 1 + meeting.match.games // 2
        while len(sitting.games) < at_least or not over(read(meeting, sitting.games)):
            self._next_game(sitting)
        if enough is None and happens(self.chance, PLAYED_ON):
            while sum(game.status != "aborted" for game in sitting.games) < meeting.match.games:
                self._next_game(sitting)
        return sitting

    def _play_knockout(self, sitting: Sitting) -> None:
        played_on = happens(self.chance, PLAYED_ON)
        while True:
            score = read_knockout(sitting, self.armageddon)
            state = score.state
            if state.phase is Phase.ARMAGEDDON and sitting.colours is None:
                self._settle_colours(sitting)
            elif state.phase is Phase.ARMAGEDDON:
                self._armageddon_game(sitting)
            elif state.phase is not Phase.OVER or (played_on and state.optional):
                self._next_game(sitting)
            else:
                return

    # --- One game -----------------------------------------------------------------------------------------------

    def _next_game(self, sitting: Sitting) -> None:
        white = suggested_white(sitting.meeting.better_seed, len(sitting.games))
        aborted = happens(self.chance, ABORTED)
        winner = None if aborted else self._winner(sitting.meeting, white)
        status = "aborted" if aborted else "variantEnd" if winner else "draw"
        rules = sitting.meeting.match
        self._add(sitting, white, winner, status, (rules.clock_initial, rules.clock_increment), rated=rules.rated)

    def _warm_up(self, sitting: Sitting) -> None:
        """A game before the time at which the match may begin."""
        start = sitting.now
        sitting.now -= sitting.meeting.games.before_start + timedelta(minutes=20)
        self._add(sitting, Side.A, Side.B, "resign", (180, 0), rated=False)
        sitting.now = start

    def _winner(self, meeting: Meeting, white: Side) -> Side | None:
        """By the difference in rating; White has a small advantage."""
        strength = {Side.A: meeting.a.rating or 0, Side.B: meeting.b.rating or 0}
        strength[white] += 20
        expected = 1 / (1 + 10 ** ((strength[Side.B] - strength[Side.A]) / 400))
        draws = 4 * DRAWN * expected * (1 - expected)
        drawn = self.chance.random()
        if drawn < draws:
            return None
        return Side.A if drawn < draws + (1 - draws) * expected else Side.B

    def _add(
        self, sitting: Sitting, white: Side, winner: Side | None, status: str, clock: tuple[int, int], *, rated: bool
    ) -> LichessGame:
        meeting = sitting.meeting
        if sitting.now > meeting.deadline + timedelta(days=1):
            raise RuntimeError(f"match {meeting.match_id} comes to no end, its games do not count")
        self.played += 1
        players = {Side.A: meeting.a.lichess_id, Side.B: meeting.b.lichess_id}
        ends = sitting.now + timedelta(seconds=self.chance.randint(20, 240))
        game = LichessGame(
            id=f"sim{self.played:05}",
            white=players[white],
            black=players[white.other],
            variant=meeting.games.variant,
            rated=rated,
            status=status,
            winner=None if winner is None else "white" if winner is white else "black",
            created_at=sitting.now,
            last_move_at=ends,
            clock_initial=clock[0],
            clock_increment=clock[1],
            source="friend",
            tournament_id=None,
            swiss_id=None,
            line="",
        )
        sitting.games.append(game)
        sitting.now = ends + PAUSE
        return game

    # --- Armageddon (R3.16) -------------------------------------------------------------------------------------

    def _settle_colours(self, sitting: Sitting) -> None:
        rules, meeting = self.armageddon, sitting.meeting
        due = bids_due(rules, sitting.now, meeting.deadline)
        bids = [Bid(side, sitting.now, self._seconds()) for side in Side if not happens(self.chance, 0.05)]
        throws: list[Throw] = []
        # Who bids late does not bid: then the time for bids is over before it goes on.
        now = sitting.now if len(bids) == len(Side) else due
        while not isinstance(found := bidding(rules, bids, throws, due=due, now=now), ColoursFixed):
            if not isinstance(found, AwaitingThrow):
                raise RuntimeError(f"nothing left to wait for: {found}")
            now += timedelta(seconds=30)
            throws += [Throw(side, found.number, now, self.chance.choice(list(Hand))) for side in Side]
        sitting.colours = found
        sitting.now = now + timedelta(minutes=1)

    def _seconds(self) -> int:
        """People bid round numbers, so that equal bids are not rare."""
        least, most = self.armageddon.bid_least, self.armageddon.bid_most
        return min(max(15 * self.chance.randint(3, 10), least), most)

    def _armageddon_game(self, sitting: Sitting) -> None:
        colours = sitting.colours
        assert colours is not None
        way = ways_to_play(self.armageddon, colours.bid)[0]
        winner = self._winner(sitting.meeting, colours.white)
        status = "variantEnd" if winner else "draw"
        game = self._add(sitting, colours.white, winner, status, (way.clock_initial, way.clock_increment), rated=False)
        sitting.clocks[game.id] = (float(way.clock_initial), float(way.clock_initial - way.white_waits))


# --- What the games say -----------------------------------------------------------------------------------------


def read(meeting: Meeting, games: list[LichessGame]) -> MatchScore:
    return score_match(
        verify(
            games,
            {meeting.a.lichess_id},
            {meeting.b.lichess_id},
            replace(meeting.games, length=meeting.match.games),
            agreed_at=meeting.agreed_at,
            first_game_id=None,
            window_start=meeting.window_start,
            deadline=meeting.deadline,
        )
    )


def read_knockout(sitting: Sitting, rules: Armageddon) -> KnockoutScore:
    meeting = sitting.meeting
    found = verify(
        sitting.games,
        {meeting.a.lichess_id},
        {meeting.b.lichess_id},
        meeting.games,
        agreed_at=meeting.agreed_at,
        first_game_id=None,
        window_start=meeting.window_start,
        deadline=meeting.deadline,
    )
    return score_knockout(found, meeting.match, rules, sitting.colours, sitting.clocks)


def result_of(sitting: Sitting, rules: Armageddon) -> MatchPlayed:
    """The fact of a match that was played to its end."""
    if sitting.meeting.is_knockout:
        return read_knockout(sitting, rules).played(sitting.meeting.match_id)
    score = read(sitting.meeting, sitting.games)
    return MatchPlayed(sitting.meeting.match_id, score.counted, score.extra)
