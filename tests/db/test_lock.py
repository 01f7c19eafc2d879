"""One process per database, tried with a real second process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import db
from db.lock import ProcessLock
from engine.errors import Conflict

HOLDER = """
import sys
from db.lock import ProcessLock
with ProcessLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(url: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(str(db.__file__)).parents[1],
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_process_refuses_and_takes_over_when_the_first_is_killed(
    url: str, holder: subprocess.Popen[str]
) -> None:
    with pytest.raises(Conflict, match=r"^second_process") as caught:
        ProcessLock(url).acquire()
    assert caught.value.params["database"].endswith(url.rpartition("/")[2])
    holder.kill()
    holder.wait()
    with ProcessLock(url), pytest.raises(Conflict):
        ProcessLock(url).acquire()


def test_a_standby_waits_until_the_first_is_gone(url: str, holder: subprocess.Popen[str]) -> None:
    standby = ProcessLock(url, wait=True)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(standby.acquire)
        with pytest.raises(TimeoutError):
            waiting.result(0.05)
        assert holder.stdin is not None
        holder.stdin.close()
        waiting.result(20)
    standby.release()
    with ProcessLock(url):
        pass


def test_two_names_of_one_file_are_one_database(tmp_path: Path) -> None:
    (tmp_path / "other").symlink_to(tmp_path, target_is_directory=True)
    with ProcessLock(f"sqlite:///{tmp_path}/acwc.db"), pytest.raises(Conflict):
        ProcessLock(f"sqlite:///{tmp_path}/other/acwc.db").acquire()


def test_no_password_is_shown() -> None:
    shown = ProcessLock("postgresql+psycopg://acwc:hunter2@host/cup")._conflict()
    assert "hunter2" not in str(shown) and "host/cup" in str(shown)
