"""The later stages without the weeks before them: their first pairings as facts."""

from __future__ import annotations

from datetime import timedelta

from engine.facts import Event, Group, Pair, RoundPublished, StageSeated
from engine.model import Match, Round, Stage
from engine.ports import Store
from engine.usecases.context import record
from engine.usecases.posts import Outbox
from tests.cogs.test_clause_accounts import entrant
from tests.world import World


async def adds(world: World, *events: Event) -> None:
    """Facts that no command records yet."""

    def work(store: Store) -> None:
        for event in events:
            record(store, edition, event, world.clock.now())

    edition = world.edition().id
    await world.parts.db.write(work)
    await world.tick()


async def begins(world: World, stage: Stage, *groups: tuple[str, str, str]) -> list[int]:
    """The first pairings of a stage, each group a name and the two who meet; the match ids."""
    seats = tuple(Group(name, (entrant(world, a), entrant(world, b))) for name, a, b in groups)
    edition, now = world.edition().id, world.clock.now()

    def work(store: Store) -> tuple[int, list[Pair]]:
        ends = now + timedelta(days=6)
        round = store.add(
            Round(edition_id=edition, stage=stage, number=1, published_at=now, offers_by=ends, matches_by=ends)
        )
        pairs, outbox = list[Pair](), Outbox(store, world.guild.id, now)
        for board, seat in enumerate(seats, start=1):
            a, b = seat.entrants
            match = store.add(Match(edition_id=edition, round_id=round.id, board=board, a_id=a, b_id=b))
            pairs.append(Pair(match.id, a, b, seat.name))
            outbox.match_thread(match)
        return round.id, pairs

    round_id, pairs = await world.parts.db.write(work)
    await adds(world, StageSeated(stage, seats), RoundPublished(round_id, stage, 1, tuple(pairs)))
    return [pair.match_id for pair in pairs]
