"""`/td-match` and `/td-dispute`: what TDs decide about a match without a time (R5.8-R5.10), and its buttons."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import UTC, datetime
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs import transforms
from cogs.checks import DirectorsGroup
from cogs.render import games, results, times
from cogs.render import rulings as render
from cogs.seam import actor_of, app_of, defer, reply
from cogs.times import Ambiguous, Reading, read_time
from cogs.views.buttons import on_button, whole_number
from cogs.views.forms import REASON, Form, ask_reason, field
from engine.errors import AcwcError, BadInput, RuleViolation
from engine.facts import GameDecision
from engine.points import DRAW, LOSS
from engine.result_rulings import Ending, Word
from engine.sides import Side
from engine.usecases.game_rulings import GameRulingView
from engine.usecases.match_rulings import Blame
from engine.usecases.matches import MatchView
from engine.usecases.result_rulings import ResultView
from engine.usecases.rulings import RulingView

_LATER = "Why; logged and told to the other TDs. Without it you see first what would change"


async def any_match(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[int]]:
    """Every match of the edition as `R3 · alice – bob`, open ones first."""
    try:
        choices = await app_of(interaction).match_rulings.choices(actor_of(interaction))
    except AcwcError:
        return []
    wanted = current.casefold()
    return [app_commands.Choice(name=name[:100], value=id) for id, name in choices if wanted in name.casefold()][:25]


async def games_of_match(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[str]]:
    """The games of the match that was chosen before, newest first, with what stands against each."""
    try:
        match_id = interaction.namespace.match
        found = await app_of(interaction).game_rulings.choices(actor_of(interaction), match_id) if match_id else []
    except AcwcError:
        return []
    wanted, named = current.casefold(), [(one.game.id, games.choice(one)) for one in found]
    return [
        app_commands.Choice(name=name, value=id)
        for id, name in named
        if wanted in name.casefold() or wanted in id.casefold()
    ][:25]


async def open_disputes(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[int]]:
    """The disputes that wait."""
    try:
        found = await app_of(interaction).match_rulings.disputes(actor_of(interaction))
    except AcwcError:
        return []
    named = [(one.dispute.id, f"#{one.dispute.id} · {one.label}") for one in found]
    wanted = current.casefold()
    return [app_commands.Choice(name=name[:100], value=id) for id, name in named if wanted in name.casefold()][:25]


class MatchDirectors(commands.Cog):
    match = DirectorsGroup(name="td-match", description="World Cup: rulings about one match")
    dispute = DirectorsGroup(name="td-dispute", description="World Cup: disputes that wait for the TDs")

    @match.command(name="time", description="Set or move the time of a match")
    @app_commands.describe(
        match="The match", time="For example: Sun 18:00, in UTC", reason="Why; logged and told to the other TDs"
    )
    @app_commands.autocomplete(match=any_match)
    async def time(self, interaction: discord.Interaction[Any], match: int, time: str, reason: str) -> None:
        await _set_time(interaction, match, time, reason)

    @match.command(name="decider", description="Leave a knock-out match to the armageddon game alone, at a time (Q33)")
    @app_commands.describe(
        match="The match",
        time="For example: Sun 18:00, in UTC; both bid for White before it",
        reason="Why; logged and told to the other TDs",
    )
    @app_commands.autocomplete(match=any_match)
    async def decider(self, interaction: discord.Interaction[Any], match: int, time: str, reason: str) -> None:
        await _set_time(interaction, match, time, reason, alone=True)

    @match.command(name="extend", description="Let a match be played until the next match deadline")
    @app_commands.describe(match="The match", reason="Why; logged and told to the other TDs")
    @app_commands.autocomplete(match=any_match)
    async def extend(self, interaction: discord.Interaction[Any], match: int, reason: str) -> None:
        await defer(interaction)
        work = app_of(interaction).rounds.extend(actor_of(interaction), reason, match_id=match)
        await reply(interaction, work, render.extended)

    @match.command(
        name="waive", description="Forgive missing offers; where §5.6 has decided, let them play all the same"
    )
    @app_commands.describe(
        match="The match", reason="Why; logged and told to the other TDs", player="Whose offers; both without it"
    )
    @app_commands.autocomplete(match=any_match)
    async def waive(
        self, interaction: discord.Interaction[Any], match: int, reason: str, player: discord.Member | None = None
    ) -> None:
        await defer(interaction)
        app, actor = app_of(interaction), actor_of(interaction)
        entrant = await app.match_rulings.entrant_of(actor, match, player.id) if player else None
        await _ruled(interaction, app.match_rulings.waive(actor, match, reason, entrant.id if entrant else None))

    @match.command(name="games", description="Count a game of a match, or not, or have it played again")
    @app_commands.describe(
        match="The match",
        game="One from the list, or its link",
        decision="What becomes of the game",
        reason=_LATER,
    )
    @app_commands.autocomplete(match=any_match)
    @app_commands.autocomplete(game=games_of_match)
    @app_commands.choices(
        decision=[app_commands.Choice(name=words, value=one.value) for one, words in games.DECISIONS.items()]
    )
    async def games(
        self, interaction: discord.Interaction[Any], match: int, game: str, decision: str, reason: str | None = None
    ) -> None:
        await defer(interaction)
        app, actor = app_of(interaction), actor_of(interaction)
        asked = (match, transforms.game_ids(game)[0], GameDecision(decision))
        if reason is None:
            await reply(interaction, app.game_rulings.show(actor, *asked), games.preview)
        else:
            await reply(interaction, app.game_rulings.rule(actor, *asked, reason), games.ruled)

    @match.command(name="timer", description="Stop or extend the ten minutes that run in a match")
    @app_commands.describe(
        match="The match",
        reason="Why; logged and told to the other TDs",
        minutes="How many minutes longer; without it they are stopped",
    )
    @app_commands.autocomplete(match=any_match)
    async def timer(
        self,
        interaction: discord.Interaction[Any],
        match: int,
        reason: str,
        minutes: app_commands.Range[int, 1, 120] | None = None,
    ) -> None:
        work = app_of(interaction).timer_rulings.rule(actor_of(interaction), match, reason, minutes)
        await _ruled(interaction, work)

    @match.command(name="result", description="Give a match its result where its games do not; first shows the change")
    @app_commands.describe(
        match="The match",
        how="How it has ended",
        score="Or the score in games, the first player's first, like 6-4; the games played are part of it",
        reason=_LATER,
    )
    @app_commands.autocomplete(match=any_match)
    @app_commands.choices(
        how=[app_commands.Choice(name=words, value=results.code(word)) for words, word in results.HOW.items()]
    )
    async def result(
        self,
        interaction: discord.Interaction[Any],
        match: int,
        how: str | None = None,
        score: str | None = None,
        reason: str | None = None,
    ) -> None:
        await defer(interaction)
        if (how is None) == (score is None):
            raise BadInput("result_needed")
        word = _word(how) if how is not None else Word(ending=Ending.SCORE, score=transforms.score(score or ""))
        await _result(interaction, match, word, reason)

    @match.command(name="forfeit", description="One player forfeits a match; first shows the change")
    @app_commands.describe(match="The match", by="Who forfeits", kind="Why; conduct without it", reason=_LATER)
    @app_commands.autocomplete(match=any_match)
    @app_commands.choices(
        by=[
            app_commands.Choice(name="The first player named", value="a"),
            app_commands.Choice(name="The second", value="b"),
        ],
        kind=[app_commands.Choice(name=words, value=kind) for words, kind in results.FORFEITS.items()],
    )
    async def forfeit(
        self,
        interaction: discord.Interaction[Any],
        match: int,
        by: str,
        kind: str = "director",
        reason: str | None = None,
    ) -> None:
        await defer(interaction)
        word = Word(ending=Ending.FORFEIT, side=Side.A if by == "a" else Side.B, kind=kind)
        await _result(interaction, match, word, reason)

    @match.command(name="double-forfeit", description="Both players forfeit a match (Q26); first shows the change")
    @app_commands.describe(match="The match", points="What each has of it", reason=_LATER)
    @app_commands.autocomplete(match=any_match)
    @app_commands.choices(
        points=[app_commands.Choice(name="½–½", value=DRAW), app_commands.Choice(name="0–0", value=LOSS)]
    )
    async def double_forfeit(
        self, interaction: discord.Interaction[Any], match: int, points: int, reason: str | None = None
    ) -> None:
        await defer(interaction)
        await _result(interaction, match, Word(ending=Ending.DOUBLE_FORFEIT, points=points), reason)

    @match.command(name="void", description="Take a pairing back: no points, and the two have not met (Q42)")
    @app_commands.describe(match="The match", reason=_LATER)
    @app_commands.autocomplete(match=any_match)
    async def void(self, interaction: discord.Interaction[Any], match: int, reason: str | None = None) -> None:
        await defer(interaction)
        await _result(interaction, match, Word(ending=Ending.VOID), reason)

    @dispute.command(name="list", description="The disputes that wait, oldest first")
    async def list(self, interaction: discord.Interaction[Any]) -> None:
        await reply(interaction, app_of(interaction).match_rulings.disputes(actor_of(interaction)), render.disputes)

    @dispute.command(name="rule", description="Who is at fault that there is no time (§5.8, §5.9)")
    @app_commands.describe(
        dispute="The dispute",
        fault="One at fault: the other sets the time. Nobody: a draw.",
        reason="Why; logged and told to the other TDs",
    )
    @app_commands.autocomplete(dispute=open_disputes)
    @app_commands.choices(
        fault=[
            app_commands.Choice(name="The first player named", value=Blame.A.value),
            app_commands.Choice(name="The second player named", value=Blame.B.value),
            app_commands.Choice(name="Nobody: a draw", value=Blame.NOBODY.value),
        ]
    )
    async def rule(self, interaction: discord.Interaction[Any], dispute: int, fault: str, reason: str) -> None:
        await defer(interaction)
        work = app_of(interaction).match_rulings.rule(actor_of(interaction), dispute, Blame(fault), reason)
        await _ruled(interaction, work)


async def _result(interaction: discord.Interaction[Any], match_id: int, word: Word, reason: str | None) -> None:
    rulings, actor = app_of(interaction).result_rulings, actor_of(interaction)
    if reason is None:
        await reply(interaction, rulings.show(actor, match_id, word), results.preview)
    else:
        await reply(interaction, rulings.rule(actor, match_id, word, reason), results.ruled)


def _word(code: str) -> Word:
    word = results.read_code(code)
    if word is None:
        raise BadInput("old_button")
    return word


async def _ruled(interaction: discord.Interaction[Any], work: Awaitable[RulingView]) -> None:
    await reply(interaction, work, render.made)


async def _set_time(
    interaction: discord.Interaction[Any], match_id: int, text: str, reason: str, *, alone: bool = False
) -> None:
    """`alone`: of the armageddon game, the only one that is played (Q33)."""
    await defer(interaction)
    app, actor = app_of(interaction), actor_of(interaction)
    view = await app.match_rulings.match(actor, match_id)
    if view.now >= view.window.closes:
        raise RuleViolation("extend_first", clause="R5.10", closes=view.window.closes)
    rule = app.match_rulings.set_decider if alone else app.match_rulings.set_time
    await _ruled(interaction, rule(actor, match_id, _read(view, text), reason))


def _read(view: MatchView, text: str) -> datetime:
    """A TD writes exactly one minute, in UTC."""
    read = read_time(text, now=view.now, window=(view.window.opens, view.window.closes), zone=UTC)
    if isinstance(read, Ambiguous):
        raise BadInput("td_time_unclear", text=text, readings=[one.start for one in read.readings])
    if not isinstance(read, Reading) or read.end is not None:
        raise BadInput("td_time", text=text, closes=view.window.closes)
    return read.start


# --- Buttons --------------------------------------------------------------------------------------------------------


async def _ask_reason(interaction: discord.Interaction[Any], match_id: int, title: str, work: Any) -> None:
    """A form with the reason; `work` makes the ruling from the actor and the reason."""
    await app_of(interaction).match_rulings.match(actor_of(interaction), match_id)
    await ask_reason(interaction, title, work, render.made)


@on_button("rule-fault")
async def _rule_fault(interaction: discord.Interaction[Any], arg: str) -> None:
    match, _, who = arg.partition(".")
    match_id = whole_number(match)
    if who not in set(Blame):
        raise BadInput("old_button")
    blame = Blame(who)
    view = await app_of(interaction).match_rulings.match(actor_of(interaction), match_id)

    def work(answer: discord.Interaction[Any], reason: str) -> Awaitable[RulingView]:
        return app_of(answer).match_rulings.blame(actor_of(answer), match_id, blame, reason)

    await _ask_reason(interaction, match_id, render.blame_title(view, blame), work)


@on_button("rule-waive")
async def _rule_waive(interaction: discord.Interaction[Any], arg: str) -> None:
    match_id = whole_number(arg)

    def work(answer: discord.Interaction[Any], reason: str) -> Awaitable[RulingView]:
        return app_of(answer).match_rulings.waive(actor_of(answer), match_id, reason)

    await _ask_reason(interaction, match_id, "Let them play all the same (§5.10)", work)


@on_button("rule-game")
async def _rule_game(interaction: discord.Interaction[Any], arg: str) -> None:
    await defer(interaction)
    match_id, game_id, decision, _ = _game_of(arg)
    work = app_of(interaction).game_rulings.show(actor_of(interaction), match_id, game_id, decision)
    await reply(interaction, work, games.preview)


@on_button("rule-game-now")
async def _rule_game_now(interaction: discord.Interaction[Any], arg: str) -> None:
    match_id, game_id, decision, version = _game_of(arg)
    await app_of(interaction).match_rulings.match(actor_of(interaction), match_id)

    def rule(answer: discord.Interaction[Any], reason: str) -> Awaitable[GameRulingView]:
        rulings = app_of(answer).game_rulings
        return rulings.rule(actor_of(answer), match_id, game_id, decision, reason, version=version)

    await ask_reason(interaction, games.DECISIONS[decision], rule, games.ruled)


def _game_of(arg: str) -> tuple[int, str, GameDecision, int | None]:
    """Match, game, decision and the version of a preview, from a button."""
    match, game, decision, *version = arg.split(".")
    if decision not in set(GameDecision):
        raise BadInput("old_button")
    seen = whole_number(version[0]) if version else None
    return whole_number(match), transforms.game_ids(game)[0], GameDecision(decision), seen


@on_button("rule-time")
async def _rule_time(interaction: discord.Interaction[Any], arg: str) -> None:
    match_id = whole_number(arg)
    view = await app_of(interaction).match_rulings.match(actor_of(interaction), match_id)

    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        await _set_time(answer, match_id, values[0], values[1])

    when = field(f"Time in UTC, before {times.short(view.window.closes)}"[:45], placeholder="Sun 18:00")
    await interaction.response.send_modal(Form("Set the time (§5.10)", [when, field(REASON, long=True)], submit))


@on_button("rule-result")
async def _rule_result(interaction: discord.Interaction[Any], arg: str) -> None:
    """Match, word and the seal of the preview; a form with the reason."""
    match, code, seen, *_ = [*arg.split("."), "", ""]
    match_id, word, seal = whole_number(match), _word(code), whole_number(seen)
    await app_of(interaction).match_rulings.match(actor_of(interaction), match_id)

    def rule(answer: discord.Interaction[Any], reason: str) -> Awaitable[ResultView]:
        return app_of(answer).result_rulings.rule(actor_of(answer), match_id, word, reason, seal=seal)

    await ask_reason(interaction, "The result of this match", rule, results.ruled)
