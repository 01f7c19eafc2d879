"""The later stages in words: pool tables, the knock-out matches, the champion (R3.9-R3.14), seats to be filled."""

from __future__ import annotations

from cogs.render import times
from cogs.render.decisions import next_step
from cogs.render.matches import clock_text, pings_of, result_post, score_line
from cogs.render.message import Button, Message, escape, mention
from cogs.render.scores import result_text
from cogs.render.seatings import seating_lines
from cogs.render.tied import decides, score_so_far
from cogs.render.titles import group_name, round_title, stage_name
from engine.facts import Group
from engine.model import Match, Round, Stage
from engine.placing import playoff_open, podium
from engine.points import show, show_score
from engine.scoring import game_points
from engine.standings import Standing
from engine.usecases.context import Event
from engine.usecases.matches import MatchView, Phase
from engine.usecases.stages import Reseating

NAME = 18
_MEDALS = {1: "🥇", 2: "🥈", 3: "🥉", 4: "4."}


def stage_table(event: Event, round: Round) -> Message:
    """What stands in the standings channel for a later stage; edited in its place when a result changes."""
    title = f"## {escape(event.edition.title)}: {round_title(round)}"
    if round.stage is Stage.CANDIDATES:
        return Message("\n".join([title, *pool_tables(event, round.number)]))
    return Message("\n".join([title, *knockout_lines(event, round.stage)]))


def standings(event: Event, round: Round) -> Message:
    """`/standings` once the Qualification is over: everything since, the newest first."""
    seated = [stage for stage in (Stage.FINALS, Stage.SEMIFINALS) if event.tournament.has_begun(stage)]
    lines = [f"**{escape(event.edition.title)}: {round_title(round)}**"]
    for stage in seated:
        lines += knockout_lines(event, stage, now=True)
    lines += pool_tables(event)
    last = max(r.number for r in event.tournament.stage_rounds(Stage.QUALIFICATION))
    lines.append(f"`/standings round:{last}` has the Qualification.")
    return Message("\n".join(lines))


def pool_tables(event: Event, until: int | None = None) -> list[str]:
    """A table per pool: place, player, match points, game points (R3.9, R3.12), up to round `until`."""
    lines: list[str] = []
    for name, table in event.championship.pools(until=until).items():
        rows = [f"{'#':>2} {'Player':<{NAME}}{'Pts':>4}{'Games':>7}"]
        rows += [_pool_line(event, line) for line in table]
        lines += [f"**{group_name(name)}**", "```\n" + "\n".join(rows) + "\n```"]
    return lines


def _pool_line(event: Event, line: Standing) -> str:
    name = event.name(line.entrant_id)
    name = name if len(name) <= NAME else name[: NAME - 1] + "…"
    rank = str(line.rank) if line.rank else "–"
    games = line.values.get("overall_game")
    shown = show(games) if isinstance(games, int) else ""
    return f"{rank:>2} {name:<{NAME}}{show(line.points):>4}{shown:>7}"


def knockout_lines(event: Event, stage: Stage, *, now: bool = False) -> list[str]:
    """A line per semifinal or final: who plays whom, and how it ended. `now`: for who looks, not for a post that stays,
    also the score of one that is tied and what decides it (R3.13, R3.15, R3.16)."""
    return [_knockout_line(event, stage, group, now=now) for group in event.tournament.seated.get(stage, ())]


def _knockout_line(event: Event, stage: Stage, group: Group, *, now: bool) -> str:
    names = [escape(event.name(entrant_id)) for entrant_id in group.entrants]
    head = f"**{group_name(group.name)}**:"
    if len(names) < 2:
        return f"{head} {names[0]}, without play" if names else f"{head} nobody"
    pairs = (pair for r in event.tournament.stage_rounds(stage) for pair in r.pairs)
    pair = next((pair for pair in pairs if pair.group == group.name), None)
    result = event.tournament.results.get(pair.match_id) if pair else None
    if pair is None or result is None:
        match = event.matches.get(pair.match_id) if pair and now else None
        what = decides(event, match, event.tournament) if match else None
        if match is not None and what is not None:
            return f"{head} {score_so_far(event, match, event.tournament)}: {what}"
        return f"{head} {' – '.join(names)}"
    a, b = (escape(event.name(id)) for id in (pair.a_id, pair.b_id))
    text = result_text(result, ((pair.a_id, a), (pair.b_id, b)))
    if result.a == result.b or result.armageddon is not None:
        return f"{head} {text}"
    return f"{head} {text}, {a if result.a > result.b else b} wins"


