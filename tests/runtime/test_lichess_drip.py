"""An answer that drips in for ever: the read timeout starts anew with every byte, the limit on the whole does not."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime

import pytest

from acwc_bot.lichess import BerserkLichess
from acwc_bot.lichess_http import LONGEST_ANSWER
from acwc_bot.wiring import make_lichess
from engine.errors import LichessUnavailable

SINCE, UNTIL = datetime(2023, 3, 19, tzinfo=UTC), datetime(2023, 3, 28, tzinfo=UTC)
SIZED = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nContent-Length: 9999999\r\n\r\n"
CUT_429 = b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("what", ["games", "account"])
@pytest.mark.parametrize(("head", "drop"), [(HEAD, b"1\r\n\n\r\n"), (SIZED, b"\n")])
async def test_a_dripping_answer_ends_as_incomplete(what: str, head: bytes, drop: bytes) -> None:
    drops = 0

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal drops
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head)
        try:
            while drops < 10_000:
                drops += 1
                writer.write(drop)
                await writer.drain()
                await asyncio.sleep(0)
        except ConnectionError:
            pass
        writer.close()

    def monotonic() -> float:
        return drops * LONGEST_ANSWER / 50  # each drop is more than a second

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    lichess = BerserkLichess(
        base_url=f"http://127.0.0.1:{port}",
        token=None,
        monotonic=monotonic,
        sleep=asyncio.sleep,
        logger=logging.getLogger("test"),
    )
    with pytest.raises(LichessUnavailable, match="lichess_incomplete"):
        await (lichess.games_between("anna", "carl", SINCE, UNTIL) if what == "games" else lichess.account("anna"))
    await lichess.close()
    server.close()
    assert drops < 10_000


async def test_a_429_whose_body_breaks_off_still_pauses() -> None:
    asked = 0

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(CUT_429)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    lichess = BerserkLichess(
        base_url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}",
        token=None,
        monotonic=lambda: 1000.0,
        sleep=asyncio.sleep,
        logger=logging.getLogger("test"),
    )
    for _ in range(2):
        with pytest.raises(LichessUnavailable, match="lichess_busy"):
            await lichess.account("anna")
    await lichess.close()
    server.close()
    assert asked == 1


@pytest.mark.parametrize("what", ["games_between", "player_games", "oldest_games"])
async def test_an_empty_page_is_not_an_export_without_games(what: str) -> None:
    async def maintain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(maintain, "127.0.0.1", 0)
    lichess = make_lichess(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    calls = {
        "games_between": lambda: lichess.games_between("anna", "carl", SINCE, UNTIL),
        "player_games": lambda: lichess.player_games("anna", since=SINCE, until=UNTIL),
        "oldest_games": lambda: lichess.oldest_games("anna", since=SINCE, until=UNTIL),
    }
    with pytest.raises(LichessUnavailable, match="lichess_incomplete"):
        await calls[what]()
    await lichess.close()
    server.close()
