"""Who asks, and what every use case needs from the stored world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property, lru_cache

from engine import ledger
from engine.accounts import Held, as_now, held
from engine.armageddon import ColoursFixed, Hand, ShownThrow
from engine.championship import Championship, seed_of
from engine.errors import NotAllowed, NotFound
from engine.facts import Event as FactEvent
from engine.facts import encode, kind_of
from engine.knockout import Phase, decider_only, progress
from engine.model import (
    KNOCKOUT,
    Authority,
    Edition,
    EditionState,
    Entrant,
    Fact,
    Match,
    Note,
    Offer,
    OfferState,
    Person,
    Round,
    Server,
)
from engine.negotiation import Window
from engine.ports import Chance, Clock, Database, LichessLogin, LichessPort, Reader, Store
from engine.reading import leaving_rules
from engine.rules import EditionDates, MatchRules, Ruleset, dates_for, load
from engine.seating import THIRD_PLACE
from engine.sides import Side
from engine.signs import Signs
from engine.terms import NO_TERMS, Terms
from engine.tournament import Tournament


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """The person behind a command. `command_id` is the interaction's id: it groups the facts of one command.
    `place_id`: the channel or thread in which it was typed. `handle`: the name that nobody else on Discord has."""

    discord_id: int
    name: str
    guild_id: int
    command_id: str
    role_ids: frozenset[int] = frozenset()
    place_id: int | None = None
    handle: str = ""


@dataclass(frozen=True, slots=True)
class Door:
    """Where players log in with Lichess, and the address to which Lichess sends them back."""

    login: LichessLogin
    redirect_uri: str


@dataclass(frozen=True, slots=True)
class Desk:
    """The ports, as every use case gets them. `door`: None where the bot has no public address. `signs`: what whoever
    reads games for a player tells the follower."""

    db: Database
    lichess: LichessPort
    clock: Clock
    folds: Folds
    chance: Chance
    door: Door | None = None
    signs: Signs = field(default_factory=Signs)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The facts of an edition and what they come to."""

    facts: tuple[Fact, ...]
    tournament: Tournament


