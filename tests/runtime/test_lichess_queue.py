"""The queue by itself: turns, and what a request leaves behind when its caller is gone."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator

import pytest

from acwc_bot.lichess_queue import NoAnswer, Priority, RateLimited, RequestQueue, Turns
from engine.errors import LichessUnavailable
from tests.support_lichess import HandMovedTime


@pytest.fixture
def time() -> HandMovedTime:
    return HandMovedTime()


@pytest.fixture
async def queue(time: HandMovedTime) -> AsyncIterator[RequestQueue]:
    queue = RequestQueue(
        monotonic=time.monotonic, sleep=time.sleep, logger=logging.getLogger("tests.lichess"), patience=10
    )
    yield queue
    await queue.close(lambda: None)


async def test_turns_go_by_priority_and_then_by_arrival():
    turns, order = Turns(), []

    async def wait(name: str, priority: Priority) -> None:
        await turns.take(priority)
        order.append(name)
        turns.give_back()

    await turns.take(Priority.BULK)
    arrivals = [("bulk 1", Priority.BULK), ("live 1", Priority.LIVE), ("bulk 2", Priority.BULK)]
    arrivals += [("live 2", Priority.LIVE)]
    waiting = [asyncio.create_task(wait(*arrival)) for arrival in arrivals]
    await asyncio.sleep(0)
    assert order == []
    turns.give_back()
    await asyncio.gather(*waiting)
    assert order == ["live 1", "live 2", "bulk 1", "bulk 2"]
    await turns.take(Priority.BULK)  # free again


async def test_a_turn_given_to_somebody_who_is_cancelled_at_that_moment_goes_on_to_the_next():
    turns = Turns()
    await turns.take(Priority.LIVE)
    gone = asyncio.create_task(turns.take(Priority.LIVE))
    following = asyncio.create_task(turns.take(Priority.LIVE))
    await asyncio.sleep(0)
    turns.give_back()
    gone.cancel()
    async with asyncio.timeout(5):
        await following
    assert gone.cancelled()


async def test_a_429_pauses_everybody_even_when_its_caller_is_gone(queue: RequestQueue):
    begun, may_end = threading.Event(), threading.Event()

    def limited() -> None:
        begun.set()
        may_end.wait(5)
        raise RateLimited(60)

    first = asyncio.create_task(queue.run(limited, Priority.LIVE))
    await asyncio.to_thread(begun.wait, 5)
    first.cancel()
    second = asyncio.create_task(queue.run(lambda: "answer", Priority.LIVE))
    await asyncio.wait([first])
    may_end.set()
    with pytest.raises(LichessUnavailable) as caught:
        await second
    assert (caught.value.code, caught.value.params) == ("lichess_busy", {"retry_in": 60})


async def test_an_unexpected_error_reaches_the_caller_and_frees_the_turn(queue: RequestQueue):
    def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await queue.run(broken, Priority.LIVE)
    assert await queue.run(lambda: "answer", Priority.LIVE) == "answer"


async def test_failures_and_pauses_are_counted_separately(queue: RequestQueue, time: HandMovedTime):
    answers: list[Exception] = [NoAnswer("502"), RateLimited(60), NoAnswer("502"), RateLimited(90)]

    def work() -> str:
        if answers:
            raise answers.pop(0)
        return "answer"

    assert await queue.run(work, Priority.BULK) == "answer"
    assert time.slept == [1, 60, 3, 90]


async def test_closing_waits_for_the_request_in_flight_and_refuses_those_behind_it(time: HandMovedTime):
    queue = RequestQueue(monotonic=time.monotonic, sleep=time.sleep, logger=logging.getLogger("tests"), patience=10)
    begun, may_end = threading.Event(), threading.Event()
    done: list[str] = []

    def work() -> str:
        begun.set()
        may_end.wait(5)
        done.append("request")
        return "answer"

    first = asyncio.create_task(queue.run(work, Priority.LIVE))
    await asyncio.to_thread(begun.wait, 5)
    second = asyncio.create_task(queue.run(work, Priority.LIVE))
    closing = asyncio.create_task(queue.close(lambda: done.append("closed")))
    await asyncio.sleep(0)
    may_end.set()
    await closing
    assert await first == "answer"
    with pytest.raises(LichessUnavailable, match="lichess_down"):
        await second
    assert done == ["request", "closed"]
