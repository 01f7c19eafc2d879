"""Words about single games of a match: what TDs are asked, what a ruling would change, what the players are told."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from cogs.render import times
from cogs.render.faults import game_words, words_of
from cogs.render.matches import LICHESS, overdue_text, score_line
from cogs.render.message import TEXT_LIMIT, Button, Message, escape
from cogs.render.scores import result_text
from cogs.render.tied import decides, is_bidding, score_so_far, stands
from engine import facts as said
from engine.facts import CountedGame, GameDecision, GameRuled
from engine.game_rulings import OPEN_TO_GAMES
from engine.model import KNOCKOUT, Match
from engine.points import show_score
from engine.ports import LichessGame
from engine.rulings import Preview
from engine.scoring import Fault, game_points
from engine.tournament import Tournament
from engine.usecases.context import Event
from engine.usecases.game_rulings import GameRulingView, GameSeen, version_of
from engine.usecases.matches import MatchView, Phase, label

NAMED = 6
"""So many players are named of those whose place in the table changes."""
ASKED = 3
"""So many games of one notice have buttons; the command has all."""

DECISIONS = {
    GameDecision.ACCEPTED: "It counts",
    GameDecision.STRUCK: "It does not count",
    GameDecision.REPLAY: "It does not count, they play it again",
}
EXTRA = "stays an **extra game** and decides nothing: the armageddon game is begun after the colours are known (§3.16)"
_BOTH_ASK = frozenset({Fault.WRONG_VARIANT, Fault.CASUAL, Fault.WRONG_CLOCK, Fault.TOURNAMENT_GAME})


# --- To the TDs -----------------------------------------------------------------------------------------------------


def asked(event: Event, match: Match, params: Mapping[str, Any]) -> tuple[str, tuple[Button, ...]]:
    """The games of a notice, each with what became of it, and the buttons of those that wait."""
    ruled, ids = event.tournament.ruled_games.get(match.id, {}), list(params.get("games", ()))
    lines = [f"<{LICHESS}/{id}>" + (f" ✓ {game_words(ruled[id])}" if id in ruled else "") for id in ids]
    result = event.tournament.results.get(match.id)
    alone = event.terms(match).decider_alone and event.colours(match) is None  # no game can count (Q33)
    is_open = not alone and (result is None or result.kind in OPEN_TO_GAMES)
    asked = ids[:1] if params.get("cause") == "early" else ids  # the first brings those after it
    waiting = [id for id in asked if id not in ruled] if is_open else []
    buttons: list[Button] = []
    for number, id in enumerate(asked, start=1):
        if id in waiting[:ASKED]:
            which = f"Game {number}: " if len(asked) > 1 else ""
            buttons += [
                Button("rule-game", f"{match.id}.{id}.{GameDecision.ACCEPTED}", f"{which}it counts…", "good"),
                Button("rule-game", f"{match.id}.{id}.{GameDecision.REPLAY}", f"{which}play it again…"),
            ]
    return " ".join(lines), tuple(buttons)


def why_asked(event: Event, match: Match, params: Mapping[str, Any]) -> str:
    """Why a TD is asked about these games."""
    match params.get("cause"):
        case "asked":
            wrong = words_of(Fault(fault) for fault in params["faults"])
            return f"both players ask you to count a game that does not count by the rules: {wrong} (§3.1)"
        case "early":
            return (
                "they were begun too long before the agreed time, so they do not count (§5.2). If both meant them as "
                "their match, count the first: those after it count with it"
            )
        case "gone":
            return (
                "it has counted, and Lichess does not show it any more. I have kept it, and it stays in the score; the "
                "match waits for your word. If it was played, it counts"
            )
        case "account":
            return "a player names a game from another account; it counts only if you say so (§2.6: a second account?)"
        case _ if event.colours(match) is not None:
            return (
                "the armageddon game has no record of the clocks on Lichess, or an end that only you can judge. Before "
                "the second move White's clock must be at or below the bid (§3.16): look at it there, or ask both"
            )
        case _:
            return "Lichess ended a game by `cheat`, `timeout` or unknown. There is no result until a TD has judged it"


def choice(seen: GameSeen) -> str:
    """A line of the autocomplete."""
    game = seen.game
    sides = f"{game.white or '?'} {_score(game)} {game.black or '?'}"
    if seen.said is not None:
        how = f"a TD: {game_words(seen.said)}"
    elif seen.faults:
        how = words_of(seen.faults)
    else:
        how = "after the decision" if seen.extra else "counts"
    return f"{times.short(game.created_at)} {sides} · {how}"[:100]


def preview(view: GameRulingView) -> Message:
    """Before a decision about a game: the game, how the match stands now and would stand then."""
    seen, outcome = view.seen, view.outcome
    event = outcome.event
    lines = [f"**{DECISIONS[view.decision]}?** {_about(event, seen)}", *_change(view)]
    if view.decision is GameDecision.ACCEPTED and not _BOTH_ASK.isdisjoint(seen.faults):
        lines.append("Players cannot waive the settings: by the rules you count it only if both ask for it (§3.1).")
    if view.decision is GameDecision.ACCEPTED and Fault.TOO_EARLY in seen.faults:
        lines.append("The match is then played from this game on: those after it count, too.")
    lines += _decides_nothing(view)
    arg = f"{seen.match.id}.{seen.game.id}.{view.decision}.{version_of(event, seen.match.id)}"
    style = "good" if view.decision is GameDecision.ACCEPTED else "danger"
    button = Button("rule-game-now", arg, f"{DECISIONS[view.decision]}…"[:80], style)
    return Message("\n".join([*lines, "Nothing is recorded yet."])[:TEXT_LIMIT], (button,))


def ruled(view: GameRulingView) -> Message:
    """What was recorded, with before and after."""
    about = _about(view.outcome.event, view.seen)
    nothing = _decides_nothing(view)
    recorded = "Recorded" if nothing else f"Recorded: the game {game_words(view.decision)}"
    lines = [f"{recorded}. {about}", *_change(view), *nothing]
    lines.append("Both players are told, and the other TDs read it in their channel with your name and reason.")
    return Message("\n".join(lines)[:TEXT_LIMIT])


def _decides_nothing(view: GameRulingView) -> list[str]:
    """R3.16: of a game that a TD counts at a tie."""
    event, match, after = view.outcome.event, view.seen.match, view.outcome.preview.after.tournament
    if view.decision is not GameDecision.ACCEPTED or match.id in after.results or not event.is_tied(match, after):
        return []
    counted = (*after.begun.get(match.id, ()), *after.begun_tiebreaks.get(match.id, ()))
    return [] if any(game.game_id == view.seen.game.id for game in counted) else [f"It {EXTRA}."]


def _about(event: Event, seen: GameSeen) -> str:
    game = seen.game
    sides = f"{escape(game.white or '?')} {_score(game)} {escape(game.black or '?')}"
    wrong = f" ({words_of(seen.faults)})" if seen.faults else " (after the decision)" if seen.extra else ""
    link = f"[the game of {times.utc(game.created_at)}](<{LICHESS}/{game.id}>)"
    return f"{escape(label(event, seen.match))}: {link}, {sides}{wrong}."


def _score(game: LichessGame) -> str:
    return {"white": "1–0", "black": "0–1"}.get(game.winner or "", "½–½")


def _change(view: GameRulingView) -> list[str]:
    event, match, seen = view.outcome.event, view.seen.match, view.outcome.preview
    lines = [
        f"Now: {stands_in(event, match, seen.before.tournament)}.",
        f"Then: {stands_in(event, match, seen.after.tournament)}.",
    ]
    if seen.lines:
        lines.append(f"{table_changes(event, seen, (match.a_id, match.b_id))}.")
    if seen.outdated:
        numbers = ", ".join(str(event.round(one.round_id).number) for one in seen.outdated)
        lines.append(f"Paired before this was known, and left as it is: round {numbers}.")
    return lines


def table_changes(event: Event, seen: Preview, first: Collection[int]) -> str:
    """Whose place or points change, those it is about first: one result moves half of a long table by a place."""
    ids = sorted({line.entrant_id for line in seen.lines}, key=lambda id: id not in first)
    shown = [escape(event.name(id)) for id in ids[:NAMED]]
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return f"The table changes for {', '.join(shown)}{more}"


def stands_in(event: Event, match: Match, tournament: Tournament) -> str:
    """The score in one state of the edition, and who has won by it or what decides (R3.3, R3.13-R3.16)."""
    a, b = escape(event.name(match.a_id)), escape(event.name(match.b_id))
    result = tournament.results.get(match.id)
    if result is None:
        what = decides(event, match, tournament)
        return f"{score_so_far(event, match, tournament)}, open{f': {what}' if what else ''}"
    text = result_text(result, ((match.a_id, a), (match.b_id, b)))
    if event.round_of(match).stage in KNOCKOUT and result.a != result.b and result.armageddon is None:
        text += f", {a if result.a > result.b else b} wins"
    return text + (f", {len(result.extra)} extra" if result.extra else "")


def _games(games: Sequence[CountedGame]) -> str:
    return show_score(*game_points(games))


# --- To the players -------------------------------------------------------------------------------------------------


def told(view: MatchView, fact: GameRuled) -> str:
    """What a TD has said of a game, and what it does to the match."""
    link = f"[this game](<{LICHESS}/{fact.game_id}>)"
    if fact.decision is GameDecision.ACCEPTED and is_extra(view, fact.game_id):
        return f"a TD has looked at {link}: it {EXTRA}. {how_it_goes_on(view)}"
    text = f"a TD has looked at {link}: it **{_verdict(fact.decision)}**."
    again = view.phase not in (Phase.FINISHED, Phase.OVERDUE) and not is_bidding(view)
    if fact.decision is GameDecision.REPLAY and again:
        text += " Please play it again."
    return f"{text} {how_it_goes_on(view)}"


def is_extra(view: MatchView, game_id: str) -> bool:
    """R3.16: a TD has counted a game at a tie which is not the armageddon game, whose colours were not known yet."""
    if view.result is not None:
        return view.result.armageddon is not None and game_id in view.result.extra
    counted = {game.game_id for game in (*view.begun, *view.begun_tiebreak)}
    return view.tied_at is not None and game_id not in counted


def verdict(view: MatchView, game_id: str) -> str:
    """What a TD has said of a game of the match: `counts`."""
    said = view.ruled_games[game_id]
    return EXTRA if said is GameDecision.ACCEPTED and is_extra(view, game_id) else game_words(said)


def _verdict(decision: GameDecision) -> str:
    return "counts" if decision is GameDecision.ACCEPTED else "does not count"


def how_it_goes_on(view: MatchView) -> str:
    """After a ruling about a game, of a match without a result."""
    if view.phase is Phase.FINISHED:
        return ""
    if view.tied_at is not None:
        return f"So far: {score_line(view)}. {overdue_text(view) if view.phase is Phase.OVERDUE else stands(view)}"
    so_far = f"{escape(view.a.entrant.name)} {_games(view.begun)} {escape(view.b.entrant.name)}"
    if view.phase is Phase.OVERDUE:
        return f"So far: {so_far}; the match is not decided, and its time is over: the TDs decide how it goes on."
    again = "open again" if view.reopened else "not decided"
    return f"So far: {so_far}; the match is {again}: play on, by {times.deadline(view.play_by)}."


def ruled_about(event: said.Event) -> str:
    """Of a ruling that was taken back."""
    assert isinstance(event, GameRuled)
    return f"that [a game](<{LICHESS}/{event.game_id}>) {game_words(event.decision)}"