def champion(event: Event) -> Message:
    """For everybody, when the Grand Final is decided (R3.13, R3.14); the same post has the playoff when that is."""
    places = podium(event.championship)
    first = places.get(1)
    if first is None:
        return Message(f"## {escape(event.edition.title)} is over\nThe title is not awarded.")
    lines = [f"## 🏆 {escape(event.name(first))} has won the {escape(event.edition.title)}"]
    medals = [f"{_MEDALS[place]} {escape(event.name(places[place]))}" for place in _MEDALS if place in places]
    lines += ["\n".join(medals), *knockout_lines(event, Stage.FINALS)]
    if playoff_open(event.championship) is not None:
        lines.append("The Third Place Playoff is still to be decided: the places 3 and 4 follow here.")
    lines.append("Congratulations, and thanks to all who played!")
    return Message("\n".join(lines))


def champion_awaited(event: Event) -> Message:
    """Where the champion was named and a final is open again."""
    return Message(
        f"## {escape(event.edition.title)}\nA final is open again; the champion is named when it is decided."
    )


def reseating(view: Reseating) -> Message:
    """To a TD, before the empty seats of a stage that runs are filled."""
    stage = view.proposal.stage
    lines = [f"**{stage_name(stage)}: empty seats.** By the rules they would be filled like this:"]
    lines += seating_lines(view.event, stage)
    lines.append("Ask whoever moves up; `/td stage decline` passes over somebody who does not want to (§8.4, §8.5).")
    return Message("\n".join(lines), (Button("reseat", "0", "Fill the seats…", "primary"),))


def reseated(view: Reseating) -> Message:
    made = ", ".join(_pair(view.event, match) for match in view.made) or "no new match"
    lines = [f"The seats of the {stage_name(view.proposal.stage)} are filled: {made}. The threads are being opened."]
    if view.deadlines is not None:
        lines.append(
            "Too little of the week is left for offers, so the new matches have a week of their own: offers by "
            f"{times.deadline(view.deadlines.offers_by)}, play by {times.deadline(view.deadlines.play_by)}. What comes "
            "after them waits; they may play earlier."
        )
    return Message("\n".join(lines))


def _pair(event: Event, match: Match) -> str:
    return f"{escape(event.name(match.a_id))} – {escape(event.name(match.b_id))}"


# --- In a match thread ------------------------------------------------------------------------------------------------


def tiebreak_due(view: MatchView, *, sent: bool) -> Message | None:
    """To both: what follows on a tie after the regular games (R3.15)."""
    games, played = view.match_rules.extra_games, (*view.begun, *view.begun_tiebreak)
    if not sent and (view.phase is Phase.FINISHED or len(played) != view.match_rules.games):
        return None
    a, b = game_points(view.begun)
    score = f" {show_score(a, b)}" if view.begun else ""
    return Message(
        f"{_both(view)}: a tie{score}, so **up to {games} tiebreak games follow now**, {clock_text(view.match_rules)} "
        "and rated as before (§3.15). Play on; I read them by myself. Tied again, one armageddon game decides.",
        pings=pings_of(*view.sides),
    )


def reopened(view: MatchView, *, sent: bool) -> Message | None:
    """To both: the result of their match went with what it rested on, and how it goes on."""
    if view.phase is Phase.FINISHED:
        return Message("This match was open again for a time; its result stands now.") if sent else None
    step, buttons = next_step(view)
    so_far = f" It stands {score_line(view)}; these games count." if view.begun else ""
    text = f"{_both(view)}: **your match is open again**, its result does not stand any more.{so_far}"
    report = () if buttons else (Button("report", view.match.id, "Report"),)
    by = "" if view.phase is Phase.OVERDUE else f"Play it by {times.deadline(view.play_by)}. "
    return Message(f"{text}\n{by}{step}", (*buttons, *report), pings_of(*view.sides))


def disregarded(view: MatchView) -> Message:
    """To whoever is still in: the opponent has left, and what becomes of the match (R8.3)."""
    told = [side for side in view.sides if side.entrant.id not in view.left]
    who = " ".join(mention(side.discord_id, side.entrant.name) for side in told)
    text = result_post(view).text
    free = f"{who}: you have nothing more to play here." if told else ""
    return Message("\n".join(line for line in (text, free) if line), pings=pings_of(*told))


def _both(view: MatchView) -> str:
    return " ".join(mention(side.discord_id, side.entrant.name) for side in view.sides)
