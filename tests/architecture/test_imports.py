"""Who may import whom (docs/architecture.md); the import-linter contracts themselves are in pyproject.toml."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.project import PACKAGES, ROOT, python_files

PAIRING_LIBRARIES = {"rustworkx", "networkx"}
# networkx is the way out when a weight would not fit into rustworkx' 127 bits, and the checker's independent matching.
NETWORKX_USERS = {Path("engine/swiss.py"), Path("engine/pairing_checker.py")}


def imported_roots(tree: ast.Module) -> Iterator[str]:
    """Top-level package of every absolute import, wherever in the file it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


def run_python(code: str, tmp_path: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in a fresh interpreter, in an empty folder, with the project importable."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("name", PACKAGES)
def test_package_names_mean_the_packages_of_this_repository(name: str) -> None:
    """`engine`, `db` and `cogs` are general names; another distribution's must not take their place."""
    file = importlib.import_module(name).__file__
    assert file is not None, f"{name} is a namespace package: its __init__.py is missing"
    assert Path(file).resolve() == ROOT / name / "__init__.py"


def test_import_contracts_are_kept() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_engine_imports_only_the_standard_library_and_the_pairing_libraries() -> None:
    allowed = set(sys.stdlib_module_names) | PAIRING_LIBRARIES | {"engine"}
    strangers = {
        f"{path} imports {root}"
        for path, tree in python_files("engine")
        for root in imported_roots(tree)
        if root not in allowed or (root == "networkx" and path not in NETWORKX_USERS)
    }
    assert not strangers


def test_random_generators_in_tests_have_a_seed() -> None:
    unseeded = [
        f"{path}:{node.lineno}"
        for path, tree in python_files("tests")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in {"Random", "random.Random"}
        and not (node.args or node.keywords)
    ]
    assert not unseeded


def test_engine_loads_nothing_but_the_engine(tmp_path: Path) -> None:
    """What the import graph says, seen at run time: no Discord, database or network code comes along."""
    modules = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path, _ in python_files("engine")]
    code = (
        f"import importlib, sys\nfor name in {modules!r}: importlib.import_module(name)\n"
        "found = {'discord', 'sqlmodel', 'sqlalchemy', 'apscheduler', 'berserk', 'requests', 'aiohttp', 'pydantic'}\n"
        "assert not found & set(sys.modules), sorted(found & set(sys.modules))"
    )
    result = run_python(code, tmp_path)
    assert result.returncode == 0, result.stderr


def test_with_a_discord_token_nothing_imports_simcord(tmp_path: Path) -> None:
    code = (
        "import sys\nimport acwc_bot.wiring, acwc_bot.bot, acwc_bot.__main__\n"
        "loaded = [n for n in sys.modules if n.partition('.')[0] == 'simcord' or n.startswith('acwc_bot.sandbox')]\n"
        "assert not loaded, loaded"
    )
    result = run_python(code, tmp_path, DISCORD_TOKEN="not-a-real-token")
    assert result.returncode == 0, result.stderr
