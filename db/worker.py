"""`SqlDatabase`: one thread writes, a few read, and a transaction is committed only when its work returns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self, TypeVar

from sqlmodel import Session

from db.connect import READERS, reader_engine, sqlite_path, writer_engine
from db.unit_of_work import SqlReader, SqlStore

R = TypeVar("R")
S = TypeVar("S")


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

    async def write(self, work: Callable[[SqlStore], R]) -> R:
        loop = asyncio.get_running_loop()
        return self._committed(*await loop.run_in_executor(self._writer, self._transact, work))

    async def read(self, work: Callable[[SqlReader], R]) -> R:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self.read_sync, work)

    def write_sync(self, work: Callable[[SqlStore], R]) -> R:
        """As `write`, for callers without an event loop. Not from inside a write: it would wait for itself."""
        return self._committed(*self._writer.submit(self._transact, work).result())

    async def wipe(self) -> None:
        """SQLite keeps old pages in its log and its free pages; PostgreSQL clears its own away."""
        if sqlite_path(self.url) is not None:
            await asyncio.get_running_loop().run_in_executor(self._writer, self._vacuum)

    def _vacuum(self) -> None:
        with self._writing.connect() as connection:
            driver: Any = connection.connection.driver_connection  # no transaction of ours around it
            driver.execute("VACUUM")
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")

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
