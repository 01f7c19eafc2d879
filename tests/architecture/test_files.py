"""What no file of the project may contain, and how large it may be."""

from __future__ import annotations

import re

from tests.architecture.project import project_files, text_files

MAX_LINES = 450
# Written in pieces so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w./~$})-])/(?:" + "|".join(["work", "root", "home", "tmp"]) + r")/[\w.]")
INDEX_ADDRESS = re.compile(
    "|".join([r"py" r"pi\.org", r"python" r"hosted\.org", r"npm" r"js\.org", r"https?://\S+/simple\b", r"file:" r"//"])
    + r"|^\s*(?:-i|-f|--index-url|--extra-index-url|--find-links)[ =]",
    re.MULTILINE,
)


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path}:{text.count(chr(10), 0, hit.start()) + 1}: {hit.group().strip()}"
        for path, text in text_files()
        for hit in pattern.finditer(text)
    ]


def test_the_patterns_find_what_they_are_for() -> None:
    assert MACHINE_PATH.search('open("/' + 'tmp/x")') and MACHINE_PATH.search("HOME=/" + "root/bot")
    assert not MACHINE_PATH.search("https://lichess.org/" + "home/x") and not MACHINE_PATH.search("./" + "tmp/x")
    assert INDEX_ADDRESS.search("https://example.org/" + "simple/") and INDEX_ADDRESS.search("--index-" + "url x")
    assert not INDEX_ADDRESS.search("uv pip compile --no-emit-index-" + "url")


def test_no_file_names_a_folder_of_some_machine() -> None:
    assert not lines_with(MACHINE_PATH)


def test_no_file_names_a_package_index() -> None:
    assert not lines_with(INDEX_ADDRESS)


def test_modules_stay_small() -> None:
    sizes = {path: text.count("\n") for path, text in text_files() if path.suffix == ".py"}
    assert not {str(path): lines for path, lines in sizes.items() if lines > MAX_LINES}


def test_no_secret_or_database_is_kept_in_the_repository() -> None:
    kept = [p for p in project_files() if p.name == ".env" or p.suffix in {".db", ".sqlite", ".sqlite3"}]
    assert not kept
