"""Words for the TD channel: what waits for a human, why, and the next step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from cogs.render import absence, breaks, decisions, games, stage_notices, times, unagreed, undoing, unplayed
from cogs.render.directors import extend_match, lacking_lines
from cogs.render.eligibility import LICHESS
from cogs.render.facts import sentence
from cogs.render.message import TEXT_LIMIT, Button, Link, Message, escape
from cogs.render.titles import round_title, round_words
from cogs.render.unplayed import MATCHES_SHOWN
from engine.chain import root_of
from engine.facts import DutyWaived, FaultFound, decode
from engine.model import Authority, Fact, Person
from engine.points import show_score
from engine.rulings import reversible
from engine.terms import BOTH_FAILED
from engine.usecases.context import Event
from engine.usecases.matches import due_out

Params = Mapping[str, Any]


def _registration_still_open(event: Event, p: Params) -> Message:
    return Message(
        f"**{escape(event.edition.title)}: the first pairings are due**, but registration is still open. Decide the "
        "pending entries, then run `/td edition close`; the round is published at once."
    )


def _registration_due(event: Event, p: Params) -> Message:
    return Message(
        f"**{escape(event.edition.title)}: registration was to close today.** Decide the pending entries, then run "
        "`/td edition close`; it stays open until you do."
    )


def _late_entries(event: Event, p: Params) -> Message:
    names = ", ".join(map(escape, p["names"][:MATCHES_SHOWN])) + (", …" if len(p["names"]) > MATCHES_SHOWN else "")
    ends = datetime.fromisoformat(p["ends"])
    return Message(
        f"**Late entries wait for you: {names}.** Decide them on their cards before the next pairings, "
        f"{times.soon(ends)}; afterwards nobody can come in (§2.8)."
    )


def _published_late(event: Event, p: Params) -> Message:
    round = event.round(p["round_id"])
    offers_by = times.deadline(round.offers_by)
    if p["moved"]:
        return Message(
            f"**{round_title(round)} came out so late that it moved**, and all later rounds with it: offers by "
            f"{offers_by}, play by {times.deadline(round.matches_by)}. The pairings post says so."
        )
    hours = int(event.rules.week.late_publication.total_seconds() // 3600)
    return Message(
        f"**{round_title(round)} came out late.** The deadlines of the calendar stand: offers by {offers_by}. "
        f"Less than {hours} hours are left for them; consider extending the round."
    )


_WHY_NOT = {"": "everybody who could have the bye has had one", "no_opponents_left": "too many have met already"}


def _cannot_pair(event: Event, p: Params) -> Message:
    return Message(
        f"**Round {p['number']} cannot be paired** under the rules: {_WHY_NOT.get(p['reason'], 'too many have met')}. "
        "Publish it with `/td round publish allow:` and a reason; the fewest rematches, or a second bye, are allowed."
    )


def _score_without_games(event: Event, p: Params) -> Message:
    match = event.matches[p["match_id"]]
    a, b = escape(event.name(match.a_id)), escape(event.name(match.b_id))
    if "claims" in p:
        says = "; ".join(f"{escape(event.name(by))} says {a} {show_score(*score)} {b}" for by, *score in p["claims"])
    else:  # from before claims were kept
        says = f"by {escape(event.name(p['entrant_id']))}"
    return Message(
        f"**A score without games** was reported for {absence.line(event, p)}: {says}. It is not a result: ask for the "
        "links, or rule."
    )


def _games_need_td(event: Event, p: Params) -> Message:
    match = event.matches[p["match_id"]]
    links, buttons = games.asked(event, match, p)
    why = games.why_asked(event, match, p)
    return Message(f"**A game needs your look**: {absence.line(event, p)}: {why}. {links}", buttons)


def _both_closed(event: Event, p: Params) -> Message:
    match = event.matches[p["match_id"]]
    ids = [account.lichess_id for id in (match.a_id, match.b_id) for account in event.accounts(id)][:4]
    return Message(
        f"**Both accounts are closed**: {absence.line(event, p)}. Lichess lists no game of these two any more, so "
        "I cannot follow the match, and a report finds none; what has counted stays. Ask both for the links of what "
        "they have played: `/td-match games` counts each by its link. If they are still to play, `/td-player account` "
        "gives them another account.",
        tuple(Link(f"{LICHESS}/@/{id}", "Profile") for id in ids),
    )


def _asked_to_allow(event: Event, p: Params) -> Message:
    match = event.matches[p["match_id"]]
    result = event.tournament.results.get(match.id)
    still = result is not None and result.forfeit == BOTH_FAILED and event.is_settled(match)
    return Message(
        f"**{escape(event.name(p['entrant_id']))} asks to play all the same**: {absence.line(event, p)}. By §5.6 it is "
        "a draw with a forfeit of each; a played result replaces that (§5.10).",
        (decisions.allow(match.id),) if still else (),
    )


def _asked_to_extend(event: Event, p: Params) -> Message:
    match = event.matches[p["match_id"]]
    return Message(
        f"**{escape(event.name(p['entrant_id']))} asks for more time**: {absence.line(event, p)}, to be played by "
        f"{times.deadline(event.window(match).closes)} (§5.10).",
        () if event.has_result(match) else (extend_match(match.id), decisions.td_set_time(match.id)),
    )


def _allowed_unreported(event: Event, p: Params) -> Message:
    return Message(
        f"**Played but not reported**: {absence.line(event, p)}. A TD let them play in spite of §5.6, and there are "
        "games of theirs on Lichess. Their report replaces the draw and the forfeits; until then these stand."
    )


def _second_account(event: Event, p: Params) -> Message:
    return Message(
        "**A second account**: one person has entered with two accounts, or two people with one. By §2.6 all of their "
        "entries wait. Their cards are in this channel; `/td entry list` has them. Reject all but one before you "
        "approve that one."
    )


def _entry_taken_back(event: Event, p: Params) -> Message:
    return Message(f"**{escape(p['name'])} has taken back an entry that you had approved.** Nothing to do.")


def _back_in(event: Event, p: Params) -> Message:
    return Message(
        f"**{escape(event.name(p['entrant_id']))} is in the event again**: a played result has replaced a forfeit, so "
        "the disqualification no longer stands. They are paired from the next round on."
    )


_SEEN = {
    "marked": "Lichess has **marked** it for breaking its terms; which kind and since when it does not show (§7.3)",
    "unmarked": "the mark of Lichess is **gone**: if it was the ground of a ruling, take that back",
    "closed": "it is **closed** now; that alone is neither a mark nor a withdrawal",
    "reopened": "it is **open** again",
}


def _account_looks_different(event: Event, p: Params) -> Message:
    entrant_id, name = p["entrant_id"], escape(p["name"])
    seen = [_SEEN[change] for change in p["changes"] if change in _SEEN]
    if "renamed" in p["changes"]:
        seen.append(f"it was shown as {escape(p['was'])} until now; the player is shown as {name}")
    is_in = event.tournament.is_in(entrant_id)
    then = "You decide." if is_in else "The player is out of the event."
    shown = escape(event.name(entrant_id))
    whose = shown if event.entrants[entrant_id].lichess_id == p["lichess_id"] else f"{name}, an account of {shown}"
    buttons = (Button("disqualify", entrant_id, "Disqualify…", "danger"),) if is_in else ()
    return Message(
        f"**An account looks different:** {whose}: {'; '.join(seen)}. {then}",
        (*buttons, Link(f"{LICHESS}/@/{p['lichess_id']}", "Profile")),
    )


def _player_left_server(event: Event, p: Params) -> Message:
    name, since = escape(event.name(p["entrant_id"])), times.utc(datetime.fromisoformat(p["since"]))
    if p["back"]:
        return Message(f"✓ **Back in the server:** {name}, who was gone since {since}.")
    return Message(
        f"**A player has left the server:** {name}, noticed {since}. They stay in the event and are paired on; I can't "
        "reach them. Write to them on Lichess.",
        (Link(f"{LICHESS}/@/{event.entrants[p['entrant_id']].lichess_id}", "Profile"),),
    )


_TEXTS: dict[str, Callable[[Event, Params], Message]] = {
    "round_waits": unplayed.round_waits,
    "unplayed": unplayed.unplayed,
    "unfinished": unplayed.unfinished,
    "extension_over": unplayed.extension_over,
    "registration_still_open": _registration_still_open,
    "registration_due": _registration_due,
    "late_entries": _late_entries,
    "seating": stage_notices.seating,
    "stage_waits": stage_notices.stage_waits,
    "seats_empty": stage_notices.seats_empty,
    "playoff_open": stage_notices.playoff_open,
    "published_late": _published_late,
    "cannot_pair": _cannot_pair,
    "score_without_games": _score_without_games,
    "games_need_td": _games_need_td,
    "both_closed": _both_closed,
    "both_failed_but": unagreed.both_failed_but,
    "time_to_set": unagreed.time_to_set,
    "asked_to_allow": _asked_to_allow,
    "asked_to_extend": _asked_to_extend,
    "allowed_unreported": _allowed_unreported,
    "second_account": _second_account,
    "entry_taken_back": _entry_taken_back,
    "back_in": _back_in,
    "account_looks_different": _account_looks_different,
    "player_left_server": _player_left_server,
    "opponent_absent": absence.opponent_absent,
    "absences_cross": absence.absences_cross,
    "opponent_left": breaks.opponent_left,
    "td_called": breaks.td_called,
}


def known_codes() -> frozenset[str]:
    return frozenset(_TEXTS)


def td_notice(event: Event, code: str, params: Params) -> Message:
    return _TEXTS[code](event, params)


_PROBLEMS = {
    "missing_channel": "the channel or thread does not exist any more",
    "missing_permission": "I may not write there",
    "wrong_channel_kind": "it is neither a text channel nor a forum",
    "too_many_threads": "this server has as many open threads as Discord allows; archive some",
    "no_answer": "Discord has given no clear answer for hours",
    "refused": "Discord refused the message",
    "cannot_render": "its text could not be made; the log says why",
}


_CLAIMS = {"no_show": "**Claim of a no-show** by", "left": "**Claim of a match that was left** by"}


def ruling(event: Event, fact_id: int, by: str, reason: str, outdated: Sequence[int]) -> Message:
    """Every decision of a TD, with who and why, for the other TDs. `outdated`: ids of rounds paired before it."""
    first = next(fact for fact in event.ledger.facts if fact.id == fact_id)
    # One ruling has one note with its reason; what a rule does by itself has no command.
    together = [f for f in event.ledger.facts if f.reason_note_id == first.reason_note_id and f.id >= first.id]
    told = [f"• {sentence(event, fact)}" for fact in together[:MATCHES_SHOWN]]
    if len(together) > MATCHES_SHOWN:
        told.append(f"• and {len(together) - MATCHES_SHOWN} more")
    head = "**Ruling** by"
    if first.authority is Authority.PLAYER:
        head = _CLAIMS.get(str(first.payload.get("forfeit")), "**Withdrawal** by")
    lines = [f"{head} {escape(by)}:", *told, f"Reason: {escape(reason)}", *_consequences(event, together)]
    if outdated:
        rounds = ", ".join(round_words(event.round(id).stage, event.round(id).number) for id in outdated)
        lines.append(f"Paired before this was known, and left as it is: {rounds}.")
    return Message("\n".join(lines)[:TEXT_LIMIT], _ways_back(event, together))


def _consequences(event: Event, facts: Sequence[Fact]) -> list[str]:
    """What else follows, which nobody would see otherwise."""
    out = due_out(event)
    forfeited = {id for fact in facts for id in fact.payload.get("forfeited_by", ())}
    lines = [
        f"⚠ {escape(event.name(id))} has forfeited in two matches now and is out of the event with the next pairings "
        "(§6.5), unless this is taken back or a played result replaces it."
        for id in sorted(forfeited & out)
    ]
    by_id = {fact.id: fact for fact in event.ledger.facts}
    for fact in facts:
        lines += stage_notices.seat_stays(event, decode(root_of(fact, by_id)[0]))
        said = decode(root_of(fact, by_id)[0])
        match = event.matches.get(getattr(said, "match_id", 0))
        if match is None or not isinstance(said, FaultFound | DutyWaived) or match.agreed_at is None:
            continue
        chosen = event.terms(match).set
        if chosen is not None and chosen.by is not None and match.agreed_at == chosen.at:
            lines.append(
                f"The time that {escape(event.name(chosen.by))} has set by the fault, {times.utc(chosen.at)}, still "
                "stands: `/td-match time` sets another."
            )
    return lines


def _ways_back(event: Event, facts: Sequence[Fact]) -> tuple[Button, ...]:
    """The undo of what still stands; before it, where §5.6 ruled, *Let them play* (Q2), as long as there is time."""
    standing = {fact.id for fact in reversible(event.championship)}
    ways = [undoing.button(fact.id) for fact in facts if fact.id in standing]
    undo = ways if len(ways) == 1 else []  # of several decisions `/td undo` asks which
    found = (fact.payload["match_id"] for fact in facts if fact.payload.get("forfeit") == BOTH_FAILED)
    results = event.tournament.results
    failed = (id for id in found if id in results and results[id].forfeit == BOTH_FAILED)
    return (*(decisions.allow(id) for id in failed if event.is_settled(event.matches[id])), *undo)


def undelivered(person: Person) -> Message:
    """A direct message that Discord refuses because the person takes none."""
    return Message(
        f"{escape(person.name)} takes no direct messages from this server, so I could not tell them a decision. "
        "`/hub` shows it to them; you may want to write to them."
    )


def stuck(target: str, problem: str, healed: bool) -> Message:
    """Messages that cannot be delivered; said once per place, and again in the same message when they have arrived."""
    place = {"channel": "the channel for " + target.partition(":")[2], "thread": "a match thread"}
    where = place.get(target.partition(":")[0], "a direct message")
    if healed:
        return Message(f"✓ **Delivered:** what was stuck for {where} has arrived.")
    return Message(
        f"**Messages are stuck:** {where}: {_PROBLEMS.get(problem, problem)}. Nothing is lost. Repair it, then run "
        "`/td setup`: everything that waits is delivered then."
    )


def place_troubles(lacking: Mapping[str, Sequence[str]], *, superseded: bool) -> Message:
    """What the bot lacks in its channels; the same message says so when all of it is repaired."""
    if superseded:
        return Message("I could not do my work everywhere; a newer notice below says how it is now.")
    if not lacking:
        return Message("✓ **Repaired:** I can write in all my channels again.")
    return Message(
        "\n".join(
            [
                "**I cannot do my work everywhere.** Nothing is lost: what cannot be posted is delivered when this is "
                "repaired.",
                *lacking_lines(lacking),
            ]
        )
    )


def directors_cut_off() -> Message:
    return Message(
        "⚠ **I cannot write in the TD channel**, so notices wait there. Give me *View Channel* and *Send "
        "Messages* in it, or run `/td setup` if it was deleted."
    )