class Folds:
    """Folded ledgers, kept by their last fact. Only reads of committed facts fill it."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[int, Ledger]] = {}

    def of(self, reader: Reader, edition: Edition, *, keep: bool) -> Ledger:
        """`keep` only outside a write: an id that is rolled back is given to another fact later."""
        version = reader.last_fact_id(edition.id)
        kept = self._kept.get(edition.id)
        if kept is not None and kept[0] == version:
            return kept[1]
        facts = tuple(reader.facts(edition.id))
        folded = Ledger(facts, ledger.fold(facts, leaving=leaving_rules(ruleset_of(edition.ruleset))))
        if keep:
            self._kept[edition.id] = (version, folded)
        return folded


@lru_cache(maxsize=16)
def ruleset_of(text: str) -> Ruleset:
    return load(text)


def dates_of(edition: Edition) -> EditionDates:
    """The rules of an edition with its own dates in them, and the dates."""
    return _dates(edition.ruleset, edition.starts)


@lru_cache(maxsize=16)
def _dates(text: str, starts: date) -> EditionDates:
    return dates_for(ruleset_of(text), starts)


@dataclass(frozen=True, slots=True)
class Move:
    """A match that had a time got another: `at`, since `made_at`."""

    made_at: datetime
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Event:
    """An edition with everything that is needed to decide in it: rules, people, rounds, the folded ledger.

    `entered`: the entrants with the account and the seed of their entry; `entrants`: with those of now (Q55, Q44g).
    `moves`: by match id the proposals to move it that were accepted (R6.3), in order.
    """

    edition: Edition
    rules: Ruleset
    ledger: Ledger
    entered: Mapping[int, Entrant]
    people: Mapping[int, Person]
    rounds: tuple[Round, ...]
    matches: Mapping[int, Match] = field(default_factory=dict[int, Match])
    moves: Mapping[int, tuple[Move, ...]] = field(default_factory=dict[int, "tuple[Move, ...]"])

    @cached_property
    def entrants(self) -> Mapping[int, Entrant]:
        accounts, moves = self.tournament.accounts, self.tournament.seed_moves
        now = {id: as_now(entrant, accounts.get(id, ())) for id, entrant in self.entered.items()}
        return {id: replace(entrant, seed=seed_of(entrant, moves)) if moves else entrant for id, entrant in now.items()}

    def accounts(self, entrant_id: int) -> tuple[Held, ...]:
        """Every account of an entrant, in order (Q55)."""
        return held(self.entered[entrant_id], self.tournament.accounts.get(entrant_id, ()))

    @property
    def tournament(self) -> Tournament:
        return self.ledger.tournament

    @property
    def championship(self) -> Championship:
        """The edition as the pure decisions of `engine` take it."""
        return Championship(
            key=self.edition.key,
            rules=self.rules,
            entrants=self.entered,
            facts=self.ledger.facts,
            tournament=self.tournament,
        )

    def round(self, round_id: int) -> Round:
        for round in self.rounds:
            if round.id == round_id:
                return round
        raise NotFound("round", id=round_id)

    def round_of(self, match: Match) -> Round:
        return self.round(match.round_id)

    def matches_of(self, round_id: int) -> list[Match]:
        """In board order, those whose pairing stands."""
        mine = (m for m in self.matches.values() if m.round_id == round_id and self.is_paired(m))
        return sorted(mine, key=lambda m: m.board)

    @property
    def current_round(self) -> Round | None:
        return self.rounds[-1] if self.rounds else None

    def name(self, entrant_id: int) -> str:
        return self.entrants[entrant_id].name

    def discord_id(self, entrant_id: int) -> int | None:
        return self.people[self.entrants[entrant_id].person_id].discord_id

    def entrant_of(self, person_id: int) -> Entrant | None:
        return next((e for e in self.entrants.values() if e.person_id == person_id), None)

    @cached_property
    def _groups(self) -> Mapping[int, str]:
        return {pair.match_id: pair.group for r in self.tournament.rounds for pair in r.pairs}

    def is_paired(self, match: Match) -> bool:
        """Its pairing stands: no repair of a knock-out stage has put another in its place (R8.4, R8.5)."""
        return match.id in self._groups

    def group_of(self, match: Match) -> str:
        """The pool, the semifinal or the final of a match; "" in the Qualification."""
        return self._groups.get(match.id, "")

    def match_rules(self, match: Match, tournament: Tournament | None = None) -> MatchRules:
        """R3.3, R3.10, R3.14, Q33: how many games of a match, and what a tie means; now, or in another state."""
        tournament = tournament or self.tournament
        rules = self.rules.match(self.round_of(match).stage, third_place=self.group_of(match) == THIRD_PLACE)
        alone = tournament.terms.get(match.id, NO_TERMS).decider_alone
        return decider_only(rules) if alone else rules

    def tied_at(self, match: Match) -> datetime | None:
        """R3.13, R3.15: since when it is known that only the armageddon game can decide a match; None: it is not so."""
        known = self.tournament.games_known_at
        if self.was_taken_back(match) or self.is_settled(match) or not self.is_tied(match, self.tournament):
            return None
        return known.get(match.id)

    def is_tied(self, match: Match, tournament: Tournament) -> bool:
        """R3.13, R3.15: all games before the armageddon game are played by this state, and nobody leads."""
        if self.round_of(match).stage not in KNOCKOUT:
            return False
        games, more = (begun.get(match.id, ()) for begun in (tournament.begun, tournament.begun_tiebreaks))
        return progress(self.match_rules(match, tournament), games, more).phase is Phase.ARMAGEDDON

    def colours(self, match: Match) -> ColoursFixed | None:
        """R3.16: who has White in the armageddon game of a match, once that is settled."""
        settled = self.tournament.colours.get(match.id)
        if settled is None:
            return None
        said = settled.said
        throws = tuple(ShownThrow(*(Hand(hand) if hand else None for hand in both)) for both in said.throws)
        white = Side.A if said.white_id == match.a_id else Side.B
        return ColoursFixed(white, said.bid, said.bids, throws, settled.at)

    def has_result(self, match: Match) -> bool:
        return match.id in self.tournament.results

    def was_taken_back(self, match: Match) -> bool:
        """It waits for a result although games had given it one: a TD has taken that back, and not by ruling about a
        game, after which it simply goes on (Q35)."""
        if self.is_settled(match):
            return False
        about = [fact for fact in self.ledger.facts if fact.payload.get("match_id") == match.id]
        by_game = {fact.command_id for fact in about if fact.kind == "game_ruled"}
        reopened = self.tournament.reopened.get(match.id, 0)
        played = [fact for fact in about if fact.kind == "match_played" and fact.id > reopened]
        return any(fact.command_id is None or fact.command_id not in by_game for fact in played)

    def is_settled(self, match: Match) -> bool:
        """It has a result, and no TD has allowed to play all the same (Q2); or it is not played any more (R8.4)."""
        return self.tournament.is_settled(match.id) or not self.is_paired(match)

    def open_matches(self) -> list[Match]:
        """Matches that wait for a result, oldest round first."""
        return [m for m in sorted(self.matches.values(), key=lambda m: m.id) if not self.is_settled(m)]

    def terms(self, match: Match) -> Terms:
        """What was decided about the time of a match."""
        return self.tournament.terms.get(match.id, NO_TERMS)

    def last_move(self, match: Match, since: datetime, moment: datetime) -> Move | None:
        """R5.10, R6.3: the move by which a match had its time at a moment, of the players or by a TD; None where it was
        not moved since then."""
        moves = [*self.moves.get(match.id, ()), *(Move(one.set_at, one.at) for one in self.terms(match).times)]
        made = [move for move in moves if since < move.made_at <= moment]
        return max(made, key=lambda move: move.made_at, default=None)

    def offers_by(self, match: Match) -> datetime:
        """R5.1: the end (exclusive) of the time for offers that count: the round's, or what a TD moved it to."""
        return self.terms(match).offers_by or self.round_of(match).offers_by

    def came_late(self, match: Match) -> bool:
        """R8.4, R8.5: it was paired, in place of another, when the time for its offers was over already. So nobody
        could make any, and nobody is judged by them: the two agree, or a TD sets the time."""
        facts = (f for f in self.ledger.facts if f.kind == "round_published")
        paired = next((f for f in facts if any(p["match_id"] == match.id for p in f.payload["pairs"])), None)
        return paired is not None and paired.recorded_at >= self.offers_by(match)

    def owed_nothing(self, match: Match) -> bool:
        """R5.1: when the time for its offers ended it had a result, a set time or a later end, which a TD has taken
        back since, or a player was out who is in again. So nobody owed offers, and nobody is at fault for them."""
        end, facts = self.offers_by(match), self.ledger.facts
        if not any(fact.recorded_at >= end and fact.kind in ("reverted", "entrant_returned") for fact in facts):
            return False
        then = ledger.fold((f for f in facts if f.recorded_at < end), leaving=leaving_rules(self.rules))
        terms = then.terms.get(match.id, NO_TERMS)
        moved = terms.offers_by is not None and terms.offers_by > end
        return then.is_settled(match.id) or terms.set is not None or moved

    def window(self, match: Match) -> Window:
        """R4.3, R4.4: from the publication to the match deadline, or to what a TD extended it to (Q10)."""
        round = self.round_of(match)
        return Window(opens=round.published_at, closes=self.terms(match).play_by or round.matches_by)


