"""A second program for a whole edition of 2023, written from R3, R6.5 and R8; it imports nothing of the bot.

It reads the JSON of `acwc-bot simulate --json` and goes through the ledger once. Pairs, games, rulings and exits are
taken as they are; tables, seatings and places are worked out here. The ledger has half-points, this program has points.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.season.oracle import Line, Met, Round, table

POOLS = {"upper": (1, 4, 6, 7, 9, 12), "lower": (2, 3, 5, 8, 10, 11)}  # R3.8
SEMIFINALS = {"semifinal_1": ("upper", "lower"), "semifinal_2": ("lower", "upper")}  # R3.11: the winner's pool first
FINAL, PLAYOFF = "grand_final", "third_place"
KNOCKOUT = ("semifinals", "finals")
Raw = Mapping[str, Any]
Decided = tuple[int | None, int | None]  # Winner and loser of a semifinal; nobody where a seat was empty.


@dataclass
class Match:
    """`points` and `games` by player; no points yet: open. `started`: a counted game was played (Q29)."""

    a: int
    b: int
    stage: str
    group: str
    started: bool = False
    points: dict[int, float] = field(default_factory=dict[int, float])
    games: dict[int, float] = field(default_factory=dict[int, float])

    def has(self, player: int) -> bool:
        return player in (self.a, self.b)

    def other(self, player: int) -> int:
        return self.b if player == self.a else self.a

    def ends(self, a: float, b: float) -> None:
        self.points = {self.a: (1 + (a > b) - (a < b)) / 2, self.b: (1 + (b > a) - (b < a)) / 2}

    def is_lost_by(self, player: int) -> None:
        self.points = {player: 0.0, self.other(player): 1.0}

    def winner(self) -> int:
        return max(self.points, key=self.points.__getitem__)


class Edition:
    """`complaints`: where the ledger is not as the rules want it. `seen`: how often a rare rule was at work."""

    def __init__(self, told: Raw) -> None:
        self.names: dict[int, str] = {e["id"]: e["name"] for e in told["entrants"]}
        self.seeds: dict[str, int] = {e["name"]: e["seed"] for e in told["entrants"]}
        self.stage = "qualification"
        self.matches: dict[int, Match] = {}
        self.rounds: dict[int, tuple[str, list[int], int | None]] = {}
        self.out: dict[int, str] = {}
        self.unranked: set[int] = set()
        self.disregarded: set[int] = set()
        self.declined: set[tuple[str, int]] = set()
        self.forfeits: dict[int, set[int]] = defaultdict(set)
        self.seated: dict[str, dict[str, list[int]]] = {}
        self.instead: dict[int | None, int | None] = {}
        self.places: dict[int, int] = {}
        self.complaints: list[str] = []
        self.seen: Counter[str] = Counter()
        for fact in _standing(told["ledger"]):
            handle: Callable[[Raw], None] | None = getattr(self, f"_{fact['kind']}", None)
            if handle is not None:
                handle(fact["payload"])
        self._check_seats()

    # --- What is recorded ---------------------------------------------------------------------------------------

    def _round_published(self, raw: Raw) -> None:
        self._check_seats()
        self.stage = raw["stage"]
        for player, lost in self.forfeits.items():  # R6.5, Q25; a repaired round is not the next one.
            plays = len(lost) > 1 and player not in self.out and raw["round_id"] not in self.rounds
            self._complain(plays, f"{self.names[player]} forfeited twice and plays")
        for pair in raw["pairs"]:
            match = Match(pair["a_id"], pair["b_id"], self.stage, pair["group"])
            self.matches.setdefault(pair["match_id"], match)
        self.rounds[raw["round_id"]] = (self.stage, [pair["match_id"] for pair in raw["pairs"]], raw["bye"])

    def _match_begun(self, raw: Raw) -> None:
        self._check_seats()
        self.matches[raw["match_id"]].started = True

    def _match_played(self, raw: Raw) -> None:
        self._check_seats()
        match = self.matches[raw["match_id"]]
        a, b = _score(raw["games"])
        match.started, match.games = True, {match.a: a, match.b: b}
        if match.stage in KNOCKOUT and a == b and raw["tiebreak_games"]:  # R3.15
            self.seen["tiebreak games"] += 1
            a, b = _score(raw["tiebreak_games"])
        if match.stage in KNOCKOUT and a == b:  # R3.13, R3.15
            self.seen["armageddon"] += 1
            a, b = _score([raw["armageddon"]])
        match.ends(a, b)

    def _match_ruled(self, raw: Raw) -> None:
        self._check_seats()
        match, number = self.matches[raw["match_id"]], raw["match_id"]
        a, b = _score(raw["games"])
        match.started = raw["played"]
        match.games = {match.a: a + raw["awarded_a"] / 2, match.b: b + raw["awarded_b"] / 2}
        match.points = {match.a: raw["a"] / 2, match.b: raw["b"] / 2}
        self._forfeit_counted(raw)
        lost = raw["forfeited_by"]
        self._complain(len(lost) == 1 and match.points[lost[0]] != 0, f"match {number} is forfeited and not lost")
        if match.stage in KNOCKOUT and all(number in self.forfeits[e] for e in (match.a, match.b)):  # Q33, Q34
            self.seen["without play"] += 1
            places = {e: (self.order(self._pool_of(e)).index(e), self.places[e]) for e in (match.a, match.b)}
            self._complain(match.winner() != min(places, key=places.__getitem__), f"match {number} without play")

    def _forfeit_counted(self, raw: Raw) -> None:
        for player in raw["forfeited_by"]:
            self.forfeits[player].add(raw["match_id"])

    def _seat_declined(self, raw: Raw) -> None:
        self.seen[f"declined {raw['stage']}"] += 1
        self.declined.add((raw["stage"], raw["entrant_id"]))

    def _stage_seated(self, raw: Raw) -> None:
        stage = raw["stage"]
        if stage == "candidates":
            self.unranked = set(self.out)
            self.places = {e: place for place, e in enumerate(self._still_in_swiss(), start=1)}
        self.seen[f"repaired {stage}"] += stage in self.seated
        own = self._seats(stage)
        self.seen["short pools"] += stage == "candidates" and sum(map(len, own.values())) < 12
        self.seen["empty seat"] += stage in KNOCKOUT and any(len(players) < 2 for players in own.values())
        self.seated[stage] = {group["name"]: group["entrants"] for group in raw["groups"]}
        self._compare_seats(stage, own)

    def _entrant_left(self, raw: Raw) -> None:
        player = raw["entrant_id"]
        self.out[player] = raw["exit"]
        self.seen[f"left in {self.stage}"] += 1
        if self.stage == "candidates":
            self._leave_pool(player)
        for match in [match for match in self.matches.values() if match.stage == self.stage and match.has(player)]:
            if self.stage == "qualification":
                marked = raw["ground"] == "engine" and match.started and bool(match.points)  # R8.2, Q44b
                self.seen["adjudicated"] += marked
                if marked or not match.points:  # R8.1
                    match.is_lost_by(player)
            elif self.stage in KNOCKOUT and match.started and not match.points:  # Q51, Q52
                self.seen["left in a knock-out match"] += 1
                match.is_lost_by(player)

    def _complain(self, wrong: bool, what: str) -> None:
        if wrong:
            self.complaints.append(what)

    # --- Qualification ------------------------------------------------------------------------------------------

    def qualification(self) -> list[Line]:
        """R3.6; who left before the Candidates were published is unranked (R3.5, Q45, Q46)."""
        rounds = [
            Round([self._met(self.matches[id]) for id in ids], None if bye is None else self.names[bye])
            for stage, ids, bye in self.rounds.values()
            if stage == "qualification"
        ]
        left = self.unranked if "candidates" in self.seated else self.out
        return table(rounds, self.seeds, {self.names[e] for e in left})

    def _met(self, match: Match) -> Met:
        a, b = match.points.get(match.a, 0.0), match.points.get(match.b, 0.0)
        return Met(self.names[match.a], self.names[match.b], a, b, match.started and bool(match.points))

    def _still_in_swiss(self) -> list[int]:
        ids = {name: id for id, name in self.names.items()}
        return [ids[line.name] for line in self.qualification() if line.place is not None]

    # --- Pools --------------------------------------------------------------------------------------------------

    def order(self, pool: str) -> list[int]:
        """R3.12: by match points, and whoever is tied by the criteria; a part that is split off starts again."""
        everybody = self.in_pool(pool)

        def split(tie: Sequence[int], criteria: Iterable[Callable[[int], float]]) -> list[int]:
            for value in criteria:
                parts = [[e for e in tie if value(e) == found] for found in sorted(set(map(value, tie)), reverse=True)]
                if len(parts) > 1:
                    return [e for part in parts for e in split(part, criteria_of(part))]
            return list(tie)

        def criteria_of(tie: Sequence[int]) -> list[Callable[[int], float]]:
            return [
                lambda e: self.sum_in_pool(e, tie, "points"),
                lambda e: self.sum_in_pool(e, tie, "games"),
                lambda e: self.sum_in_pool(e, everybody, "games"),
                lambda e: -self.places[e],
            ]

        return split(everybody, [lambda e: self.sum_in_pool(e, everybody, "points"), *criteria_of(everybody)])

    def in_pool(self, pool: str) -> list[int]:
        return [e for e in self.seated["candidates"][pool] if e not in self.disregarded]

    def sum_in_pool(self, player: int, opponents: Sequence[int], what: str) -> float:
        played = [m for m in self.matches.values() if m.stage == "candidates" and m.has(player)]
        return sum(getattr(m, what).get(player, 0.0) for m in played if m.other(player) in opponents)

    def _pool_of(self, player: int) -> str:
        return next(pool for pool, players in self.seated["candidates"].items() if player in players)

    def _leave_pool(self, player: int) -> None:
        """R8.3: while he has a match to play, and by disqualification while his pool has one (Q49, Q50)."""
        pool = self._pool_of(player)
        decided = [{m.a, m.b} for m in self.matches.values() if m.stage == "candidates" and m.points]
        open_pairs = [(a, b) for a in self.in_pool(pool) for b in self.in_pool(pool) if a < b and {a, b} not in decided]
        if any(player in pair or self.out[player] == "disqualified" for pair in open_pairs):
            self.seen["disregarded"] += 1
            self.disregarded.add(player)

    def in_stage(self, stage: str) -> list[Match]:
        """The matches as paired now: a pair that was replaced is gone."""
        return [self.matches[id] for at, ids, _ in self.rounds.values() if at == stage for id in ids]

    # --- Seats --------------------------------------------------------------------------------------------------

    def _seats(self, stage: str) -> dict[str, list[int]]:
        return {"candidates": self._pools, "semifinals": self._semifinals, "finals": self._finals}[stage]()

    def _check_seats(self) -> None:
        if self.stage in KNOCKOUT and self.stage in self.seated:
            self._compare_seats(self.stage, self._seats(self.stage))

    def _compare_seats(self, stage: str, own: Mapping[str, Sequence[int]]) -> None:
        for name, players in own.items():
            found, wanted = ({self.names[e] for e in some} for some in (self.seated[stage].get(name, ()), players))
            self._complain(found != wanted, f"{name}: {sorted(found)} and not {sorted(wanted)}")

    def _moves_up(self, player: int | None, stage: str = "finals") -> bool:
        return player is not None and player not in self.out and (stage, player) not in self.declined

    def _pools(self) -> dict[str, list[int]]:
        """R3.5, R3.8, Q46: the twelve highest who are in and accept, numbered again."""
        twelve = [e for e in self._still_in_swiss() if self._moves_up(e, "candidates")]
        return {pool: [twelve[n - 1] for n in places if n <= len(twelve)] for pool, places in POOLS.items()}

    def _fixed(self, stage: str) -> dict[str, list[int]]:
        """The seats of matches that have begun or are decided: nobody takes them (Q51, Q52)."""
        return {m.group: [m.a, m.b] for m in self.in_stage(stage) if m.started or m.points}

    def _semifinals(self) -> dict[str, list[int]]:
        """R3.11, R8.4, Q51: who is below in the pool moves up."""
        fixed = self._fixed("semifinals")
        seats: dict[str, list[int]] = {name: fixed.get(name, []) for name in SEMIFINALS}
        kept = {e for players in fixed.values() for e in players}
        for pool in POOLS:
            below = [e for e in self.order(pool) if self._moves_up(e, "semifinals") and e not in kept]
            for name in sorted(SEMIFINALS.keys() - fixed.keys(), key=lambda name: SEMIFINALS[name][0] != pool):
                seats[name] = seats[name] + below[:1]
                below = below[1:]
        return seats

    def _semifinal(self, name: str) -> Decided:
        """The winner and the loser; without an opponent there is no loser. Final when the Finals are seated."""
        players = self.seated["semifinals"][name]
        match = next((m for m in self.in_stage("semifinals") if m.points and m.group == name), None)
        if match is None:
            return (players[0] if players else None), None
        return match.winner(), match.other(match.winner())

    def _finals(self) -> dict[str, list[int]]:
        """R3.13, R8.5, Q52."""
        fixed, semifinals = self._fixed("finals"), [self._semifinal(name) for name in SEMIFINALS]
        final = fixed.get(FINAL) or self._grand_final(semifinals, fixed.get(PLAYOFF, []))
        return {FINAL: final, PLAYOFF: fixed.get(PLAYOFF) or self._playoff(semifinals, final)}

    def _grand_final(self, semifinals: Sequence[Decided], playing: Sequence[int]) -> list[int]:
        """The winners; else the loser of that semifinal, the loser of the other, who is below in the Candidates."""
        final = [winner if winner not in self.out else None for winner, _ in semifinals]
        losers, self.instead = [loser for _, loser in semifinals], {}
        vacant = [seat for seat in (0, 1) if final[seat] is None]
        for following in (lambda seat: [losers[seat]], lambda seat: [losers[1 - seat], *self._below(semifinals[seat])]):
            for seat in (seat for seat in vacant if final[seat] is None):
                free = [e for e in following(seat) if self._moves_up(e) and e not in (*final, *playing)]
                final[seat] = free[0] if free else None
                self.instead |= {e: semifinals[seat][0] for e in free[:1]}
        return [e for e in final if e is not None]

    def _playoff(self, semifinals: Sequence[Decided], final: Sequence[int]) -> list[int]:
        """The losers; an open seat is for the next of the pool of the player who is gone, else of the other pool."""
        stay = [e for _, e in semifinals if e is not None and e not in self.out and e not in final]
        for winner, loser in semifinals:
            if loser not in stay:
                free = self._below((self.instead.get(loser, loser), winner))
                stay += [e for e in free if self._moves_up(e) and e not in (*final, *stay)][:1]
        return stay

    def _below(self, gone_and_opponent: Decided) -> list[int]:
        """The pool of who is gone, then the other one; where nobody sat, it is not the pool of the opponent."""
        gone, opponent = gone_and_opponent
        if gone is not None:
            own = self._pool_of(gone)
        else:
            own = next(pool for pool in POOLS if opponent is None or pool != self._pool_of(opponent))
        return [e for pool in sorted(POOLS, key=lambda pool: pool != own) for e in self.order(pool)]

    # --- Places -------------------------------------------------------------------------------------------------

    def placing(self) -> dict[int, str]:
        """R3.13, Q52: who leaves by disqualification has no place."""
        found: dict[int, str] = {}
        for name, first in ((FINAL, 1), (PLAYOFF, 3)):
            players = self.seated["finals"].get(name, [])
            match = next((m for m in self.in_stage("finals") if m.points and m.group == name), None)
            line = players if match is None else [match.winner(), match.other(match.winner())]
            for place, player in enumerate(line, start=first):
                if self.out.get(player) != "disqualified":
                    found[place] = self.names[player]
        return found


def _standing(ledger: Sequence[Raw]) -> list[Raw]:
    """Without what is reverted; replaced seatings and pairings are read too, since they stood for a time."""
    reverted = {fact["reverts"] for fact in ledger}
    return [fact for fact in ledger if fact["id"] not in reverted]


def _score(games: Sequence[Raw]) -> tuple[float, float]:
    a = sum(game["a"] for game in games) / 2
    return a, len(games) - a


def differences(told: Raw, own: Edition) -> list[str]:
    """Where the tables, the results and the places in the JSON are not what the ledger says."""
    found = list(own.complaints)
    swiss = {row["name"]: row for row in told["tables"]["qualification"]}
    for line in own.qualification():
        row, values = swiss[line.name], swiss[line.name]["tiebreaks"]
        given = [
            row["rank"],
            row["points"],
            *(values[k] for k in ("cumulative", "median_buchholz", "wins_against_tied")),
        ]
        wanted = [line.place, line.points, line.cumulative, line.median_buchholz, line.wins_tied]
        if line.place is None:
            given[-1] = wanted[-1] = None
        if given != wanted:
            found.append(f"qualification {line.name}: {given} and not {wanted}")
    for match, shown in ((own.matches[m["id"]], m["result"]) for r in told["rounds"] for m in r["matches"]):
        if not {match.a, match.b} & own.disregarded or match.stage != "candidates":
            given, wanted = (shown["a"], shown["b"]), tuple(match.points.values())
            if given != (match.points[match.a], match.points[match.b]):
                found.append(f"{match.stage} {own.names[match.a]}-{own.names[match.b]}: {given} and not {wanted}")
    for pool, rows in told["tables"]["pools"].items():
        order, everybody = own.order(pool), own.in_pool(pool)
        given = [(r["name"], r["points"], r["tiebreaks"]["overall_game"]) for r in rows if r["rank"] is not None]
        sums = [(own.names[e], *(own.sum_in_pool(e, everybody, what) for what in ("points", "games"))) for e in order]
        if given != sums:
            found.append(f"pool {pool}: {given} and not {sums}")
    places = {row["first"]: row["name"] for row in told["placing"] if row["first"] is not None and row["first"] <= 4}
    if told["placing"] and places != own.placing():
        found.append(f"places: {places} and not {own.placing()}")
    return found
