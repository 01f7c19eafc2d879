"""The saved sandbox: one file with the database, the offline Discord, the offline Lichess and where the visitor was,
all of one moment.

It is a pickle, so it is read with a list of what may be in it, and its first line says which version wrote it.
"""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import simcord
from simcord.backend import Backend

from acwc_bot.sandbox.world import Sandbox, World
from db.backup import backup

#: One more whenever a class that is saved gets other fields: `World`, `LichessWorld`, a line or the visit of the page.
_FORMAT = 2
_HEADER = f"acwc-bot sandbox, format {_FORMAT}, simcord {simcord.__version__}\n".encode()
_MODULES = ("simcord.", "acwc_bot.sandbox.", "datetime", "collections")
_BUILTINS = frozenset({"set", "frozenset", "bytearray"})


class Unreadable(Exception):
    """A file that this version cannot take up; the text says why, without a full stop."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`visit` is plain data of the page: who the visitor is, what is told, what is seen, which games are laid out."""

    world: World
    database: bytes
    visit: Mapping[str, Any]


async def take(sandbox: Sandbox, visit: Mapping[str, Any]) -> bytes:
    """The sandbox between two acts, as the bytes of a file."""
    async with sandbox.lock:
        with TemporaryDirectory() as folder:
            database = backup(sandbox.machine.database_url, Path(folder), sandbox.now()).read_bytes()
        world = World(without_listeners(sandbox.env.backend), sandbox.lichess)
        return _HEADER + pickle.dumps(Snapshot(world, database, visit))


def without_listeners(backend: Backend) -> Backend:
    """simcord's state without the running bot that listens to it, and without its records for tests."""
    bare = copy.copy(backend)
    bare.subscribers, bare.transcript, bare.http_requests = [], [], []
    return bare


def write(file: Path, data: bytes) -> None:
    """Whole or not at all, whenever the process dies."""
    unfinished = file.with_suffix(".unfinished")
    with unfinished.open("wb") as opened:
        opened.write(data)
        opened.flush()
        os.fsync(opened.fileno())
    unfinished.replace(file)


def read(file: Path) -> Snapshot:
    """Raises Unreadable when another version wrote it or it is damaged."""
    with file.open("rb") as opened:
        header = opened.readline(200)
        if not header:
            raise Unreadable("it is damaged: the file is empty")
        if header != _HEADER:
            raise Unreadable("another version of the bot wrote it")
        try:
            found = _Restricted(opened).load()
        except Exception as error:  # a pickle can fail in any way
            raise Unreadable(f"it is damaged or of another version ({type(error).__name__})") from error
    if not isinstance(found, Snapshot):
        raise Unreadable("it holds something else")
    return found


class _Restricted(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module.startswith(_MODULES) or (module == "builtins" and name in _BUILTINS):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} does not belong into it")
