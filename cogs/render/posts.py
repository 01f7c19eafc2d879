"""Every kind of post the outbox can hold, rendered from the state of this moment: an edit is just a new rendering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from cogs.render import (
    armageddon,
    decisions,
    editions,
    entries,
    evening,
    matches,
    notices,
    offers,
    players,
    schedule,
    seatings,
    stages,
    tables,
    timers,
)
from cogs.render import reminders as pings
from cogs.render.message import Message, Thread
from cogs.render.timeline import evidence
from engine.armageddon import Bidding
from engine.calendar import reminders
from engine.chain import chain, root_of
from engine.errors import Conflict, NotFound
from engine.facts import TimerRuled, decode
from engine.model import Dispute, Note, Offer, Person, Post, Report, Round, Stage
from engine.ports import Clock, Reader
from engine.reminders import Kind
from engine.timers import Timer
from engine.tournament import ResultKind
from engine.usecases.account_changes import view_change
from engine.usecases.bids import bidding_of
from engine.usecases.context import Event, Folds, load_event
from engine.usecases.due_reminders import owed_in
from engine.usecases.editions import load_edition
from engine.usecases.entries import load_entry
from engine.usecases.evidence import dossier
from engine.usecases.matches import MatchView, Phase, load_match
from engine.usecases.occurrences import load_agenda
from engine.usecases.posts import LiveScore, card_key
from engine.usecases.tables import pairings_part, standings_view
from engine.usecases.timer_posts import Told, told_of
from engine.usecases.timetable import schedule_part

Rendered = Message | Thread


class PostRenderer:
    """`kind` of a post -> its words. Called on a reading thread."""

    def __init__(self, folds: Folds, clock: Clock) -> None:
        self._folds = folds
        self._clock = clock

    def __call__(self, reader: Reader, post: Post) -> Rendered | None:
        """None when there is nothing to say any more. KeyError for an unknown kind: a programming error."""
        return _KINDS[post.kind](self, reader, post)

    def _match(self, reader: Reader, post: Post) -> MatchView:
        return load_match(reader, self._folds, int(post.payload["match_id"]), self._clock.now())

    def _event_of_round(self, reader: Reader, post: Post) -> Event:
        round = reader.get(Round, int(post.payload["round_id"]))
        return load_event(reader, self._folds, round.edition_id)

    def edition_news(self, reader: Reader, post: Post) -> Rendered:
        return editions.edition_news(load_edition(reader, post.payload["edition_id"]), post.payload["news"])

    def seeds(self, reader: Reader, post: Post) -> Rendered:
        return editions.seeds_post(load_edition(reader, post.payload["edition_id"]), post.payload["part"])

    def entry_card(self, reader: Reader, post: Post) -> Rendered:
        return entries.entry_card(load_entry(reader, post.payload["registration_id"]))

    def entry_decided(self, reader: Reader, post: Post) -> Rendered | None:
        view = load_entry(reader, post.payload["registration_id"])
        return entries.entry_told(view, post.payload["what"])

    def entry_added(self, reader: Reader, post: Post) -> Rendered:
        return entries.entry_added(load_entry(reader, post.payload["registration_id"]))

    def exit_told(self, reader: Reader, post: Post) -> Rendered:
        event = load_event(reader, self._folds, post.payload["edition_id"])
        return editions.exit_told(event, post.payload["entrant_id"])

    def seat_told(self, reader: Reader, post: Post) -> Rendered:
        event = load_event(reader, self._folds, post.payload["edition_id"])
        return seatings.seat_told(event, post.payload["entrant_id"], Stage(post.payload["stage"]))

    def account_card(self, reader: Reader, post: Post) -> Rendered:
        event = load_event(reader, self._folds, post.payload["edition_id"])
        try:
            return players.account_card(view_change(reader, event, post.payload["change_id"]))
        except NotFound:
            return players.account_erased()

    def account_told(self, reader: Reader, post: Post) -> Rendered:
        event = load_event(reader, self._folds, post.payload["edition_id"])
        return players.account_told(event, post.payload["entrant_id"])

    def opponent_account_told(self, reader: Reader, post: Post) -> Rendered:
        event = load_event(reader, self._folds, post.payload["edition_id"])
        return players.opponent_account_told(event, post.payload["entrant_id"])

    def welcome_back(self, reader: Reader, post: Post) -> Rendered:
        event = load_event(reader, self._folds, post.payload["edition_id"])
        return players.welcome_back(event, post.payload["entrant_id"])

    def pairings(self, reader: Reader, post: Post) -> Rendered:
        event = self._event_of_round(reader, post)
        part = pairings_part(reader, event, post.payload["round_id"], post.payload["part"], self._clock.now())
        return tables.pairings_post(part)

    def schedule(self, reader: Reader, post: Post) -> Rendered | None:
        event = self._event_of_round(reader, post)
        part = schedule_part(reader, event, post.payload["round_id"], post.payload["part"], self._clock.now())
        return schedule.schedule_post(part, is_there=post.message_id is not None)

    def standings(self, reader: Reader, post: Post) -> Rendered:
        event = self._event_of_round(reader, post)
        round = event.round(post.payload["round_id"])
        if round.stage is not Stage.QUALIFICATION:
            return stages.stage_table(event, round)
        return tables.standings_post(standings_view(event, round.number, part=post.payload["part"]))

    def champion(self, reader: Reader, post: Post) -> Rendered | None:
        event = load_event(reader, self._folds, post.payload["edition_id"])
        try:
            return stages.champion(event)
        except Conflict:  # a final is open again
            return stages.champion_awaited(event) if post.sent else None

    def match_thread(self, reader: Reader, post: Post) -> Rendered:
        view = self._match(reader, post)
        card = reader.one(Post, key=card_key(view.match.id))
        assert card is not None  # owed together with the thread
        return Thread(matches.thread_name(view), matches.TAGS[view.phase], matches.card(view), card.key, card.wanted)

    def match_card(self, reader: Reader, post: Post) -> Rendered:
        return matches.card(self._match(reader, post))

    def offers_made(self, reader: Reader, post: Post) -> Rendered:
        made = reader.find(Offer, id=list(post.payload["offer_ids"]))
        note_id = next((offer.note_id for offer in made if offer.note_id is not None), None)
        note = reader.get(Note, note_id).text if note_id is not None else ""
        return offers.offers_made(self._match(reader, post), post.payload["entrant_id"], made, note)

    def decided(self, reader: Reader, post: Post) -> Rendered | None:
        """The last part of the key is the fact: so it is in posts of the kind `extended`, from before `decided`. None
        when it was taken back before anybody was told of it."""
        view = self._match(reader, post)
        ledger = self._event_of(reader, view).ledger.facts
        fact_id = int(post.key.rpartition(":")[2])
        fact = next(fact for fact in ledger if fact.id == fact_id)
        if not any(entry.fact.id == fact.id for entry in chain(ledger).entries):
            return decisions.outdated() if post.sent else None
        if fact.reverts_id is None:
            return decisions.decided(view, fact)
        by_id = {known.id: known for known in ledger}
        together = [f for f in ledger if f.id >= fact.id and f.reason_note_id == fact.reason_note_id]
        roots = (root_of(f, by_id) for f in together if f.reverts_id is not None)
        ended = [decode(root) for root, _ in roots if root.payload.get("match_id") == view.match.id]
        _, restored = root_of(fact, by_id)
        waits = [reader.get(Timer, one.timer_id) for one in ended if isinstance(one, TimerRuled)]
        return decisions.taken_back(view, fact, ended, waits, restored=restored)

    def dispute(self, reader: Reader, post: Post) -> Rendered:
        view = self._match(reader, post)
        seen = dossier(reader, self._event_of(reader, view), view.match, self._clock.now())
        return decisions.dispute_card(view, reader.get(Dispute, post.payload["dispute_id"]), evidence(seen))

    def reports_differ(self, reader: Reader, post: Post) -> Rendered | None:
        """None when it was settled before anybody was told of it."""
        dispute = reader.get(Dispute, post.payload["dispute_id"])
        if dispute.outcome is not None and not post.sent:
            return None
        return decisions.reports_differ(self._match(reader, post), dispute)

    def _event_of(self, reader: Reader, view: MatchView) -> Event:
        return load_event(reader, self._folds, view.match.edition_id)

    def overdue(self, reader: Reader, post: Post) -> Rendered:
        return offers.overdue(self._match(reader, post))

    def round_waits(self, reader: Reader, post: Post) -> Rendered:
        return tables.round_waits(post.payload.get("stage", Stage.QUALIFICATION), post.payload["number"])

    def agreed(self, reader: Reader, post: Post) -> Rendered:
        return offers.agreed(self._match(reader, post), reader.get(Offer, post.payload["offer_id"]))

    def reminder(self, reader: Reader, post: Post) -> Rendered | None:
        """None when it could not be sent before the next one, or the deadline, said more; or the time is agreed."""
        view = self._match(reader, post)
        if not post.sent and self._is_over(view, post.payload["reminder"]):
            return None
        return offers.reminder(view, post.payload["entrant_ids"], post.payload["reminder"])

    def _is_over(self, view: MatchView, kind: str) -> bool:
        round = replace(view.round, offers_by=view.offers_by)
        coming = [r.at for r in reminders(view.rules, round)]
        own = next(r.at for r in reminders(view.rules, round) if r.kind == kind)
        ends = min((at for at in coming if at > own), default=view.offers_by)
        return view.phase is not Phase.NEGOTIATING or self._clock.now() >= ends

    def unanswered(self, reader: Reader, post: Post) -> Rendered | None:
        entrant_id, offer_ids = post.payload["entrant_id"], post.payload["offer_ids"]
        return pings.unanswered(self._match(reader, post), entrant_id, offer_ids, sent=bool(post.sent))

    def match_reminder(self, reader: Reader, post: Post) -> Rendered | None:
        p, view = post.payload, self._match(reader, post)
        agreed_at, expires = (datetime.fromisoformat(p[name]) for name in ("agreed_at", "expires"))
        sent = bool(post.sent)
        return pings.match_reminder(view, Kind(p["reminder"]), p["entrant_ids"], agreed_at, expires, sent=sent)

    def start(self, reader: Reader, post: Post) -> Rendered | None:
        p, view = post.payload, self._match(reader, post)
        agreed_at = datetime.fromisoformat(p["agreed_at"])
        if view.taken_back:
            return evening.taken_back(view)
        if view.phase is not Phase.FINISHED and "live" in p:
            return evening.live_call(view, score_of(p))
        return evening.start(view, p["challenge"], p["online"], agreed_at, sent=bool(post.sent))

    def tiebreak_due(self, reader: Reader, post: Post) -> Rendered | None:
        """None when it was known only after a tiebreak game, or taken back before anybody read it."""
        return stages.tiebreak_due(self._match(reader, post), sent=bool(post.sent))

    def reopened(self, reader: Reader, post: Post) -> Rendered | None:
        return stages.reopened(self._match(reader, post), sent=bool(post.sent))

    def tie(self, reader: Reader, post: Post) -> Rendered:
        view = self._match(reader, post)
        return armageddon.tie(view, self._bidding(reader, view, post))

    def throw(self, reader: Reader, post: Post) -> Rendered:
        view = self._match(reader, post)
        return armageddon.throw(view, self._bidding(reader, view, post), post.payload["number"])

    def colours(self, reader: Reader, post: Post) -> Rendered:
        view = self._match(reader, post)
        return armageddon.colours(view, post.payload["challenge"])

    def _bidding(self, reader: Reader, view: MatchView, post: Post) -> Bidding | None:
        """Of the tie that the post is about; None when there is another, or none."""
        if view.tied_at is not None and view.tied_at.isoformat() != post.payload["tied_at"]:
            return None
        return bidding_of(reader, self._event_of(reader, view), view.match, self._clock.now())

    def waits_for_td(self, reader: Reader, post: Post) -> Rendered | None:
        return evening.waits_for_td(self._match(reader, post), post.payload["game_id"])

    def not_counted(self, reader: Reader, post: Post) -> Rendered | None:
        p, view = post.payload, self._match(reader, post)
        return evening.not_counted(view, p["game_id"], p["faults"], p.get("asked", ()))

    def games_gone(self, reader: Reader, post: Post) -> Rendered:
        return evening.games_gone(self._match(reader, post), post.payload["games"])

    def early_games(self, reader: Reader, post: Post) -> Rendered:
        p, agreed_at = post.payload, datetime.fromisoformat(post.payload["agreed_at"])
        return evening.early_games(self._match(reader, post), p["games"], agreed_at)

    def timer(self, reader: Reader, post: Post) -> Rendered | None:
        return timers.called(self._told(reader, post), sent=bool(post.sent))

    def timer_told(self, reader: Reader, post: Post) -> Rendered | None:
        p, posts = post.payload, reader.find(Post, target=post.target, kind=post.kind)
        later = (one for one in posts if one.id > post.id and one.payload["timer_id"] == p["timer_id"])
        if p["what"] == "over" and any(one.payload["what"] == "over" for one in later):
            return timers.told_anew() if post.sent else None
        return timers.told(self._told(reader, post), p["what"], sent=bool(post.sent))

    def _told(self, reader: Reader, post: Post) -> Told:
        return told_of(reader, self._match(reader, post), reader.get(Timer, post.payload["timer_id"]))

    def owing(self, reader: Reader, post: Post) -> Rendered | None:
        """None when it could not be sent before everybody had offered or agreed, or before the deadline."""
        now = self._clock.now()
        round = reader.get(Round, int(post.payload["round_id"]))
        agenda = load_agenda(reader, self._folds, round.edition_id, now)
        owed = owed_in(agenda, round)
        if not post.sent and (not owed or now >= round.offers_by):
            return None
        return pings.owing(agenda.event, round, owed)

    def first_game_named(self, reader: Reader, post: Post) -> Rendered:
        return matches.first_game_named(self._match(reader, post), reader.get(Report, post.payload["report_id"]))

    def result(self, reader: Reader, post: Post) -> Rendered | None:
        """None when the result was taken back before anybody was told of it."""
        view = self._match(reader, post)
        if view.phase is not Phase.FINISHED and "live" in post.payload:
            return evening.live_post(view, score_of(post.payload))
        if view.result is None:
            return matches.result_taken_back(view) if post.sent else None
        to_players = post.target.startswith("thread:") and view.result.kind is ResultKind.DISREGARDED
        return stages.disregarded(view) if to_players else matches.result_post(view)

    def td_notice(self, reader: Reader, post: Post) -> Rendered:
        event = load_event(reader, self._folds, post.payload["edition_id"])
        return notices.td_notice(event, post.payload["code"], post.payload["params"])

    def ruling(self, reader: Reader, post: Post) -> Rendered:
        event = load_event(reader, self._folds, post.payload["edition_id"])
        fact_id = int(post.payload["fact_id"])
        fact = next(fact for fact in event.ledger.facts if fact.id == fact_id)
        by = reader.get(Person, fact.author_id).name if fact.author_id else "the bot"
        reason = reader.get(Note, fact.reason_note_id).text if fact.reason_note_id else ""
        return notices.ruling(event, fact_id, by, reason, post.payload["outdated"])

    def undelivered(self, reader: Reader, post: Post) -> Rendered:
        return notices.undelivered(reader.get(Person, post.payload["person_id"]))

    def stuck(self, reader: Reader, post: Post) -> Rendered:
        return notices.stuck(post.payload["target"], post.payload["problem"], post.payload.get("healed", False))

    def place_troubles(self, reader: Reader, post: Post) -> Rendered:
        return notices.place_troubles(post.payload["lacking"], superseded=post.payload.get("superseded", False))


_KINDS: dict[str, Callable[[PostRenderer, Reader, Post], Rendered | None]] = {
    "edition_news": PostRenderer.edition_news,
    "seeds": PostRenderer.seeds,
    "champion": PostRenderer.champion,
    "entry_card": PostRenderer.entry_card,
    "entry_decided": PostRenderer.entry_decided,
    "entry_added": PostRenderer.entry_added,
    "exit_told": PostRenderer.exit_told,
    "seat_told": PostRenderer.seat_told,
    "account_card": PostRenderer.account_card,
    "account_told": PostRenderer.account_told,
    "opponent_account_told": PostRenderer.opponent_account_told,
    "welcome_back": PostRenderer.welcome_back,
    "pairings": PostRenderer.pairings,
    "schedule": PostRenderer.schedule,
    "standings": PostRenderer.standings,
    "match_thread": PostRenderer.match_thread,
    "match_card": PostRenderer.match_card,
    "offers_made": PostRenderer.offers_made,
    "agreed": PostRenderer.agreed,
    "extended": PostRenderer.decided,
    "decided": PostRenderer.decided,
    "dispute": PostRenderer.dispute,
    "reports_differ": PostRenderer.reports_differ,
    "overdue": PostRenderer.overdue,
    "round_waits": PostRenderer.round_waits,
    "reminder": PostRenderer.reminder,
    "unanswered": PostRenderer.unanswered,
    "match_reminder": PostRenderer.match_reminder,
    "start": PostRenderer.start,
    "tiebreak_due": PostRenderer.tiebreak_due,
    "reopened": PostRenderer.reopened,
    "tie": PostRenderer.tie,
    "throw": PostRenderer.throw,
    "colours": PostRenderer.colours,
    "not_counted": PostRenderer.not_counted,
    "early_games": PostRenderer.early_games,
    "games_gone": PostRenderer.games_gone,
    "waits_for_td": PostRenderer.waits_for_td,
    "timer": PostRenderer.timer,
    "timer_told": PostRenderer.timer_told,
    "owing": PostRenderer.owing,
    "first_game_named": PostRenderer.first_game_named,
    "result": PostRenderer.result,
    "td_notice": PostRenderer.td_notice,
    "ruling": PostRenderer.ruling,
    "undelivered": PostRenderer.undelivered,
    "stuck": PostRenderer.stuck,
    "place_troubles": PostRenderer.place_troubles,
}


def score_of(payload: Mapping[str, Any]) -> LiveScore:
    return LiveScore(running=payload["running"], live=payload["live"], for_td=tuple(payload["for_td"]))


def known_kinds() -> frozenset[str]:
    return frozenset(_KINDS)
