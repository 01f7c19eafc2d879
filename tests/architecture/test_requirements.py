"""The pinned requirement files fit pyproject.toml and each other."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.architecture.project import ROOT

PIN = re.compile(r"^([a-z0-9-]+)==(\S+)(?: ; .+?)? \\$", re.MULTILINE)


def pins(name: str) -> dict[str, str]:
    """Distribution -> release, with every entry hashed."""
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    entries = [part for part in re.split(r"^(?=[^\s#])", text, flags=re.MULTILINE) if not part.startswith("#")]
    assert all("--hash=sha256:" in entry for entry in entries)
    found = dict(PIN.findall(text))
    assert len(found) == len(entries), "an entry that is not one pinned release"
    return found


def distributions(requirements: list[str]) -> set[str]:
    """Normalised names of requirement lines, without extras and versions."""
    names = (re.split(r"[\[<>=!~; ]", line, maxsplit=1)[0] for line in requirements)
    return {re.sub(r"[-_.]+", "-", name).lower() for name in names}


@pytest.mark.parametrize(
    ("name", "extras"),
    [("run.txt", ["sandbox"]), ("dev.txt", ["sandbox", "dev"]), ("bench.txt", ["sandbox", "dev", "bench"])],
)
def test_everything_that_pyproject_asks_for_is_pinned(name: str, extras: list[str]) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = declared["project"]
    wanted = project["dependencies"] + declared["build-system"]["requires"]
    wanted += [line for extra in extras for line in project["optional-dependencies"][extra]]
    assert distributions(wanted) <= set(pins(name))


def test_development_runs_the_releases_that_are_deployed() -> None:
    run, dev, bench = pins("run.txt"), pins("dev.txt"), pins("bench.txt")
    assert run.items() <= dev.items() <= bench.items()
