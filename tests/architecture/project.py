"""The project's own files, as the architecture tests see them."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("acwc_bot", "cogs", "db", "engine")


def project_files() -> list[Path]:
    """Every file that is tracked or would be, relative to the root. Needs git: without it nothing could be checked."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [Path(name) for name in sorted(set(listed.split("\0"))) if name and (ROOT / name).is_file()]


def text_files() -> Iterator[tuple[Path, str]]:
    """Path and content of every project file that is text."""
    for path in project_files():
        try:
            yield path, (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def python_files(*tops: str) -> Iterator[tuple[Path, ast.Module]]:
    """Path and syntax tree of every Python file below the given top-level folders."""
    for path in project_files():
        if path.suffix == ".py" and path.parts[0] in tops:
            yield path, ast.parse((ROOT / path).read_text(encoding="utf-8"), filename=str(path))
