"""R6.6: a result is read from Lichess, by whoever asks for it; games decide, words do not (Q22)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.armageddon import Bidding
from engine.errors import Conflict, NeedsTdRuling, NotFound
from engine.model import KNOCKOUT, Authority, DisputeCause, DisputeEnd, Match, Person, Report
from engine.ports import LichessGame, Reader, Store
from engine.scoring import MatchScore, game_points
from engine.usecases.claimed_scores import claim, for_td, from_another_account, other_report, own_report, put_report
from engine.usecases.context import Actor, Desk, Event, current_event, record
from engine.usecases.deciders import tie_seen
from engine.usecases.disputes import end_dispute, open_dispute
from engine.usecases.early_games import EarlyPosts, early_games
from engine.usecases.first_games import begin
from engine.usecases.game_lines import keep, with_kept
from engine.usecases.matches import (
    MatchView,
    Seat,
    find_seat,
    load_match,
    view_match,
)
from engine.usecases.pair_games import read_games
from engine.usecases.posts import Outbox
from engine.usecases.schedule import table_lines
from engine.usecases.vanished import look_for, refuse_short


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """What a report came to: a result (perhaps one that was there `already`), or a first game to be confirmed;
    `differs`: the other side has named another one; `begun`: both have named it, and the match goes on; `tie`: what the
    armageddon game that has to decide waits for."""

    view: MatchView
    score: MatchScore | None = None
    already: bool = False
    to_confirm: Report | None = None
    differs: bool = False
    begun: bool = False
    tie: Bidding | None = None


class Reporting:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def report(
        self,
        actor: Actor,
        match_id: int | None,
        *,
        score: tuple[int, int] | None = None,
        game_ids: Sequence[str] = (),
    ) -> Reported:
        """Reads the games of the pair, and those that were linked, and records the result they give.

        `score` in half-points, the reporter's first; it is only compared with the games. Refusals, nothing recorded:
        NeedsTdRuling (no games: Q22; a game only a TD can judge), Conflict("not_finished"), Conflict("score_differs"),
        Conflict("games_gone").
        """
        seat = await self._desk.db.read(lambda r: find_seat(r, self._desk.folds, actor, match_id, finished=True))
        if seat.event.is_settled(seat.match):
            return await self._already(seat.match.id)
        named = await self._desk.db.read(lambda reader: reader.find(Report, match_id=seat.match.id))
        firsts = [report.first_game_id for report in named if report.first_game_id is not None]
        games = await self._games(seat, (*game_ids, *firsts))
        return await self._record_or_hand_over(actor, seat.match.id, games, score=score, linked=game_ids)

    async def confirm(self, actor: Actor, report_id: int) -> Reported:
        """The other side names the same first game (Q12): the games are read again from there."""

        def find(reader: Reader) -> tuple[Seat, Report]:
            report = reader.one(Report, id=report_id)
            if report is None:
                raise NotFound("report", id=report_id)
            return find_seat(reader, self._desk.folds, actor, report.match_id), report

        seat, report = await self._desk.db.read(find)
        if seat.event.is_settled(seat.match):
            return await self._already(seat.match.id)
        if report.entrant_id == seat.entrant.id:
            raise Conflict("own_report", clause="R5.2")
        if report.first_game_id is None:
            raise NotFound("report", id=report_id)
        games = await self._games(seat, (report.first_game_id,))
        return await self._record_or_hand_over(actor, seat.match.id, games, named=report.first_game_id)

    async def _already(self, match_id: int) -> Reported:
        now = self._desk.clock.now()
        view = await self._desk.db.read(lambda reader: load_match(reader, self._desk.folds, match_id, now))
        return Reported(view=view, already=True)

    async def _games(self, seat: Seat, game_ids: Sequence[str]) -> list[LichessGame]:
        """All games of the pair since the pairing, and the linked ones: a link may add a game, it never hides one."""
        now = self._desk.clock.now()
        games = await look_for(self._desk, seat.event, seat.match)
        self._desk.signs.read(seat.match.id, games, now)
        missing = [id for id in game_ids if id not in {game.id for game in games}]
        return [*games, *(await self._desk.lichess.games(missing) if missing else [])]

    async def _record_or_hand_over(
        self,
        actor: Actor,
        match_id: int,
        games: Sequence[LichessGame],
        *,
        score: tuple[int, int] | None = None,
        linked: Sequence[str] = (),
        named: str | None = None,
    ) -> Reported:
        """Records the result; what only a TD can judge is in the TD channel before the player is told so."""
        try:
            return await self._record(actor, match_id, games, score=score, linked=linked, named=named)
        except NeedsTdRuling as needed:
            raise await self._hand_to_td(actor, match_id, needed, games, score, linked) from needed

    async def _record(
        self,
        actor: Actor,
        match_id: int,
        answer: Sequence[LichessGame],
        *,
        score: tuple[int, int] | None,
        linked: Sequence[str],
        named: str | None,
    ) -> Reported:
        now, lichess = self._desk.clock.now(), self._desk.lichess

        def work(store: Store) -> Reported:
            seat = find_seat(store, self._desk.folds, actor, match_id, keep=False)
            if seat.event.is_settled(seat.match):
                return Reported(view=view_match(store, seat.event, seat.match, now), already=True)
            if before_the_tds(seat.event, seat.match):
                raise Conflict("td_decides_first", clause="R5.6")
            refuse_short(store, seat.event, seat.match, answer)
            games = with_kept(store, lichess, seat.match, answer)
            own = _own_first_game(seat, games, linked)
            first = named or _named_by_both(store, seat, own)
            reading = read_games(seat.event, seat.match, games, first_game_id=first)
            outbox = Outbox(store, actor.guild_id, now)
            if reading.needs_first_game and own is not None:
                return self._name_first_game(store, outbox, seat, reading, own, now)
            unknown = tuple(id for id in linked if id not in {game.id for game in games})
            strange = from_another_account(seat.event, seat.match, reading, linked)
            if seat.match.agreed_at is None and reading.counted and not (reading.decided or reading.needs_td):
                keep(store, lichess, seat.match, answer, reading, now)
                begin(store, outbox, seat, reading, games, now)
                return self._goes_on(store, actor, match_id, reading, now)
            early = early_games(seat.event, seat.match, games, reading)
            if early and not reading.decided and (not reading.counted or not set(linked).isdisjoint(early)):
                raise NeedsTdRuling("early_games", clause="R5.2", games=early, agreed_at=seat.match.agreed_at)
            over = now >= seat.event.window(seat.match).closes + seat.event.rules.games.finish_by
            _refuse_undecided(seat, reading, score, linked=bool(linked), unknown=unknown, strange=strange, over=over)
            keep(store, lichess, seat.match, answer, reading, now, named=strange)
            for_td(outbox, seat.event, seat.match, (), strange)
            if reading.tied:
                return self._goes_on(store, actor, match_id, reading, now)
            by = By(Authority.PLAYER, seat.person, actor.command_id)
            record_result(store, outbox, seat.event, seat.match, reading, by, now)
            event = current_event(store, self._desk.folds, actor.guild_id, keep=False)
            tell_who_is_back(outbox, seat.event, event)
            return Reported(view=view_match(store, event, seat.match, now), score=reading)

        return await self._desk.db.write(work)

    def _goes_on(self, store: Store, actor: Actor, match_id: int, reading: MatchScore, now: datetime) -> Reported:
        """The games are no result yet: it has begun, or only the armageddon game can decide it (R3.16)."""
        event = current_event(store, self._desk.folds, actor.guild_id, keep=False)
        match, tie = event.matches[match_id], None
        if reading.tied:
            tie = tie_seen(store, self._desk, event, match, reading.begun(match_id), now)
            event = current_event(store, self._desk.folds, actor.guild_id, keep=False)
        return Reported(view=view_match(store, event, match, now), score=reading, begun=tie is None, tie=tie)

    def _name_first_game(
        self, store: Store, outbox: Outbox, seat: Seat, reading: MatchScore, first: str, now: datetime
    ) -> Reported:
        """No agreed time on record: one side has named the first game, the other is asked (Q12). Two that differ are a
        dispute (R1.3)."""
        report = own_report(store, seat)
        if report is None or report.first_game_id != first:
            report = put_report(store, seat, now, first_game_id=first)
            outbox.first_game_named(seat.match, report.id)
        theirs = other_report(store, seat)
        differs = theirs is not None and theirs.first_game_id not in (None, first)
        if differs:
            open_dispute(store, outbox, seat.match, DisputeCause.REPORTS_DIFFER, now)
        view = view_match(store, seat.event, seat.match, now)
        return Reported(view=view, score=reading, to_confirm=report, differs=differs)

    async def _hand_to_td(
        self,
        actor: Actor,
        match_id: int,
        needed: NeedsTdRuling,
        answer: Sequence[LichessGame],
        score: tuple[int, int] | None,
        linked: Sequence[str],
    ) -> NeedsTdRuling:
        """What only a TD can judge is told once, with the games and both claims, never the reporter's words. The
        refusal, with what the other side has claimed."""
        now, lichess = self._desk.clock.now(), self._desk.lichess

        def work(store: Store) -> NeedsTdRuling:
            seat = find_seat(store, self._desk.folds, actor, match_id, keep=False)
            outbox = Outbox(store, actor.guild_id, now)
            games = with_kept(store, lichess, seat.match, answer)
            reading = read_games(seat.event, seat.match, games)
            strange = from_another_account(seat.event, seat.match, reading, linked)
            named = (*strange, *needed.params.get("games", ()))
            keep(store, lichess, seat.match, answer, reading, now, named=named)
            if needed.code == "games_need_td":
                for_td(outbox, seat.event, seat.match, reading.needs_td, strange)
                return needed
            if needed.code == "early_games":
                EarlyPosts(store, actor.guild_id, now).ask_td(seat.event, seat.match, needed.params["games"])
                return needed
            assert score is not None
            theirs = claim(store, outbox, seat, score, now)
            params = {**needed.params, "opponent": seat.event.name(seat.match.opponent_of(seat.entrant.id))}
            return NeedsTdRuling(needed.code, clause=needed.clause, **params, claimed=score, theirs=theirs)

        return await self._desk.db.write(work)


def before_the_tds(event: Event, match: Match) -> bool:
    """Q1, Q2: where both are found at fault by the rule, they play only after a TD allows it; a knock-out match is
    played in any case (Q34)."""
    if event.has_result(match) or event.round_of(match).stage in KNOCKOUT:
        return False
    return event.terms(match).both_failed


def tell_who_is_back(outbox: Outbox, before: Event, after: Event) -> None:
    """A played result takes forfeits away, and with them a disqualification that rested on them (Q2, Q44e)."""
    for entrant_id in sorted(before.tournament.left.keys() - after.tournament.left.keys()):
        entrant, fact_id = after.entrants[entrant_id], after.tournament.last_fact_id
        outbox.exit_told(after.edition.id, entrant, fact_id)
        key = f"entrant:{entrant_id}:back:{fact_id}"
        outbox.td(key, "back_in", edition_id=after.edition.id, entrant_id=entrant_id)


def refresh_tables(outbox: Outbox, event: Event, match: Match) -> None:
    """A late result goes into its own round (Q10), and so into every table posted since."""
    own = event.round_of(match)
    for round in event.rounds:
        published = event.tournament.round(round.id)
        if published.closed and (published.stage, published.number >= own.number) == (own.stage, True):
            outbox.standings(round, table_lines(event, round))


def _own_first_game(seat: Seat, games: Sequence[LichessGame], linked: Sequence[str]) -> str | None:
    """The game with which the match begins by this report (Q12): the first of those that are linked, else of all."""
    named = read_games(seat.event, seat.match, [game for game in games if game.id in linked]).first_candidate
    return named or read_games(seat.event, seat.match, games).first_candidate


def _named_by_both(reader: Reader, seat: Seat, own: str | None) -> str | None:
    """The first game when the other side has named one and this side's report begins with the same."""
    theirs = other_report(reader, seat)
    if theirs is None or seat.match.agreed_at is not None:
        return None
    return theirs.first_game_id if own == theirs.first_game_id else None