def load_event(reader: Reader, folds: Folds, edition_id: int, *, keep: bool = True) -> Event:
    edition = reader.get(Edition, edition_id)
    entrants = reader.find(Entrant, edition_id=edition_id)
    people = reader.find(Person, id=[e.person_id for e in entrants]) if entrants else []
    rounds = sorted(reader.find(Round, edition_id=edition_id), key=lambda r: r.id)
    matches = {m.id: m for m in reader.find(Match, edition_id=edition_id)}
    return Event(
        edition=edition,
        rules=ruleset_of(edition.ruleset),
        ledger=folds.of(reader, edition, keep=keep),
        entered={e.id: e for e in entrants},
        people={p.id: p for p in people},
        rounds=tuple(rounds),
        matches=matches,
        moves=_moves(reader, matches),
    )


def _moves(reader: Reader, matches: Mapping[int, Match]) -> Mapping[int, tuple[Move, ...]]:
    found: dict[int, tuple[Move, ...]] = {}
    for offer in reader.find(Offer, moves=True, state=OfferState.ACCEPTED):
        if offer.match_id in matches and offer.changed_at is not None:
            move = Move(offer.changed_at, offer.chosen or offer.starts_at)
            found[offer.match_id] = (*found.get(offer.match_id, ()), move)
    return found


def current_edition(reader: Reader, guild_id: int) -> Edition:
    """The newest edition of a server that is no draft, else its draft; NotFound("no_edition") when there is none."""
    editions = reader.find(Edition, guild_id=guild_id)
    if not editions:
        raise NotFound("no_edition")
    return next((e for e in reversed(editions) if e.state is not EditionState.DRAFT), editions[-1])


def current_event(reader: Reader, folds: Folds, guild_id: int, *, keep: bool = True) -> Event:
    return load_event(reader, folds, current_edition(reader, guild_id).id, keep=keep)


def server_of(reader: Reader, guild_id: int) -> Server:
    server = reader.one(Server, guild_id=guild_id)
    if server is None:
        raise NotFound("no_setup")
    return server


def known_person(reader: Reader, actor: Actor) -> Person | None:
    return reader.one(Person, discord_id=actor.discord_id)


def person_of(store: Store, actor: Actor) -> Person:
    """The person behind the actor, stored at first sight; the name follows Discord."""
    person = known_person(store, actor)
    if person is None:
        return store.add(Person(discord_id=actor.discord_id, name=actor.name))
    if person.name != actor.name:
        person = store.save(replace(person, name=actor.name))
    return person


def require_td(reader: Reader, actor: Actor) -> None:
    """R1.2: the TD role that `/td setup` named, whatever Discord shows or hides."""
    server = server_of(reader, actor.guild_id)
    if server.td_role_id is None or server.td_role_id not in actor.role_ids:
        raise NotAllowed("td_only", clause="R1.2")


def record(
    store: Store,
    edition_id: int,
    event: FactEvent,
    now: datetime,
    *,
    authority: Authority = Authority.SYSTEM,
    author: Person | None = None,
    reason: str | None = None,
    clause: str | None = None,
    command_id: str | None = None,
    occurred_at: datetime | None = None,
) -> Fact:
    """Appends one fact; a reason becomes a note of its own so that it can be erased."""
    note = None
    if reason:
        note = store.add(Note(edition_id=edition_id, author_id=author.id if author else None, text=reason, made_at=now))
    return store.append(
        Fact(
            edition_id=edition_id,
            kind=kind_of(event),
            payload=encode(event),
            authority=authority,
            author_id=author.id if author else None,
            reason_note_id=note.id if note else None,
            clause=clause,
            command_id=command_id,
            occurred_at=occurred_at or now,
            recorded_at=now,
        )
    )
