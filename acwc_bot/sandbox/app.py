"""`acwc-bot sandbox`: from the port to the clean stop. Light to import; the sandbox itself is loaded when it starts."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import tempfile
import time
from pathlib import Path

HOST = "127.0.0.1"
HIGHEST_PORT = 65_534


class PortTaken(Exception):
    """Something else listens there."""

    def __init__(self, port: int) -> None:
        super().__init__(f"port {port} is in use")
        self.port = port


def run_sandbox(port: int) -> None:
    """Serves the page on `port` of the loopback and Discord on the next one, until Ctrl-C or SIGTERM.

    Port 0 takes two free ones. PortTaken when one of the two is in use; nothing has been started then.
    """
    if not 0 <= port <= HIGHEST_PORT:
        raise SystemExit(f"{port} is no usable port: choose one from 1024 to {HIGHEST_PORT}.")
    listening = _listen(port)
    discord_port = port + 1 if port else 0
    try:
        if discord_port:
            _listen(discord_port).close()
        _quiet()
        asyncio.run(_until_stopped(listening, discord_port))
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


async def _until_stopped(listening: socket.socket, discord_port: int) -> None:
    """The first signal stops everything in order, the second one at once."""
    loop = asyncio.get_running_loop()
    work = asyncio.ensure_future(_serve(listening, discord_port))

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


async def _serve(listening: socket.socket, discord_port: int) -> None:
    began = time.perf_counter()
    print("Building the sandbox: an offline Discord, an offline Lichess and 45 entrants …", flush=True)
    from acwc_bot.sandbox.field import field_2022
    from acwc_bot.sandbox.opening import play_opening
    from acwc_bot.sandbox.page import serve_page
    from acwc_bot.sandbox.rehearsal import Rehearsal
    from acwc_bot.sandbox.world import open_sandbox

    with tempfile.TemporaryDirectory(prefix="acwc-sandbox-") as folder:
        async with open_sandbox(Path(folder)) as sandbox:
            await play_opening(sandbox, field_2022())
            async with Rehearsal(sandbox, discord_port) as rehearsal, serve_page(rehearsal, listening) as url:
                ready = f"Ready after {time.perf_counter() - began:.1f} s; stop with Ctrl-C."
                print(f"\n    Open  {url}\n\nYou are {rehearsal.viewer}; round 1 is published. {ready}", flush=True)
                await asyncio.Event().wait()
