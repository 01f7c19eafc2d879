"""The sandbox's own page over HTTP, and the program around it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from acwc_bot.sandbox.app import PortTaken, Wanted, run_sandbox
from acwc_bot.sandbox.html import render
from acwc_bot.sandbox.opening import Start
from acwc_bot.sandbox.page import serve_page
from acwc_bot.sandbox.rehearsal import Rehearsal
from acwc_bot.sandbox.shown import Shown
from tests.runtime.test_sandbox import FIRST_PAIRINGS, rehearsal

ROOT = Path(__file__).parents[2]
LONGEST = 60  # a process that never answers fails the test instead of hanging it


@dataclass
class Browser:
    it: Rehearsal
    url: str
    client: aiohttp.ClientSession

    async def page(self) -> str:
        async with self.client.get(self.url) as response:
            assert response.status == 200
            return await response.text()

    async def token(self) -> str:
        found = re.search(r'name="token" value="([^"]+)"', await self.page())
        assert found is not None
        return found[1]

    async def post(self, path: str, token: str | None = None, /, **form: str) -> tuple[int, str, str]:
        """Status, text and Location."""
        form["token"] = await self.token() if token is None else token
        async with self.client.post(self.url + path, data=form, allow_redirects=False) as response:
            return response.status, await response.text(), response.headers.get("Location", "")


@asynccontextmanager
async def browser(folder: Path) -> AsyncIterator[Browser]:
    listening = socket.create_server(("127.0.0.1", 0))
    async with (
        rehearsal(folder) as it,
        serve_page(it, listening) as url,
        aiohttp.ClientSession() as client,
    ):
        yield Browser(it, url, client)


async def test_the_first_page_shows_the_visitor_in_a_match_and_the_way_to_its_thread(tmp_path: Path) -> None:
    async with browser(tmp_path) as b:
        text = await b.page()
        assert "You are entrant_001" in text and "you play <strong>entrant_003</strong>" in text
        assert "Sun 11 Jan 12:00 UTC" in text and "Thu 15 Jan 18:00 UTC" in text
        status, _, discord = await b.post("open")
        assert status == 303 and re.fullmatch(r"http://127\.0\.0\.1:\d+/#\S{20,}", discord)
        async with b.client.get(discord) as response:
            assert response.status == 200
        view = (await b.it.seat()).view
        assert view is not None and b.it.discord.showing == (view.match.thread_id, "entrant_001")


async def test_another_viewer_and_another_channel(tmp_path: Path) -> None:
    async with browser(tmp_path) as b:
        directors = str(b.it.sandbox.channel("wc-directors").id)
        assert (await b.post("open", channel=directors))[2] == "/"
        assert "entrant_001 cannot see #wc-directors." in await b.page()
        assert "wc-directors</span>" not in await b.page()
        await b.post("be", name="director")
        text = await b.page()
        assert "You are director" in text and "wc-directors</span>" in text
        assert (await b.post("open"))[2].startswith("http://127.0.0.1:")
        assert b.it.discord.showing == (int(directors), "director")
        await b.post("be", name="nobody")
        assert "There is nobody called nobody here." in await b.page()
        await b.post("open", channel="12")
        assert "That channel does not exist." in await b.page()


async def test_what_is_new_is_counted_until_it_is_opened(tmp_path: Path) -> None:
    async with browser(tmp_path) as b:
        await b.post("open", channel=str(b.it.sandbox.channel("lobby").id))
        assert 'class="new"' not in await b.page()
        await b.post("do/opponent")
        view = (await b.it.seat()).view
        assert view is not None and view.match.thread_id is not None
        assert '<span class="new">1 new</span>' in await b.page()
        await b.post("open", channel=str(view.match.thread_id))
        assert 'class="new"' not in await b.page()


async def test_forged_requests_do_nothing(tmp_path: Path) -> None:
    async with browser(tmp_path) as b:
        forged = [
            await b.post("do/day", ""),
            await b.post("do/day", "guessed"),
        ]
        token = await b.token()
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
            async with b.client.post(b.url + "do/day", data={"token": token}, headers=headers) as response:
                forged.append((response.status, await response.text(), ""))
        async with b.client.get(b.url, headers={"Host": "evil.example"}) as response:
            forged.append((response.status, await response.text(), ""))
        assert [status for status, _, _ in forged] == [403] * 6
        assert all(text.endswith(".") and token not in text for _, text, _ in forged)
        async with b.client.get(b.url + "do/day") as response:
            assert response.status == 405
        assert b.it.sandbox.now() == FIRST_PAIRINGS
        assert (await b.post("do/day"))[0] == 303
        assert b.it.sandbox.now() > FIRST_PAIRINGS


async def test_the_page_needs_nothing_from_elsewhere_and_cannot_be_framed(tmp_path: Path) -> None:
    async with browser(tmp_path) as b:
        async with b.client.get(b.url) as response:
            policy = response.headers["Content-Security-Policy"]
            assert response.headers["X-Frame-Options"] == "DENY"
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        text = await b.page()
        assert not re.search(r'(?:src|href)="(?!/static/)', text) and " style=" not in text and " onclick" not in text
        for name in re.findall(r'"/static/([^"]+)"', text):
            async with b.client.get(f"{b.url}static/{name}") as response:
                assert response.status == 200
                assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", await response.text())
        async with b.client.get(f"{b.url}static/../page.py") as response:
            assert response.status == 404


async def test_names_and_messages_are_escaped(tmp_path: Path) -> None:
    async with browser(tmp_path) as b:
        b.it.tell("<script>alert(1)</script>")
        person, lobby = b.it.sandbox.people["entrant_002"], b.it.sandbox.channel("lobby")
        await b.it.sandbox.act(lambda: person.send(lobby, '<img src=x onerror="alert(1)">'))
        text = await b.page()
        assert "&lt;script&gt;alert(1)" in text and "<script>alert" not in text
        assert "&lt;img src=x onerror=&quot;" in text and "<img" not in text


async def test_an_unchanged_page_is_not_sent_again(tmp_path: Path) -> None:
    async with browser(tmp_path) as b:
        async with b.client.get(b.url) as response:
            tag = response.headers["ETag"]
        async with b.client.get(b.url, headers={"If-None-Match": tag}) as response:
            assert response.status == 304
        b.it.tell("news")
        async with b.client.get(b.url, headers={"If-None-Match": tag}) as response:
            assert response.status == 200


async def test_the_forum_is_a_heading_and_its_threads_show_their_tags(tmp_path: Path) -> None:
    async with browser(tmp_path) as b:
        text = await b.page()
        forum = b.it.sandbox.channel("wc-matches")
        assert "<h3>#wc-matches <small>forum</small></h3>" in text and f'value="{forum.id}"' not in text
        assert text.count('<span class="tag">Finding a time</span>') == 2
        await b.post("do/others")
        assert '<span class="tag">Time agreed</span>' in await b.page()


async def test_a_server_without_forums_lists_threads_and_their_channel(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, start=Start(0, registration=False)) as it:
        guild = it.sandbox.parts.bot.get_guild(it.sandbox.guild.id)
        assert guild is not None
        guild.features.clear()
        await it.sandbox.slash(it.sandbox.people["owner"], it.sandbox.channel("lobby"), "td setup")
        it.be("owner")
        text = render(await Shown.of(it), "token")
        assert "<small>forum</small>" not in text
        assert f'value="{it.sandbox.channel("wc-matches").id}"><span class="name">#wc-matches</span>' in text


async def test_events_of_the_server_are_listed(tmp_path: Path) -> None:
    async with browser(tmp_path) as b:
        assert "Server events" not in await b.page()
        b.it.sandbox.guild.create_scheduled_event(
            "Final", start_time="2026-03-20T18:00:00+00:00", entity_type=3, location="lichess.org"
        )
        text = await b.page()
        assert "Server events" in text and "Fri 20 Mar 18:00 UTC lichess.org" in text


async def test_earlier_rounds_are_folded_away(tmp_path: Path) -> None:
    async with browser(tmp_path) as b:
        b.it.be("director")
        assert 'id="earlier-threads"' not in await b.page()
        await b.post("do/finish")
        await b.post("do/tuesday")
        text = await b.page()
        assert "Matches of this round (2, 2 with news)" in text and "Earlier rounds (2, 2 with news)" in text


# --- The program -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", [0, 1], ids=["its own port", "Discord's port"])
def test_a_port_in_use_is_named_before_anything_starts(which: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        with pytest.raises(PortTaken) as refusal:
            run_sandbox(Wanted(taken - which))
        assert refusal.value.port in (taken, taken - which)


@pytest.mark.parametrize("port", [-1, 65_535, 70_000])
def test_an_impossible_port_is_a_sentence(port: int) -> None:
    with pytest.raises(SystemExit, match="no usable port"):
        run_sandbox(Wanted(port))


async def program(folder: Path, *arguments: str) -> asyncio.subprocess.Process:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    return await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=folder, env=environment, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip


async def ended(process: asyncio.subprocess.Process) -> tuple[int | None, str]:
    try:
        output, _ = await asyncio.wait_for(process.communicate(), LONGEST)
    finally:
        if process.returncode is None:
            process.kill()
    return process.returncode, output.decode()


async def test_a_stop_while_it_is_built_is_clean_and_leaves_nothing_behind(tmp_path: Path) -> None:
    process = await program(tmp_path, "-m", "acwc_bot", "sandbox", "--port", "0")
    assert process.stdout is not None
    assert b"Building" in await asyncio.wait_for(process.stdout.readline(), LONGEST)
    process.send_signal(signal.SIGTERM)
    status, output = await ended(process)
    assert (status, "Traceback" in output) == (0, False), output
    assert "The sandbox has stopped." in output
    assert not (tmp_path / ".sandbox" / "saved.sandbox").exists()
    assert [path.name for path in tmp_path.iterdir()] == [".sandbox"]


async def test_without_simcord_it_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['simcord'] = None; from acwc_bot.sandbox.app import Wanted, run_sandbox; "
        "run_sandbox(Wanted(0))"
    )
    status, output = await ended(await program(tmp_path, "-c", code))
    assert status == 1 and "acwc-bot[sandbox]" in output and "Traceback" not in output, output
