"""The real process: logs in, delivers what is owed, stops cleanly on SIGTERM; one process per database."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from discord import Permissions

from acwc_bot.service import INVITED
from acwc_bot.wiring import SystemClock
from db.worker import SqlDatabase
from engine.model import Post, PostState, Server
from tests.standin import Guild, Standin
from tests.world import migrated

ROOT = Path(__file__).parents[2]
LONGEST = 60  # a process that never answers fails the test instead of hanging it

LAUNCH = """
import sys, yarl, discord.http, discord.gateway
discord.http.Route.BASE = f"http://{sys.argv[1]}/api/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"ws://{sys.argv[1]}/gateway/")
sys.argv[1:] = sys.argv[2:]
from acwc_bot.__main__ import main
main()
"""


@asynccontextmanager
async def bot(
    folder: Path, discord: str, *arguments: str, **settings: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "DISCORD_TOKEN": "good",
        "DATABASE_URL": f"sqlite:///{folder / 'acwc.db'}",
        "BACKUP_DIR": str(folder / "backups"),
    } | settings
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LAUNCH, discord, *arguments,
        cwd=folder, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def ended(process: asyncio.subprocess.Process) -> tuple[int, str]:
    output, _ = await asyncio.wait_for(process.communicate(), LONGEST)
    assert process.returncode is not None
    return process.returncode, output.decode()


def owe(folder: Path, key: str, guild: Guild) -> None:
    with SqlDatabase(f"sqlite:///{folder / 'acwc.db'}") as db:
        if not db.read_sync(lambda reader: reader.find(Server)):
            channels = {"td": guild.channels["directors"].id}
            db.write_sync(lambda store: store.add(Server(guild_id=guild.id, channels=channels)))
        payload = {"target": "channel:results", "problem": "missing_channel"}
        post = Post(
            guild_id=guild.id, key=key, kind="stuck", target="channel:td", payload=payload,
            created_at=datetime(2026, 3, 22, tzinfo=UTC),
        )  # fmt: skip
        db.write_sync(lambda store: store.post(post))


def registrations(discord: Standin) -> int:
    return len(discord.calls("PUT", "/commands"))


async def logged_in(discord: Standin, times: int = 1) -> None:
    await discord.until(lambda: discord.gateway.logins == times, f"login number {times}", longest=LONGEST)


def row(folder: Path, key: str) -> Post:
    with SqlDatabase(f"sqlite:///{folder / 'acwc.db'}") as db:
        found = db.read_sync(lambda reader: reader.one(Post, key=key))
    assert found is not None
    return found


async def test_it_delivers_what_is_owed_and_stops_cleanly_on_sigterm(tmp_path: Path) -> None:
    migrated(tmp_path / "acwc.db", tmp_path)
    async with Standin(SystemClock()) as discord:
        guild = discord.create_guild("Antichess")
        directors = guild.create_text_channel("directors")
        owe(tmp_path, "one", guild)
        async with bot(tmp_path, discord.base, "run") as process:
            await logged_in(discord)
            await discord.until(lambda: bool(discord.arrived(directors.id)), "the post", longest=LONGEST)
            process.send_signal(signal.SIGTERM)
            status, output = await ended(process)
        assert status == 0, output
        assert "Traceback" not in output and "stopped" in output
        assert row(tmp_path, "one").state is PostState.SENT
        assert registrations(discord) == 1
        async with bot(tmp_path, discord.base, "run") as again:
            await logged_in(discord, 2)
            again.send_signal(signal.SIGINT)
            assert (await ended(again))[0] == 0
        assert registrations(discord) == 1  # the unchanged tree is not registered again
        arrived = [post.content for post in discord.arrived(directors.id)]
        assert len([text for text in arrived if "Messages are stuck" in text]) == 1 and not discord.rejected
        assert len(arrived) == len(set(arrived)), "nor is anything else said twice"


async def test_it_answers_and_posts_as_people_act(tmp_path: Path) -> None:
    async with Standin(SystemClock()) as discord:
        guild = discord.create_guild("Antichess", community=True, bot=INVITED)
        lobby = guild.create_text_channel("lobby")
        powers = Permissions(manage_guild=True, manage_threads=True)
        owner = guild.add_member("owner", [guild.create_role("Owner", permissions=powers)])
        async with bot(tmp_path, discord.base, "run") as process:
            await discord.gateway.connected.wait()
            result = await owner.slash(lobby, "td setup")
            assert result.response is not None and "Set up" in result.response.content
            td = guild.add_member("td", [guild.roles["World Cup TD"]])
            await discord.slash(td, lobby, "td edition create", starts="2030-03-24", ruleset="2023")
            opened = await discord.slash(td, lobby, "td edition open")
            assert opened.response is not None and "open and announced" in opened.response.content
            announced = guild.channels["wc-announcements"]
            await discord.until(lambda: bool(announced.history()), "the announcement", longest=LONGEST)
            process.send_signal(signal.SIGTERM)
            assert (await ended(process))[0] == 0
        assert not discord.rejected


async def test_one_process_per_database_and_standby_takes_over(tmp_path: Path) -> None:
    async with Standin(SystemClock()) as discord, bot(tmp_path, discord.base, "run") as first:
        await logged_in(discord)
        async with bot(tmp_path, discord.base, "run") as second:
            status, output = await ended(second)
            assert status == 1 and "Another process already runs the bot on this database" in output
            assert "Traceback" not in output
        async with bot(tmp_path, discord.base, "run", "--standby") as standby:
            first.kill()  # no farewell: the lock is the system's to give back
            await logged_in(discord, 2)
            standby.send_signal(signal.SIGTERM)
            assert (await ended(standby))[0] == 0


async def test_a_token_that_discord_does_not_accept(tmp_path: Path) -> None:
    async with Standin(SystemClock()) as discord, bot(tmp_path, discord.base, "run", DISCORD_TOKEN="bad") as process:
        status, output = await ended(process)
    assert status == 1 and "Discord does not accept DISCORD_TOKEN" in output
    assert "Traceback" not in output and "bad" not in output.replace("bad file", "")


async def test_discord_away_at_the_start_is_waited_out(tmp_path: Path) -> None:
    async with Standin(SystemClock()) as discord:
        nobody = discord.base
    async with bot(tmp_path, nobody, "run") as process:
        assert process.stdout is not None
        line = b""
        while b"trying again" not in line:
            line = await asyncio.wait_for(process.stdout.readline(), LONGEST)
            assert line, "the process ended"
        process.send_signal(signal.SIGTERM)
        status, output = await ended(process)
    assert status == 0 and "Traceback" not in output


async def test_wrong_values_are_named_with_what_is_expected(tmp_path: Path) -> None:
    wrong = {"DISCORD_GUILD_ID": "my server", "LOG_LEVEL": "loud", "DATABASE_URL": "mysql://x", "PUBLIC_URL": "nowhere"}
    async with bot(tmp_path, "127.0.0.1:9", "run", **wrong) as process:
        status, output = await ended(process)
    assert status == 2 and "Traceback" not in output
    for key in wrong:
        assert f"{key}: " in output and "Expected: " in output
    assert not (tmp_path / "acwc.db").exists()


async def test_invite_and_sync(tmp_path: Path) -> None:
    async with Standin(SystemClock()) as discord:
        async with bot(tmp_path, discord.base, "invite") as process:
            status, output = await ended(process)
        application = discord.state.application_id
        assert status == 0 and f"client_id={application}" in output and "applications.commands" in output
        async with bot(tmp_path, discord.base, "sync") as process:
            status, output = await ended(process)
        assert status == 1 and "acwc-bot db upgrade" in output
        migrated(tmp_path / "acwc.db", tmp_path)
        for _ in range(2):
            async with bot(tmp_path, discord.base, "sync", "--guild", "77") as process:
                assert (await ended(process))[0] == 0
        assert registrations(discord) == 3  # once at the first login, and each time it was asked for


async def test_a_misspelt_setting_is_named_instead_of_starting_the_sandbox(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DISCORD_TOKN=good\n")
    async with bot(tmp_path, "-", "run", "--or-sandbox", DISCORD_TOKEN="") as process:
        status, output = await ended(process)
    assert status == 2 and "DISCORD_TOKN" in output and "DISCORD_TOKEN" in output


async def test_check_names_what_cannot_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    wrong = {"BACKUP_DIR": "/proc/backups", "LICHESS_URL": "http://127.0.0.1:9", "DISCORD_TOKEN": ""}
    async with bot(tmp_path, "-", "check", **wrong) as process:
        status, output = await ended(process)
    assert status == 1
    assert "WRONG backups /proc/backups: cannot be written to" in output and "WRONG Lichess" in output
    assert "ok    database" in output and "Traceback" not in output


async def test_no_token_is_said(tmp_path: Path) -> None:
    async with bot(tmp_path, "127.0.0.1:9", "run", DISCORD_TOKEN="") as process:
        status, output = await ended(process)
    assert status == 2 and "DISCORD_TOKEN is not set" in output


async def test_the_command_line_checks_rulesets_and_the_database(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text('name = "x"\nnonsense = 1\n')
    async with bot(tmp_path, "-", "rules", "check", str(broken)) as process:
        status, output = await ended(process)
    assert status == 1 and "nonsense" in output and "Traceback" not in output
    async with bot(tmp_path, "-", "db", "upgrade") as process:
        assert (await ended(process))[0] == 0
    async with bot(tmp_path, "-", "db", "backup") as process:
        status, output = await ended(process)
    copy = next((tmp_path / "backups").iterdir())
    assert status == 0 and copy.name in output.replace("\n", "")
    async with bot(tmp_path, "-", "db", "restore", str(copy)) as process:
        assert (await ended(process))[0] == 0