def _refuse_undecided(
    seat: Seat,
    reading: MatchScore,
    score: tuple[int, int] | None,
    *,
    linked: bool = False,
    unknown: tuple[str, ...] = (),
    strange: tuple[str, ...] = (),
    over: bool = False,
) -> None:
    """Refuses whatever is no result; `unknown` are linked games that Lichess does not know, `strange` those from an
    account that is nobody's, about which a TD is asked without the result waiting for it; `over`: no game that begins
    now can count (Q8)."""
    if reading.needs_td:
        raise NeedsTdRuling("games_need_td", clause="R7.2", games=reading.needs_td)
    if strange and not reading.decided:
        raise NeedsTdRuling("games_need_td", clause="R2.6", games=strange)
    if not reading.all_counted and score is not None:
        raise NeedsTdRuling("score_without_games", clause="R3.3", faulty=reading.faulty)
    mine_first = seat.entrant.id == seat.match.a_id
    a, b = (reading.a, reading.b) if reading.counted else game_points(reading.all_counted)  # Q33: one game
    games = (a, b) if mine_first else (b, a)
    opponent, faulty = seat.event.name(seat.match.opponent_of(seat.entrant.id)), reading.faulty
    if score is not None and score != games:
        raise Conflict("score_differs", clause="R6.6", reported=score, faulty=faulty, opponent=opponent, games=games)
    if not reading.all_counted:
        agreed_at = seat.match.agreed_at
        raise NotFound(
            "no_games", agreed_at=agreed_at, faulty=faulty, linked=linked, unknown=unknown, opponent=opponent
        )
    if not (reading.decided or reading.tied):
        raise Conflict(
            "not_finished",
            clause="R3.3",
            missing=reading.missing,
            faulty=faulty,
            opponent=opponent,
            games=games,
            rules=seat.event.match_rules(seat.match),
            played=len(reading.counted),
            over=over,
        )


@dataclass(frozen=True, slots=True)
class By:
    """Who had a result read: a player by a command, or the bot of its own accord."""

    authority: Authority = Authority.SYSTEM
    author: Person | None = None
    command_id: str | None = None


def record_result(
    store: Store,
    outbox: Outbox,
    event: Event,
    match: Match,
    reading: MatchScore,
    by: By,
    now: datetime,
) -> None:
    """Records the result that the games give and owes every message about it; whoever read them keeps their lines."""
    played = reading.played(match.id)
    record(
        store,
        event.edition.id,
        played,
        now,
        authority=by.authority,
        author=by.author,
        clause="R3.3",
        command_id=by.command_id,
    )
    outbox.result(match)
    outbox.match_changed(match, event.round_of(match))
    end_dispute(store, outbox, match, DisputeEnd.PLAYED, now)
    refresh_tables(outbox, event, match)
    outbox.places_changed(event.edition.id)
