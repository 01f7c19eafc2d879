"""`acwc-bot sandbox`: from the port to the clean stop. Light to import; the sandbox itself is loaded when it starts."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acwc_bot.sandbox.keeping import Folder
    from acwc_bot.sandbox.opening import Start
    from acwc_bot.sandbox.snapshot import Snapshot

HOST = "127.0.0.1"
HIGHEST_PORT = 65_534
FIRST = "round-1"
#: With it everybody comes to the board in the first round; somebody stays away later.
FIRST_SEED = 10


class PortTaken(Exception):
    """Something else listens there."""

    def __init__(self, port: int) -> None:
        super().__init__(f"port {port} is in use")
        self.port = port


class Unusable(Exception):
    """The options cannot be used; the text is a sentence. A SystemExit in the loop would cancel it as Ctrl-C does."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """`at` and `seed` None: as it was saved, or FIRST and FIRST_SEED. `fresh`: what is saved is set aside."""

    port: int
    folder: Path = Path(".sandbox")
    at: str | None = None
    seed: int | None = None
    fresh: bool = False


def run_sandbox(wanted: Wanted) -> None:
    """Serves the page on the port of the loopback and Discord on the next one, until Ctrl-C or SIGTERM.

    Port 0 takes two free ones. PortTaken when one of the two is in use; nothing has been started then. SystemExit with
    a sentence when the options cannot be used.
    """
    port = wanted.port
    if not 0 <= port <= HIGHEST_PORT:
        raise SystemExit(f"{port} is no usable port: choose one from 1024 to {HIGHEST_PORT}.")
    listening = _listen(port)
    discord_port = port + 1 if port else 0
    try:
        if discord_port:
            _listen(discord_port).close()
        _quiet()
        asyncio.run(_until_stopped(wanted, listening, discord_port))
    except Unusable as refusal:
        raise SystemExit(str(refusal)) from None
    except ModuleNotFoundError as missing:
        if missing.name and missing.name.partition(".")[0] == "simcord":
            raise SystemExit("The sandbox needs one more package: pip install 'acwc-bot[sandbox]'.") from None
        raise
    finally:
        listening.close()


def _listen(port: int) -> socket.socket:
    """A listening socket; whoever opens the page while the sandbox is being built just waits a little."""
    try:
        return socket.create_server((HOST, port))
    except OSError:
        raise PortTaken(port) from None


def _quiet() -> None:
    """Every act of fifty people would be a line; LOG_LEVEL=DEBUG still shows them."""
    root = logging.getLogger()
    if root.level == logging.INFO:
        root.setLevel(logging.WARNING)
        # About voice, and about events that only a real gateway sends.
        for name in ("discord.state", "discord.client"):
            logging.getLogger(name).setLevel(logging.ERROR)


async def _until_stopped(wanted: Wanted, listening: socket.socket, discord_port: int) -> None:
    """The first signal stops everything in order, the second one at once."""
    loop = asyncio.get_running_loop()
    work = asyncio.ensure_future(_serve(wanted, listening, discord_port))

    def stop() -> None:
        work.cancel()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        await work
    except asyncio.CancelledError:
        print("\nThe sandbox has stopped.", flush=True)


async def _serve(wanted: Wanted, listening: socket.socket, discord_port: int) -> None:
    from acwc_bot.sandbox.field import field_2022
    from acwc_bot.sandbox.keeping import Folder, FolderRefused
    from acwc_bot.sandbox.opening import Start

    try:
        start = Start.parse(wanted.at or FIRST, len(field_2022()))
    except ValueError as refusal:
        raise Unusable(str(refusal)) from None
    folder = Folder(wanted.folder)
    try:
        with folder.held():
            await _run(wanted, folder, start, listening, discord_port)
    except FolderRefused as refusal:
        raise Unusable(str(refusal)) from None


async def _run(wanted: Wanted, folder: Folder, start: Start, listening: socket.socket, discord_port: int) -> None:
    from acwc_bot.sandbox.field import field_2022
    from acwc_bot.sandbox.keeping import Keeper
    from acwc_bot.sandbox.opening import play_opening
    from acwc_bot.sandbox.page import serve_page
    from acwc_bot.sandbox.players import Players
    from acwc_bot.sandbox.rehearsal import Rehearsal
    from acwc_bot.sandbox.world import open_sandbox

    began = time.perf_counter()
    saved = _what_is_saved(wanted, folder)
    async with open_sandbox(folder.database, saved.world if saved else None) as sandbox:
        seed = saved.visit["seed"] if saved else wanted.seed if wanted.seed is not None else FIRST_SEED
        players = Players(sandbox, seed)
        rehearsal = Rehearsal(players, discord_port)
        if saved is None:
            await play_opening(players, field_2022(), start, _say)
            await rehearsal.begin()
        else:
            rehearsal.take_up(saved.visit)
        keeper = Keeper(folder, rehearsal)
        async with rehearsal, serve_page(rehearsal, listening) as url:
            _say(f"Ready after {time.perf_counter() - began:.1f} s; stop with Ctrl-C. You are {rehearsal.viewer}.")
            _say(f"\n    Open  {url}\n")
            try:
                await keeper.watch()
            finally:
                await keeper.save()


def _what_is_saved(wanted: Wanted, folder: Folder) -> Snapshot | None:
    """What to go on from, None to begin anew; says which, and how to have the other."""
    from acwc_bot.sandbox.snapshot import Unreadable

    if folder.saved.exists() and (wanted.fresh or wanted.at or wanted.seed is not None):
        _say(f"What was saved is kept as {folder.set_aside('before')}.")
    try:
        saved = folder.load()
    except Unreadable as reason:
        _say(f"What was saved cannot be taken up: {reason}.")
        saved = None
    if saved is None:
        _say("Building the sandbox: an offline Discord, an offline Lichess and 45 players …")
    else:
        _say(f"Going on from {folder.saved}. To start anew: acwc-bot sandbox --fresh")
    return saved


def _say(text: str) -> None:
    print(text, flush=True)
