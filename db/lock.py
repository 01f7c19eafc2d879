"""One process per database: two bots on one database would each believe they are the only one."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

from db.connect import shown, sqlite_path
from engine.errors import Conflict

_PROCESS_LOCK = 0x41435743_0002
"""Key of the PostgreSQL advisory lock; it is per database, so a constant will do."""

_STANDBY_POLL_S = 0.2


class ProcessLock:
    """Held from `acquire` to `release` (or as a context manager), let go by the system when the process dies.

    A file beside the SQLite database, a session advisory lock on PostgreSQL. `wait=True` (`--standby`) waits until the
    other process is gone; otherwise `acquire` raises Conflict("second_process", database=…).
    """

    def __init__(self, url: str, wait: bool = False) -> None:
        self._url = url
        self._wait = wait
        self._held: FileLock | Connection | None = None

    def acquire(self) -> None:
        path = sqlite_path(self._url)
        if path is None:
            self._held = self._lock_server()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(f"{path}.lock", thread_local=False)
        # A folder where no lock file can be made must not look like a lock that somebody holds.
        Path(f"{path}.lock").touch()
        try:
            lock.acquire(timeout=-1 if self._wait else 0, poll_interval=_STANDBY_POLL_S)
        except Timeout:
            raise self._conflict() from None
        self._held = lock

    def release(self) -> None:
        if isinstance(self._held, Connection):
            self._held.close()
        elif self._held is not None:
            self._held.release()
        self._held = None

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, *raised: object) -> None:
        self.release()

    def _lock_server(self) -> Connection:
        engine = create_engine(self._url, hide_parameters=True, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        connection = engine.connect()
        take = "pg_advisory_lock" if self._wait else "pg_try_advisory_lock"
        if connection.execute(text(f"SELECT {take}({_PROCESS_LOCK})")).scalar() is False:
            connection.close()
            raise self._conflict()
        return connection

    def _conflict(self) -> Conflict:
        return Conflict("second_process", database=shown(self._url))
