"""Words of the evening of a match: the call to the board, the running score (R3.1, R3.3, R6)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from cogs.render import times
from cogs.render.absence import no_more_reports, propose
from cogs.render.faults import words_of
from cogs.render.games import verdict
from cogs.render.matches import (
    FOLLOWED,
    LICHESS,
    clock_text,
    game_links,
    games_wanted,
    overdue_buttons,
    overdue_text,
    pings_of,
    result_line,
    score_line,
)
from cogs.render.message import Button, Link, Message, escape, mention
from cogs.render.tied import due, due_buttons, is_bidding, stands, tells
from cogs.render.titles import match_title
from engine.scoring import Fault, more_than_half, stop_policy
from engine.usecases.matches import MatchView, Phase, Side
from engine.usecases.posts import LiveScore

EARLY_SHOWN = 12

WAITS = "A game waits for the TDs; the result comes after that."


def start(
    view: MatchView, challenge: str | None, online: Sequence[str], agreed_at: datetime, *, sent: bool
) -> Message | None:
    """At the agreed minute, to both. None when it is not true any more before it could be sent."""
    if not sent and (view.phase is not Phase.AGREED or view.match.agreed_at != agreed_at):
        return None
    if view.phase is Phase.FINISHED:
        return Message(f"### Finished: {result_line(view)}")
    if view.match.agreed_at != agreed_at:
        return Message(f"~~Play now~~: this was for {times.utc(agreed_at)}; the match has another time now.")
    both = " and ".join(mention(side.discord_id, side.entrant.name) for side in view.sides)
    if view.phase is Phase.OVERDUE:
        return Message(overdue_text(view), overdue_buttons(view), pings_of(*view.sides))
    closed = no_more_reports(view)
    if view.terms.decider_alone:
        return _start_decider(view, both, agreed_at, closed)
    lines = [
        f"### Play now\n{both}: it is {times.utc(agreed_at)}. {_settings(view)}",
        _how(view, challenge),
        "Online on Lichess: " + ", ".join(f"{escape(s.entrant.name)} {_mark(s, online)}" for s in view.sides) + ".",
        *_rules(view, closed=closed),
    ]
    buttons = () if challenge is None else (Link(challenge, "Start the first game"),)
    absent = Button("absent", view.match.id, "Opponent absent") if closed is None else propose(view)
    after = (Button("report", view.match.id, "Report"), absent)
    return Message("\n".join(lines), (*buttons, *after), pings_of(*view.sides))


def _start_decider(view: MatchView, both: str, agreed_at: datetime, closed: str | None) -> Message:
    """Q33: of the armageddon game, the only one; the post with the colours has its challenge."""
    lines = [f"### Play now\n{both}: it is {times.utc(agreed_at)}. {stands(view)}"]
    if is_bidding(view):
        return Message("\n".join(lines), due_buttons(view), pings_of(*view.sides))
    lines.append(f"• {closed or _nobody_there(view)}")
    absent = Button("absent", view.match.id, "Opponent absent") if closed is None else propose(view)
    return Message("\n".join(lines), (Button("report", view.match.id, "Report"), absent), pings_of(*view.sides))


def live_call(view: MatchView, score: LiveScore) -> Message:
    """What the call to the board becomes with the first game."""
    title = f"### {'Live' if score.live else 'So far'}: {score_line(view)}"
    between = between_games(view, score)
    lines = [title, *_games(view, score), *(_rules(view, begun=True) if between else ()), _ends(view, score)]
    return Message("\n".join(lines), (Button("report", view.match.id, "Report"), *between))


def _ends(view: MatchView, score: LiveScore) -> str:
    """What both wait for, or do next."""
    if score.for_td:
        return WAITS
    if view.phase is Phase.OVERDUE:
        return overdue_text(view)
    return stands(view) if view.tied_at is not None else FOLLOWED


def between_games(view: MatchView, score: LiveScore | None, against: str = "") -> tuple[Button, ...]:
    """R6.1, R6.4: the buttons of a match that has begun, however long the last game is over: whoever waits for somebody
    who is gone waits long. None while a TD judges a game or only the armageddon game is left (R3.16), nor when its time
    is over."""
    live = score is not None and score.live
    waits = (score is not None and score.for_td) or view.tied_at is not None
    if waits or not (live or view.phase is Phase.AGREED):
        return ()
    id = view.match.id
    left = () if _point_decided(view) else (Button("left", id, f"Opponent left{against}"),)
    return (Button("break", id, f"Take my break{against}"), *left)


def _point_decided(view: MatchView) -> bool:
    """R3.10: the rest is played, and who stops has not left (Q32)."""
    rules = view.match_rules
    return stop_policy(rules.stop).whole and more_than_half(rules.games, view.begun)


def so_far(view: MatchView, score: LiveScore | None) -> list[str]:
    """The same in the hub."""
    shown = score or LiveScore(running=None, live=False)
    lines = [f"**{'Live' if shown.live else 'So far'}: {score_line(view)}**", *_games(view, shown)]
    return [*lines, WAITS if shown.for_td else "Offer and accept each game at once (§6.2)."]


def first_game_agreed(view: MatchView) -> Message:
    """Q12: to the second who names the same first game, while they are still playing."""
    assert view.match.agreed_at is not None
    lines = [
        f"On record: your match has begun {times.both(view.match.agreed_at)}. **So far: {score_line(view)}.**",
        f"Play on. {FOLLOWED}",
    ]
    return Message("\n".join(lines), between_games(view, None))


def live_post(view: MatchView, score: LiveScore) -> Message:
    """For everybody: it becomes the result."""
    if score.live:
        title = f"🔴 **Live · {match_title(view)}: {score_line(view)}**"
    else:
        title = f"**{match_title(view)}, not finished: {score_line(view)}**"
    waits = [WAITS] if score.for_td else [tells(view)] if view.tied_at is not None else []
    return Message("\n".join([title, *_games(view, score), *waits]))


def taken_back(view: MatchView) -> Message:
    """What the call becomes when a TD has taken the result of its games back."""
    return Message("The TDs have taken the result back; the match is open again. When it is played, press *Report*.")


def waits_for_td(view: MatchView, game_id: str) -> Message:
    """Q38b: to both, once per game; not a word about why."""
    if game_id in view.ruled_games:
        return _judged(view, game_id)
    both = " and ".join(mention(side.discord_id, side.entrant.name) for side in view.sides)
    return Message(
        f"{both}: how [this game](<{LICHESS}/{game_id}>) ended only a TD can judge, and the TDs have been told. The "
        "result of your match comes after that; you need to do nothing.",
        pings=pings_of(*view.sides),
    )


def _judged(view: MatchView, game_id: str) -> Message:
    """What was said of a game, once a TD has decided about it."""
    return Message(f"A TD has decided: [this game](<{LICHESS}/{game_id}>) {verdict(view, game_id)}.")


def not_counted(view: MatchView, game_id: str, faults: Sequence[str], asked: Sequence[int]) -> Message:
    """Q20, Q21: to both, while they are at the board. `asked`: who wants a TD to count it all the same."""
    if game_id in view.ruled_games:
        return _judged(view, game_id)
    rules = view.match_rules
    why = words_of(Fault(fault) for fault in faults)
    both = " and ".join(mention(side.discord_id, side.entrant.name) for side in view.sides)
    if is_bidding(view):
        what = f"[this game](<{LICHESS}/{game_id}>) does not count"
        return Message(
            f"{both}: {what}. Nobody leads after all games: first {due(view.bidding)}, then one armageddon game "
            "decides (§3.16).",
            due_buttons(view),
            pings_of(*view.sides),
        )
    again = f"{both}: please play [this game](<{LICHESS}/{game_id}>) again, it does not count: {why}."
    if not faults:
        return Message(
            f"{both}: [this game](<{LICHESS}/{game_id}>) does not count: only the armageddon game can decide."
        )
    if view.colours is not None:
        text = f"{again} The post with the colours says how the armageddon game is played (§3.16)."
        return Message(text, pings=pings_of(*view.sides))
    return Message(
        f"{again} All games are "
        f"{'rated' if rules.rated else 'casual'} {view.rules.variant}, {clock_text(rules)}{_where(view)}; you cannot "
        f"agree otherwise (§3.1).{_asked(view, asked)}",
        () if len(asked) > 1 else (Button("ask-game", f"{view.match.id}.{game_id}", "Ask a TD to count it"),),
        pings_of(*view.sides),
    )


def games_gone(view: MatchView, games: Sequence[str]) -> Message:
    """To both: what has counted is not on Lichess any more (Q35)."""
    both = " and ".join(mention(side.discord_id, side.entrant.name) for side in view.sides)
    links = " ".join(f"<{LICHESS}/{id}>" for id in games)
    return Message(
        f"{both}: Lichess does not show {links} any more. What has counted stays in your score; **wait for the TDs**, "
        "who are told: they say here whether it counts. Until then no result is recorded.",
        pings=pings_of(*view.sides),
    )


def early_games(view: MatchView, games: Sequence[str], agreed_at: datetime) -> Message:
    """Q12: to both, who have played before the time of their match."""
    ruled = [id for id in games if id in view.ruled_games]
    if ruled:
        return _judged(view, ruled[0])
    linked = " ".join(f"[{n}](<{LICHESS}/{id}>)" for n, id in enumerate(games[:EARLY_SHOWN], start=1))
    if view.phase is Phase.FINISHED or view.match.agreed_at != agreed_at:
        return Message(f"Begun before {times.utc(agreed_at)}, the time that was agreed: {linked}.")
    both = " and ".join(mention(side.discord_id, side.entrant.name) for side in view.sides)
    what = "this game does" if len(games) == 1 else "these games do"
    early = int(view.rules.games.before_start.total_seconds()) // 60
    lines = [
        f"{both}: **{what} not count**, begun more than {early} minutes before your time (§5.2): {linked}.",
        f"• Play from the first game on, {times.both(agreed_at)}. Another time? `/reschedule`.",
        "• Were they your match? Press *Report*, or `/report games:` with the links: a TD decides whether they count.",
    ]
    return Message("\n".join(lines), (Button("report", view.match.id, "Report"),), pings_of(*view.sides))


def asked_to_count(both: bool) -> Message:
    """To who has asked that a TD counts a game."""
    if both:
        return Message("Both of you ask for it, so the TDs are told. Until they decide it does not count: play on.")
    return Message("Noted. A TD looks at it only if your opponent asks too; until then it does not count.")


def _asked(view: MatchView, asked: Sequence[int]) -> str:
    names = [escape(view.side(entrant).entrant.name) for entrant in asked]
    if len(names) > 1:
        return "\nBoth of you have asked a TD to count it; they have been told. Until they decide it does not count."
    return f"\n{names[0]} asks that a TD counts it; that needs both of you." if names else ""


def _where(view: MatchView) -> str:
    return "" if view.rules.games.from_tournaments else ", not in a Lichess tournament"


def _games(view: MatchView, score: LiveScore) -> list[str]:
    games = (*view.begun, *view.begun_tiebreak)
    parts = [f"Games: {game_links(games)}"] if games else []
    parts += [f"[now playing](<{LICHESS}/{score.running}>)"] if score.running is not None else []
    return [" · ".join(parts)] if parts else []


def _settings(view: MatchView) -> str:
    text = games_wanted(view)
    return f"{text[:1].upper()}{text[1:]}."


def _how(view: MatchView, challenge: str | None) -> str:
    if challenge is not None:
        return f"First game: <{challenge}>, for your two accounts alone. Then rematches."
    links = " or ".join(
        f"[challenge {escape(side.entrant.name)}](<{LICHESS}/?user={side.entrant.name}#friend>)" for side in view.sides
    )
    return f"Lichess gives me no challenge now, so make it yourselves, with exactly these settings: {links}."


def _mark(side: Side, online: Sequence[str]) -> str:
    return "✓" if side.entrant.lichess_id in online else "–"


def _rules(view: MatchView, *, begun: bool = False, closed: str | None = None) -> list[str]:
    """Three lines, in the order in which they are needed; the last is about the button beside it, or says why there is
    none (R6.3)."""
    rules, evening = view.match_rules, view.rules.evening
    ends = "It ends when one of you has more than half" if not stop_policy(rules.stop).whole else "All games are played"
    pause = int(evening.break_length.total_seconds()) // 60
    gone = f"• {closed or _nobody_there(view)}"
    if begun:
        back, within = (int(s.total_seconds()) // 60 for s in (evening.return_within, evening.absence_report_within))
        gone = (
            f"• Opponent gone? Press *Opponent left* within {within} minutes; not back in {back}, you may claim the "
            "win (§6.4)."
        )
    if begun and _point_decided(view):
        gone = "• The match point is decided; the other games are played all the same."
    return [
        f"• {ends}; offer and accept each rematch at once (§6.2).",
        f"• One break of {pause} minutes each, between two games (§6.1).",
        gone,
    ]


def _nobody_there(view: MatchView) -> str:
    grace = int(view.rules.evening.grace.total_seconds()) // 60
    return f"Nobody there? Press *Opponent absent*; {grace} minutes later you choose what follows (§6.3)."
