"""The folder in which a sandbox outlasts its process: the database it runs on, and the snapshot it goes on from."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acwc_bot.sandbox import snapshot
from acwc_bot.sandbox.rehearsal import Rehearsal
from acwc_bot.sandbox.snapshot import Snapshot, Unreadable
from acwc_bot.sandbox.world import DAY_ONE
from db.lock import ProcessLock
from db.migrations import upgrade
from engine.errors import Conflict

log = logging.getLogger(__name__)

#: Seconds without a change after which it is saved.
QUIET = 1.0


class FolderRefused(Exception):
    """The folder cannot be used; the text is a sentence."""


class Folder:
    """`database` is what runs now and is made anew at each start; only the snapshot counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = path / "sandbox.db"
        self.saved = path / "saved.sandbox"

    @contextmanager
    def held(self) -> Iterator[None]:
        """For one process; FolderRefused when another has it or nothing can be written there."""
        lock = ProcessLock(f"sqlite:///{self.database}")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            (self.path / ".gitignore").write_text("*\n", "utf-8")
            lock.acquire()
        except Conflict:
            raise FolderRefused(
                f"Another sandbox runs in the folder {self.path}. Stop it first, or choose another with --folder."
            ) from None
        except OSError as failure:
            raise FolderRefused(f"The sandbox cannot use the folder {self.path}: {failure.strerror}.") from None
        try:
            yield
        finally:
            lock.release()

    def load(self) -> Snapshot | None:
        """The snapshot, its database in place; None when there is none. Raises Unreadable after setting it aside."""
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.database}{suffix}").unlink(missing_ok=True)
        if not self.saved.exists():
            return None
        try:
            found = snapshot.read(self.saved)
            self.database.write_bytes(found.database)
            _bring_up_to_date(self.database)
        except Unreadable as reason:
            self.database.unlink(missing_ok=True)
            aside = self.set_aside("unreadable")
            raise Unreadable(f"{reason}; it is kept as {aside}") from None
        return found

    def set_aside(self, why: str) -> Path:
        """Renames the snapshot, so that a new sandbox can be saved; gives its new name."""
        aside = self.saved.with_name(f"{why}.sandbox")
        self.saved.replace(aside)
        return aside


def _bring_up_to_date(database: Path) -> None:
    try:
        upgrade(f"sqlite:///{database}", database.parent, DAY_ONE)
    except Conflict as refusal:
        raise Unreadable("a newer version of the bot wrote it") from refusal


class Keeper:
    """Saves the sandbox whenever it has changed and nothing goes on."""

    def __init__(self, folder: Folder, rehearsal: Rehearsal) -> None:
        self._folder = folder
        self._rehearsal = rehearsal
        self._kept = -1

    async def save(self) -> None:
        """Now, if anything has changed since the last time. A disk that refuses is a line in the terminal."""
        changes = self._rehearsal.sandbox.changes
        if changes == self._kept:
            return
        try:
            snapshot.write(self._folder.saved, await snapshot.take(self._rehearsal.sandbox, self._rehearsal.visit()))
        except OSError as failure:
            log.error("the sandbox cannot be saved in %s: %s", self._folder.path, failure.strerror)
        self._kept = changes

    async def watch(self) -> None:
        """Until it is cancelled."""
        before = -1
        while True:
            await asyncio.sleep(QUIET)
            now = self._rehearsal.sandbox.changes
            if now == before and self._rehearsal.doing is None:
                await self.save()
            before = now
