"""What the tests named after clauses do again and again: act, look, and rule where no command does yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import discord

from acwc_bot.sandbox.lichess_world import Result
from engine.facts import EntrantLeft, Exit, MatchRuled, Pair, RoundClosed, RoundPublished
from engine.model import Authority, Entrant, Match, Round, Stage
from engine.points import DRAW, LOSS, WIN
from engine.ports import Store
from engine.usecases.context import record
from tests.world import World, custom_ids, text_of

AGREED = datetime(2026, 3, 28, 18, 0, tzinfo=UTC)
"""When anna and carl play, where a test takes `agreed`."""
BREAK = timedelta(minutes=90)
"""Longer than any match that `play_match` lays out."""


# --- Looking ----------------------------------------------------------------------------------------------------


def thread(world: World, *names: str) -> Any:
    """The newest thread with these names."""
    found = [thread for title, thread in world.threads.items() if all(name in title for name in names)]
    assert found, f"no thread of {names} among {list(world.threads)}"
    return found[-1]


def card(world: World, *names: str) -> discord.Message:
    return thread(world, *names).history()[0]


def said(channel: Any) -> str:
    """Everything in a channel or thread, oldest first."""
    return "\n".join(message.content for message in channel.history())


def everything(world: World) -> list[str]:
    """Every message that stands in any channel or thread."""
    places = [*world.guild.channels.values(), *world.threads.values()]
    return [message.content for place in places for message in place.history()]


def pairs_of(world: World, number: int) -> list[tuple[str, str]]:
    """The pairings of a round in board order, as the names of its threads say."""
    titles = sorted(title for title in world.threads if title.startswith(f"R{number} "))
    return [tuple(title.split(" · ")[2].split(" – ")) for title in titles]  # type: ignore[misc]


def bye_of(world: World, number: int) -> str:
    post = next(m.content for m in world.channel("pairings").history() if f": round {number}\n" in m.content)
    found = re.search(r"^Bye \((\S+) point\): (\S+)$", post, re.MULTILINE)
    assert found, post
    return f"{found[2]} {found[1]}"


async def table(world: World, **options: Any) -> list[tuple[str, str]]:
    """`/standings` as (name, points) in order; `options`: which `round`."""
    text = text_of(await world.slash(world.people["td"], "standings", **options))
    rows = text.split("```")[1].strip().splitlines()[1:]
    return [(row.split()[1], row.split()[2]) for row in rows]


async def tiebreaks(world: World) -> list[str]:
    """The lines behind the button *All tiebreaks*, the best place first."""
    td = world.people["td"]
    shown = await td.slash(world.lobby, "standings")
    button = next(id for id in custom_ids(shown.response) if "tiebreaks" in id)
    return text_of(await world.click(td, shown.response, button)).splitlines()[1:]


# --- Acting -----------------------------------------------------------------------------------------------------


async def says(world: World, who: str, command: str, **options: Any) -> str:
    """What the bot answers to a slash command."""
    return text_of(await world.slash(world.people[who], command, **options))


async def offer_enough(world: World, *names: str) -> None:
    """These make the three offers of round 1 (§5.1), so that §5.6 decides nothing and their matches stay open."""
    for name in names:
        assert "3 offers" in await says(
            world, name, "offer", times="Sat 28 Mar 9:00, Sat 28 Mar 18:00, Sun 29 Mar 9:00"
        )


async def agree(world: World, a: str, b: str, when: str, **options: Any) -> datetime:
    """One offers, the other accepts with the button; the agreed time. `options` of `/offer`: which `match`."""
    answer = await says(world, a, "offer", times=when, **options)
    offers = [m for m in thread(world, a, b).history() if f"{a} offers" in m.content]
    assert offers, answer
    accept = next(id for id in custom_ids(offers[-1]) if ":accept:" in id)
    answer = text_of(await world.click(world.people[b], offers[-1], accept))
    moment = re.search(r"<t:(\d+):f>", answer)
    assert answer.startswith("Agreed") and moment, answer
    return datetime.fromtimestamp(int(moment[1]), world.env.now().tzinfo)


async def agree_and_play(world: World, a: str, b: str, when: str, results: Sequence[Result], **fields: Any) -> None:
    """Agreed and played on time; the clock stands after the match. `results` from a's side."""
    at = await agree(world, a, b, when)
    world.lichess.play_match(a, b, at, results, **fields)
    await world.move_to(at + BREAK)


def games(score: str) -> list[Result]:
    """ "1=0" -> won, drawn, lost by the first player."""
    return [{"1": "a", "0": "b", "=": "draw"}[mark] for mark in score]  # type: ignore[misc]


# --- What no command does yet: facts written as a TD's ruling would write them ------------------------------------


def _entrant(store: Store, edition_id: int, name: str) -> int:
    found = store.one(Entrant, edition_id=edition_id, name=name)
    assert found is not None, name
    return found.id


async def settle(world: World, number: int, *winners: str, played: bool = True, but: str | None = None) -> None:
    """Rules every match of a round: `winners` win, the other matches are drawn; a game was started if `played`.

    The match of `but` stays open.
    """

    def work(store: Store) -> None:
        edition = world.edition().id
        names = {e.id: e.name for e in store.find(Entrant, edition_id=edition)}
        round = store.one(Round, edition_id=edition, number=number)
        assert round is not None, f"round {number} is not published"
        for match in store.find(Match, round_id=round.id):
            sides = (names[match.a_id], names[match.b_id])
            if but not in sides:
                a = WIN if sides[0] in winners else LOSS if sides[1] in winners else DRAW
                event = MatchRuled(match.id, a, WIN - a, played=played)
                record(store, edition, event, world.clock.now(), authority=Authority.TD)

    await world.parts.db.write(work)
    await world.tick()


async def leave(world: World, name: str) -> None:
    """Somebody withdraws."""

    def work(store: Store) -> None:
        edition = world.edition().id
        record(store, edition, EntrantLeft(_entrant(store, edition, name), Exit.WITHDRAWN), world.clock.now())

    await world.parts.db.write(work)
    await world.tick()


async def settled_round(
    world: World, number: int, results: Iterable[tuple[str, str, int, int, bool]], bye: str | None = None
) -> None:
    """A whole round at once, with pairings chosen for their effect: (a, b, half-points of a, of b, played)."""

    def work(store: Store) -> None:
        edition, now = world.edition().id, world.clock.now()
        round = store.add(
            Round(
                edition_id=edition,
                stage=Stage.QUALIFICATION,
                number=number,
                published_at=now,
                offers_by=now + timedelta(days=3),
                matches_by=now + timedelta(days=6),
            )
        )
        rulings: list[tuple[Pair, int, int, bool]] = []
        for board, (a, b, mine, theirs, played) in enumerate(results, start=1):
            ids = (_entrant(store, edition, a), _entrant(store, edition, b))
            match = store.add(Match(edition_id=edition, round_id=round.id, board=board, a_id=ids[0], b_id=ids[1]))
            rulings.append((Pair(match.id, *ids), mine, theirs, played))
        free = _entrant(store, edition, bye) if bye else None
        pairs = tuple(pair for pair, *_ in rulings)
        record(store, edition, RoundPublished(round.id, Stage.QUALIFICATION, number, pairs, free), now)
        for pair, mine, theirs, played in rulings:
            record(store, edition, MatchRuled(pair.match_id, mine, theirs, played=played), now)
        record(store, edition, RoundClosed(round.id), now)

    await world.parts.db.write(work)
