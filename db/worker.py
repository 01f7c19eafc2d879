"""`SqlDatabase`: one thread writes, a few read, and a transaction is committed only when its work returns."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self, TypeVar

from sqlmodel import Session

from db.connect import BUSY_MS, READERS, reader_engine, sqlite_path, writer_engine
from db.unit_of_work import SqlReader, SqlStore

R = TypeVar("R")
S = TypeVar("S")

log = logging.getLogger(__name__)

_WIPE_MS = 200
"""How long a wipe waits for readers; whoever writes waits as long behind it."""


class SqlDatabase:
    """`engine.ports.Database` on SQLite or PostgreSQL; the schema must be there (`db.migrations.upgrade`).

    `on_commit` is called after every commit that owes Discord a new message or version: in the event loop for
    `write`, in the calling thread for `write_sync`. A caller that is cancelled while it waits may miss the call though
    its write is committed, so a relay needs a slow look of its own.
    """

    def __init__(self, url: str, on_commit: Callable[[], None] | None = None) -> None:
        self.url = url
        self.on_commit = on_commit
        self._writing = writer_engine(url)
        self._reading = reader_engine(url)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="database-writer")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="database-reader")
        # A process before this one may have died between an erasure and its wipe.
        self._owes_vacuum = self._owes_checkpoint = sqlite_path(url) is not None

    async def write(self, work: Callable[[SqlStore], R]) -> R:
        loop = asyncio.get_running_loop()
        return self._committed(*await loop.run_in_executor(self._writer, self._transact, work))

    async def read(self, work: Callable[[SqlReader], R]) -> R:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self.read_sync, work)

    def write_sync(self, work: Callable[[SqlStore], R]) -> R:
        """As `write`, for callers without an event loop. Not from inside a write: it would wait for itself."""
        return self._committed(*self._writer.submit(self._transact, work).result())

    async def erase(self, work: Callable[[SqlStore], R]) -> R:
        """As `write`; from then on a `wipe` is owed, whatever becomes of the caller."""
        loop = asyncio.get_running_loop()
        return self._committed(*await loop.run_in_executor(self._writer, self._erase, work))

    def _erase(self, work: Callable[[SqlStore], R]) -> tuple[R, bool]:
        self._owes_vacuum = self._owes_checkpoint = sqlite_path(self.url) is not None
        return self._transact(work)

    async def wipe(self) -> bool:
        """SQLite keeps old text in its log and its free pages; PostgreSQL clears its own away. False while somebody
        else reads the log or writes: it is owed until another call does it."""
        if not self._owes_checkpoint:
            return True
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._wipe)

    def _wipe(self) -> bool:
        """The free pages once, and then the log, which has the old pages until nobody reads them."""
        with self._writing.connect() as connection:
            driver: Any = connection.connection.driver_connection  # no transaction of ours around it
            driver.execute(f"PRAGMA busy_timeout={_WIPE_MS}")
            try:
                if self._owes_vacuum:
                    driver.execute("VACUUM")
                    self._owes_vacuum = False
                (busy, *_) = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                self._owes_checkpoint = bool(busy)
                trouble = "something else reads it" if busy else None
            except sqlite3.Error as error:
                trouble = str(error)
            finally:
                driver.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        if trouble is not None:
            log.warning("what was erased is still in the files of the database: %s", trouble)
        return trouble is None

    def read_sync(self, work: Callable[[SqlReader], R]) -> R:
        """As `read`, in the calling thread."""
        with Session(self._reading) as session:
            return _called(work, SqlReader(session))

    async def setting(self, name: str) -> str | None:
        """What the bot last remembered under that name (the hash of the command tree), None when nothing."""
        return await self.read(lambda reader: reader.setting(name))

    async def set_setting(self, name: str, value: str) -> None:
        await self.write(lambda store: store.set_setting(name, value))

    def close(self) -> None:
        """Waits for everything that was handed in, then lets go of the database. Later calls raise RuntimeError."""
        self._writer.shutdown(wait=True)
        self._readers.shutdown(wait=True)
        self._reading.dispose()
        self._writing.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _transact(self, work: Callable[[SqlStore], R]) -> tuple[R, bool]:
        with Session(self._writing, expire_on_commit=False) as session:
            store = SqlStore(session)
            session.connection()  # takes the write lock before the work reads anything
            result = _called(work, store)
            session.commit()
            return result, store.posted

    def _committed(self, result: R, posted: bool) -> R:
        if posted and self.on_commit is not None:
            self.on_commit()
        return result


def _called(work: Callable[[S], R], session: S) -> R:
    """A StopIteration out of `work` cannot be handed to a waiting task, which would then wait for ever."""
    try:
        return work(session)
    except StopIteration as error:
        raise RuntimeError("the work on the database raised StopIteration") from error
