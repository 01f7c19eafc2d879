"""The run of an edition: rounds as the calendar says, exits, marks and repairs in between, to the champion."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from acwc_bot.simulation.accidents import Accidents, to_spare
from acwc_bot.simulation.book import Book, Season
from acwc_bot.simulation.chance import Chance, happens, moment
from acwc_bot.simulation.field import late_entrant, make_field
from acwc_bot.simulation.matches import Agenda, Matches
from engine.calendar import RoundSlot, edition_calendar
from engine.conduct import due_disqualifications
from engine.errors import AcwcError, CannotPair, Conflict
from engine.exits import TWO_FORFEITS
from engine.facts import (
    EntrantLeft,
    Exit,
    MatchExtended,
    Pair,
    Reverted,
    RoundClosed,
    RoundPublished,
    SeatDeclined,
)
from engine.model import Authority, Fact, Stage
from engine.pairing_checker import check
from engine.pairing_types import Pairing
from engine.rules import Ruleset
from engine.seating import Remark, Seating
from engine.stages import Proposal, Wishes, pool_rounds, propose, repair, swiss_players
from engine.tournament import PublishedRound

_LEAVING = {
    Stage.QUALIFICATION: "R8.1",
    Stage.CANDIDATES: "R8.3",
    Stage.SEMIFINALS: "R8.4",
    Stage.FINALS: "R8.5",
}
_PUBLICATION = {
    Stage.QUALIFICATION: "R3.7",
    Stage.CANDIDATES: "R3.9",
    Stage.SEMIFINALS: "R3.11",
    Stage.FINALS: "R3.13",
}


def simulate(
    rules: Ruleset,
    players: int,
    chance: Chance,
    accidents: Accidents | None = None,
    direct: Collection[int] | None = None,
) -> Season:
    """A whole edition of `players` who register in time, direct entrants included; late entries come on top.

    `direct`: which of `candidates.direct` play, by number from 1; None: all. The same chance gives the same season.
    Raises CannotSimulate for too few or too many players.
    """
    named, entrants = make_field(rules, players, chance, direct)
    book = Book(named.name, named, list(entrants))
    return _Run(book, chance, accidents or Accidents()).run()


class _Run:
    def __init__(self, book: Book, chance: Chance, accidents: Accidents) -> None:
        self._book = book
        self._chance = chance
        self._accidents = accidents
        self._agenda = Agenda()
        entrants = len(book.event.swiss_seeds)
        self._slots = edition_calendar(book.rules, book.rules.starts, entrants)
        self._matches = Matches(book, self._agenda, chance, accidents, entrants)
        self._allowed: set[frozenset[int]] = set()
        self._asked: dict[Stage, set[int]] = {stage: set() for stage in Stage}
        self._moved: set[tuple[Stage, str, int]] = set()
        self._to_undo = happens(chance, accidents.undone)

    def run(self) -> Season:
        self._plan_mark()
        halted: AcwcError | None = None
        for slot in self._slots:
            self._agenda.run_until(slot.publish_at)
            if slot.stage is Stage.CANDIDATES and slot.number > 1 and slot.number > pool_rounds(self._book.event):
                continue
            try:
                self._publish(slot)
            except (CannotPair, Conflict) as refusal:
                if refusal.code == "semifinal_open":
                    raise
                halted = refusal
                break
        if halted is None:
            over = self._slots[-1].matches_by + timedelta(days=1)
            self._agenda.run_until(over)
            self._disqualify_due(over)
        return Season(
            event=self._book.event,
            happenings=tuple(self._book.happenings),
            bids=dict(self._book.bids),
            allowed=frozenset(self._allowed),
            halted=halted,
        )

    # --- A round ------------------------------------------------------------------------------------------------

    def _publish(self, slot: RoundSlot) -> None:
        now = slot.publish_at
        self._disqualify_due(now)
        proposal = self._proposal(slot)
        seated = proposal.seated
        if seated is not None:
            self._book.record(seated, now, clause="R3.8", authority=Authority.TD)
        pairs = tuple(Pair(self._book.new_match(), pair.a_id, pair.b_id, pair.group) for pair in proposal.pairs)
        round_id = 1 + len(self._book.event.tournament.rounds)
        published = RoundPublished(round_id, slot.stage, slot.number, pairs, proposal.bye)
        self._book.record(published, now, clause=_PUBLICATION[slot.stage])
        if proposal.seating is not None:
            self._tell_notes(proposal.seating, now)
        for pair in pairs:
            self._matches.plan(pair, slot, now)
        self._plan_the_week(slot, round_id)

    def _proposal(self, slot: RoundSlot) -> Proposal:
        if slot.stage is Stage.QUALIFICATION:
            return self._swiss_round(slot)
        while True:
            proposal = propose(self._book.event, slot.stage, slot.number)
            if proposal.seating is None or not self._somebody_declines(proposal.seating, slot.publish_at):
                return proposal

    def _swiss_round(self, slot: RoundSlot) -> Proposal:
        """R3.7; judged by the independent checker. A TD allows the fewest rematches where there is no other way."""
        event = self._book.event
        players = swiss_players(event)
        rematches: list[tuple[int, int]] = []
        bye: int | None = None
        try:
            proposal = propose(event, slot.stage, slot.number)
        except CannotPair:
            proposal = propose(event, slot.stage, slot.number, Wishes(relaxed=True))
            met = event.tournament.met()
            rematches = [(p.a_id, p.b_id) for p in proposal.pairs if frozenset((p.a_id, p.b_id)) in met]
            bye = proposal.bye
            self._allowed.update(frozenset(both) for both in rematches)
            for both in rematches:
                self._book.tell(slot.publish_at, "rematch", both, "R3.7", f"in round {slot.number}")
            if bye is not None and any(player.id == bye and player.bye_barred for player in players):
                self._book.tell(slot.publish_at, "second_bye", (bye,), "R3.7", f"in round {slot.number}")
        pairing = Pairing(tuple((pair.a_id, pair.b_id) for pair in proposal.pairs), proposal.bye)
        problems = check(players, pairing, rematches, (), bye)
        if problems:
            raise RuntimeError(f"round {slot.number}: {'; '.join(problems)}")
        return proposal

    def _plan_the_week(self, slot: RoundSlot, round_id: int) -> None:
        stage, publish_at = slot.stage, slot.publish_at
        for entrant in self._players_of(stage):
            if happens(self._chance, self._accidents.leaving[stage]):
                self._agenda.at(self._exit_moment(entrant, slot), lambda at, who=entrant: self._leave(who, at))
        if stage is Stage.QUALIFICATION and slot.number < self._book.rules.registration.late_entry_before_round:
            for _ in range(2):
                if happens(self._chance, self._accidents.late):
                    self._agenda.at(moment(self._chance, publish_at, slot.matches_by), self._late_entry)
        self._agenda.at(slot.matches_by + self._book.rules.games.finish_by, lambda at: self._close(round_id, slot, at))

    def _players_of(self, stage: Stage) -> Sequence[int]:
        tournament = self._book.event.tournament
        if stage is Stage.QUALIFICATION:
            return [entrant.id for entrant in self._book.entrants if tournament.is_in(entrant.id)]
        return [e for group in tournament.seated[stage] for e in group.entrants if tournament.is_in(e)]

    def _close(self, round_id: int, slot: RoundSlot, at: datetime) -> None:
        tournament = self._book.event.tournament
        waiting = [p for p in tournament.open_matches(round_id) if p.match_id not in tournament.extended]
        if waiting:
            raise RuntimeError(f"{slot.stage} {slot.number}: no result of {waiting}")
        self._book.record(RoundClosed(round_id), at, clause="R3.6")
        following = next((s for s in self._slots if s.publish_at > slot.publish_at), None)
        if following is not None and following.stage is not slot.stage:
            for entrant in self._players_of(slot.stage):
                if happens(self._chance, self._accidents.between):
                    when = moment(self._chance, at, following.publish_at - timedelta(hours=1))
                    self._agenda.at(when, lambda now, who=entrant: self._leave(who, now))

    def _late_entry(self, at: datetime) -> None:
        entrant = late_entrant(self._book.entrants, self._chance)
        self._book.enter(entrant)
        self._book.tell(at, "late_entry", (entrant.id,), "Q44g", f"seed {entrant.seed}")

    # --- Seats --------------------------------------------------------------------------------------------------

    def _somebody_declines(self, seating: Seating, at: datetime) -> bool:
        """Q46, Q52: those who are invited, or are to move up, are asked once before the seating stands."""
        stage, event = seating.stage, self._book.event
        moved = {e for note in seating.notes if note.remark is Remark.MOVED_UP for e in note.entrants}
        asked = {e for group in seating.groups for e in group.entrants} if stage is Stage.CANDIDATES else moved
        rate = self._accidents.declined if stage is Stage.CANDIDATES else self._accidents.declined_later
        clause = "Q46" if stage is Stage.CANDIDATES else "Q52"
        for entrant in sorted(asked - self._asked[stage]):
            self._asked[stage].add(entrant)
            if happens(self._chance, rate) and to_spare(event, self._accidents.keep) > 0:
                self._book.record(SeatDeclined(stage, entrant), at, clause=clause, authority=Authority.PLAYER)
                self._book.tell(at, "declined", (entrant,), clause, stage.value)
                return True
        return False

    def _tell_notes(self, seating: Seating, at: datetime) -> None:
        """Who has moved up is told once: a seating that replaces another names them again."""
        clauses = {Remark.SEED_ONLY: "Q52b", Remark.SHORT: "Q52c", Remark.EMPTY: "Q52"}
        moved_up = {Stage.CANDIDATES: "Q46", Stage.SEMIFINALS: "R8.4", Stage.FINALS: "R8.5"}
        for note in seating.notes:
            clause = clauses.get(note.remark, moved_up[seating.stage])
            entrants = note.entrants
            if note.remark is Remark.MOVED_UP:
                entrants = tuple(e for e in entrants if (seating.stage, note.group, e) not in self._moved)
                self._moved.update((seating.stage, note.group, e) for e in entrants)
            if entrants or not note.entrants:
                self._book.tell(at, note.remark.value, entrants, clause, note.group)

    def _repair(self, at: datetime) -> None:
        """R8.4, R8.5: a new seating and its pairs in place of the old ones, once everybody who moves up has agreed."""
        rounds = self._book.event.tournament.stage_rounds(self._book.newest[0])
        if not rounds:
            return
        published = rounds[-1]
        while (proposal := repair(self._book.event, published.stage)) is not None:
            assert proposal.seating is not None
            if self._somebody_declines(proposal.seating, at):
                continue
            self._republish(published, proposal, at)
            self._tell_notes(proposal.seating, at)
            return

    def _republish(self, published: PublishedRound, proposal: Proposal, at: datetime) -> None:
        slot = next(s for s in self._slots if (s.stage, s.number) == (published.stage, published.number))
        kept = {(pair.group, frozenset((pair.a_id, pair.b_id))): pair for pair in published.pairs}
        pairs = tuple(
            kept.get((p.group, frozenset((p.a_id, p.b_id)))) or Pair(self._book.new_match(), p.a_id, p.b_id, p.group)
            for p in proposal.pairs
        )
        seated, clause = proposal.seated, _LEAVING[published.stage]
        assert seated is not None
        before = self._standing_seating(published.stage)
        self._book.record(seated, at, clause=clause, authority=Authority.TD, replaces=before)
        event = RoundPublished(published.round_id, published.stage, published.number, pairs)
        self._book.record(event, at, clause=clause, authority=Authority.TD, replaces=published.fact_id)
        self._matches.forget_settled()
        for pair in pairs:
            if pair not in published.pairs:
                self._matches.plan(pair, slot, at)

    def _standing_seating(self, stage: Stage) -> int:
        kind = "stage_seated"
        found = [fact.id for fact in self._book.facts if fact.kind == kind and fact.payload["stage"] == stage]
        return found[-1]

    # --- Exits --------------------------------------------------------------------------------------------------

    def _exit_moment(self, entrant: int, slot: RoundSlot) -> datetime:
        """Half of them in the middle of their own match, the others at any time that leaves time for a new pairing."""
        plan = self._matches.meeting_of(entrant)
        if plan is not None and happens(self._chance, 0.5):
            return plan.starts_at + timedelta(minutes=self._chance.randint(12, 40))
        return moment(self._chance, slot.publish_at, slot.matches_by - timedelta(hours=36))

    def _leave(self, entrant: int, at: datetime) -> None:
        """Nobody leaves the Finals who has nothing more to play: what becomes of a champion then is for the TDs."""
        if self._book.newest[0] is Stage.FINALS and self._matches.meeting_of(entrant) is None:
            return
        exit, ground = Exit.WITHDRAWN, None
        if happens(self._chance, self._accidents.by_ruling):
            leaving = self._book.rules.leaving
            grounds = [g for g in leaving.grounds if g not in (*leaving.reaching_back, TWO_FORFEITS)]
            exit, ground = Exit.DISQUALIFIED, self._chance.choice(grounds) if grounds else None
        fact = self._exit(entrant, exit, ground, at)
        if fact is not None and self._to_undo:
            self._plan_reinstatement(entrant, fact)

    def _exit(self, entrant: int, exit: Exit, ground: str | None, at: datetime) -> Fact | None:
        event = self._book.event
        if not event.tournament.is_in(entrant) or to_spare(event, self._accidents.keep) < 1:
            return None
        stage, _ = self._book.newest
        reaches_back = ground in self._book.rules.leaving.reaching_back and stage is Stage.QUALIFICATION
        clause = "R8.2" if reaches_back else _LEAVING[stage]
        authority = Authority.PLAYER if exit is Exit.WITHDRAWN else Authority.TD
        self._matches.write_down_begun(at)
        fact = self._book.record(EntrantLeft(entrant, exit, ground), at, clause=clause, authority=authority)
        self._book.tell(at, exit.value, (entrant,), clause, ground or "")
        self._matches.forget_settled()
        self._repair(at)
        return fact

    def _disqualify_due(self, at: datetime) -> None:
        """R6.5, Q25."""
        for due in due_disqualifications(self._book.event.tournament, self._book.rules.forfeits.to_disqualify):
            self._book.record(due, at, clause="R6.5", authority=Authority.TD)
            self._book.tell(at, due.exit.value, (due.entrant_id,), "R6.5", TWO_FORFEITS)
        self._matches.forget_settled()

    def _plan_mark(self) -> None:
        """R8.2: an engine mark, from the second round of the Qualification to the end of the free week (Q47)."""
        swiss = [slot for slot in self._slots if slot.stage is Stage.QUALIFICATION]
        grounds = self._book.rules.leaving.reaching_back
        if not grounds or len(swiss) < 2 or not happens(self._chance, self._accidents.marked):
            return
        after = self._slots[len(swiss)].publish_at
        when = moment(self._chance, swiss[1].publish_at + timedelta(hours=1), after - timedelta(hours=1))

        def mark(at: datetime) -> None:
            still_in = [e for e in self._book.event.swiss_seeds if self._book.event.tournament.is_in(e)]
            self._exit(self._chance.choice(still_in), Exit.DISQUALIFIED, grounds[0], at)

        self._agenda.at(when, mark)

    # --- Reinstatement ------------------------------------------------------------------------------------------

    def _plan_reinstatement(self, entrant: int, fact: Fact) -> None:
        """Q44d: after one round without the player the exit is reverted; only while the Qualification goes on."""
        later = [s for s in self._slots if s.publish_at > fact.recorded_at and s.stage is Stage.QUALIFICATION]
        if len(later) < 2:
            return
        self._to_undo = False
        self._agenda.at(
            later[0].publish_at + timedelta(hours=1), lambda at: self._reinstate(entrant, fact, later[0], at)
        )

    def _reinstate(self, entrant: int, fact: Fact, slot: RoundSlot, at: datetime) -> None:
        """What the exit had decided is open again: a TD lets these matches be played this week (R5.10)."""
        self._book.record(Reverted(), at, clause="Q44d", authority=Authority.TD, reverts=fact.id)
        self._book.tell(at, "reinstated", (entrant,), "Q44d")
        tournament = self._book.event.tournament
        for published in tournament.rounds:
            for pair in tournament.open_matches(published.round_id):
                if not self._matches.is_planned(pair.match_id):
                    extension = MatchExtended(pair.match_id, slot.matches_by)
                    self._book.record(extension, at, clause="Q9", authority=Authority.TD)
                    self._book.tell(at, "extended", (pair.a_id, pair.b_id), "Q9")
                    own = next(s for s in self._slots if (s.stage, s.number) == (published.stage, published.number))
                    self._matches.plan(pair, own, at, until=slot.matches_by)


__all__ = ["simulate"]
