"""A running sandbox and a browser in front of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Shoot = Callable[[Page, str], None]


@pytest.fixture
def sandbox_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The program as a user starts it, in an empty folder, on free ports; it must stop cleanly when asked to. Tests may
    give further arguments."""
    process = subprocess.Popen(
        [sys.executable, "-m", "acwc_bot", "sandbox", "--port", "0", *getattr(request, "param", ())],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if found := re.search(r"http://\S+", line):
                yield found[0]
                break
        else:
            pytest.fail(f"the sandbox ended with status {process.wait(30)} before it named its address")
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    finally:
        if process.poll() is None:
            process.kill()
        process.stdout.close()


@pytest.fixture
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = os.environ.get("CHROMIUM") or "/usr/bin/chromium"
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def shoot(request: pytest.FixtureRequest) -> Shoot:
    """Keeps a picture of a page in the folder that ACWC_SHOTS names, if it names one."""
    folder = os.environ.get("ACWC_SHOTS")
    count = 0

    def shoot(page: Page, name: str) -> None:
        nonlocal count
        if folder:
            count += 1
            target = Path(folder)
            target.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=target / f"{request.node.name}-{count:02d}-{name}.png", full_page=True)

    return shoot
