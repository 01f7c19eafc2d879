"""What outlasts the process of a sandbox: one snapshot of one moment, or a sentence why there is none."""

from __future__ import annotations

import asyncio
import pickle
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acwc_bot.sandbox import snapshot
from acwc_bot.sandbox.deeds import do
from acwc_bot.sandbox.keeping import Folder, FolderRefused, Keeper
from acwc_bot.sandbox.players import Players
from acwc_bot.sandbox.rehearsal import Rehearsal
from acwc_bot.sandbox.snapshot import Unreadable
from acwc_bot.sandbox.world import open_sandbox
from tests.runtime.test_sandbox import own_match, rehearsal, texts
from tests.runtime.test_sandbox_page import LONGEST, ended, program
from tests.runtime.test_sandbox_players import agree


@asynccontextmanager
async def taken_up(folder: Folder) -> AsyncIterator[Rehearsal]:
    """Another process goes on from what is saved."""
    saved = folder.load()
    assert saved is not None
    async with open_sandbox(folder.database, saved.world) as sandbox:
        it = Rehearsal(Players(sandbox, saved.visit["seed"]), 0)
        it.take_up(saved.visit)
        async with it:
            yield it


async def saved_in(folder: Folder, it: Rehearsal) -> None:
    folder.path.mkdir(exist_ok=True)
    await Keeper(folder, it).save()


async def test_a_sandbox_goes_on_where_it_was_saved_and_forgets_what_came_after(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "kept")
    (tmp_path / "first").mkdir()
    async with rehearsal(tmp_path / "first", seed=13) as it:
        await agree(it)
        await do(it, "lichess")
        view, now = await own_match(it), it.sandbox.now()
        await saved_in(folder, it)
        await do(it, "lichess")
        await do(it, "play")
    async with taken_up(folder) as it:
        assert (it.viewer, it.home, it.players.seed, it.sandbox.now()) == ("entrant_001", "entrant_001", 13, now)
        assert it.lines[-1].text.startswith("Lichess is down") and it.sandbox.lichess.down
        assert (await own_match(it)).match == view.match and it.sandbox.lichess.games() == []
        await do(it, "lichess")
        await do(it, "play")
        await do(it, "finish")
        assert it.lines[-1].text == "The round is played."
        await do(it, "tuesday")
        assert (await own_match(it)).round.number == 2
        pairings = texts(it.sandbox, "wc-pairings")
        assert len(pairings) == len(set(pairings)) == 2, "nothing is posted twice"


async def test_a_match_that_is_laid_out_on_lichess_is_still_there(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "kept")
    async with rehearsal(tmp_path) as it:
        await do(it, "others")
        await saved_in(folder, it)
        laid_out = dict(it.players.over)
    async with taken_up(folder) as it:
        assert it.players.over == laid_out and laid_out
        it.be("director")
        await do(it, "finish")
        assert it.lines[-1].text == "The round is played."
        games = [game.white for game in it.sandbox.lichess.games()]
        assert 6 <= sum(name in ("entrant_002", "entrant_004") for name in games) <= 10, "played once"


async def test_discord_down_outlasts_the_process_too(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "kept")
    async with rehearsal(tmp_path) as it:
        await do(it, "discord")
        await saved_in(folder, it)
    async with taken_up(folder) as it:
        assert it.sandbox.discord_down
        await do(it, "discord")
        await do(it, "opponent")
        assert len((await own_match(it)).offers) == 3


async def test_it_saves_by_itself_when_nothing_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acwc_bot.sandbox.keeping.QUIET", 0)
    folder = Folder(tmp_path / "kept")
    folder.path.mkdir()
    async with rehearsal(tmp_path) as it:
        watching = asyncio.ensure_future(Keeper(folder, it).watch())
        it.doing = "something"
        for _ in range(20):
            await asyncio.sleep(0)
        assert not folder.saved.exists(), "not in the middle of something"
        it.doing = None
        await asyncio.wait_for(_exists(folder.saved), LONGEST)
        watching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await watching
    assert folder.load() is not None


async def _exists(file: Path) -> None:
    while not file.exists():
        await asyncio.sleep(0)


# --- What cannot be taken up ------------------------------------------------------------------------------------------


class _Command:
    def __reduce__(self) -> Any:
        return (print, ("run",))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is damaged: the file is empty"),
        (b"acwc-bot sandbox, format 0, simcord 1.0\n" + pickle.dumps({}), "another version"),
        (snapshot._HEADER + b"\x80\x05broken", "damaged or of another version"),
        (snapshot._HEADER + pickle.dumps({"a": 1}), "it holds something else"),
        (snapshot._HEADER + pickle.dumps(_Command()), "damaged or of another version"),
    ],
    ids=["empty", "other version", "broken", "something else", "a command"],
)
def test_a_file_that_cannot_be_taken_up_is_set_aside(
    tmp_path: Path, content: bytes, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Folder(tmp_path)
    folder.saved.write_bytes(content)
    with pytest.raises(Unreadable, match=reason) as refusal:
        folder.load()
    assert "unreadable.sandbox" in str(refusal.value) and capsys.readouterr().out == ""
    assert not folder.saved.exists() and (tmp_path / "unreadable.sandbox").read_bytes() == content
    assert folder.load() is None


async def test_a_database_of_a_newer_version_is_set_aside_too(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "kept")
    async with rehearsal(tmp_path) as it:
        await saved_in(folder, it)
    found = snapshot.read(folder.saved)
    newer = tmp_path / "newer.db"
    newer.write_bytes(found.database)
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    data = pickle.dumps(replace(found, database=newer.read_bytes()))
    snapshot.write(folder.saved, snapshot._HEADER + data)
    with pytest.raises(Unreadable, match=r"a newer version of the bot wrote it; it is kept as .*unreadable"):
        folder.load()
    assert not folder.saved.exists() and not folder.database.exists()


async def test_a_disk_that_refuses_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = Folder(tmp_path / "missing")
    async with rehearsal(tmp_path) as it:
        await Keeper(folder, it).save()
    assert "the sandbox cannot be saved in" in caplog.text and not folder.path.exists()


def test_a_folder_is_for_one_process_at_a_time(tmp_path: Path) -> None:
    second = Folder(tmp_path).held()
    with Folder(tmp_path).held(), pytest.raises(FolderRefused, match="Another sandbox runs in the folder"), second:
        pass
    with Folder(tmp_path).held():
        assert (tmp_path / ".gitignore").read_text() == "*\n"


def test_a_folder_that_cannot_be_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderRefused, match="cannot use the folder"), Folder(tmp_path / "file").held():
        pass


# --- The program --------------------------------------------------------------------------------------------------


async def started(folder: Path, *command: str, end: signal.Signals = signal.SIGTERM) -> list[str]:
    """What it says until it is ready; then it is ended, by default asked to."""
    process = await program(folder, *command)
    try:
        lines = await _ready(process)
    finally:
        process.send_signal(end)
        status, output = await ended(process)
    assert (status, "Traceback" in output) == (0 if end is signal.SIGTERM else -end, False), output
    return lines


async def _ready(process: asyncio.subprocess.Process) -> list[str]:
    """Its lines until it says where to open it."""
    assert process.stdout is not None
    lines: list[str] = []
    while "Open  http" not in "".join(lines[-1:]):
        line = await asyncio.wait_for(process.stdout.readline(), LONGEST)
        assert line, "".join(lines)
        lines.append(line.decode())
    return lines


async def test_a_stopped_and_a_killed_process_go_on_and_fresh_begins_anew(tmp_path: Path) -> None:
    command = ("-m", "acwc_bot", "sandbox", "--port", "0")
    lines = await started(tmp_path, *command, "--at", "start", "--seed", "3")
    assert "You are owner." in "".join(lines)
    lines = await started(tmp_path, *command, end=signal.SIGKILL)
    assert "To start anew: acwc-bot sandbox --fresh" in lines[0] and "You are owner." in "".join(lines)
    lines = await started(tmp_path, *command)
    assert "Going on from" in lines[0]
    lines = await started(tmp_path, *command, "--fresh", "--at", "start")
    assert "before.sandbox" in lines[0] and "Building" in lines[1]


async def test_an_unknown_start_is_a_sentence(tmp_path: Path) -> None:
    status, output = await ended(await program(tmp_path, "-m", "acwc_bot", "sandbox", "--port", "0", "--at", "finals"))
    assert status == 1 and "choose start, registration, or round-1 to round-7." in output and "Traceback" not in output
    assert "has stopped" not in output
