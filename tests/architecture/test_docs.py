"""The documents name only what exists: commands, buttons, the bot's words, files, links."""

from __future__ import annotations

import ast
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer.main
from discord import app_commands

from acwc_bot.__main__ import app
from tests.architecture.project import ROOT, python_files
from tests.world import World, open_world

Commands = Mapping[str, frozenset[str] | None]
"""By full name (`td round extend`): the options of a command, None for a group."""

DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
HANDBOOK, GUIDE, GLOSSARY = (ROOT / "docs" / name for name in ("td-handbook.md", "player-guide.md", "glossary.md"))
PLANNED = "not here yet"

BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.)\s?)")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^a-z])")
SLASH = re.compile(r"(?:^|(?<=[\s`(*“]))/([a-z][a-z_-]*)(?![\w/-]|\.\w)(?=([^`\n]*))")
CLI = re.compile(r"acwc-bot ([a-z][a-z-]*(?: [a-z][a-z-]*)*)")
OPTION = re.compile(r"(?<=\s)([a-z_]+):")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
TERM = re.compile(r"^- \*\*(.+?)\*\* \(`([^`]+)`\): ", re.MULTILINE)
MODULE = re.compile(r"`((?:acwc_bot|cogs|db|engine|tests)/[\w/.]*\.(?:py|toml))`")
ITALIC = re.compile(r"(?<![*\w])\*([^*\n]+)\*(?![*\w])")
QUOTE = re.compile(r"“([^”\n]+)”")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with open_world(tmp_path) as opened:
        yield opened


def sentences(text: str) -> Iterator[str]:
    """Each sentence, each cell of a table and each item of a list by itself, on one line."""
    for block in BLOCK.split(text):
        for cell in block.split("|"):
            yield from SENTENCE.split(" ".join(cell.split()))


def slash_commands(tree: Any) -> Commands:
    return {
        command.qualified_name: None
        if isinstance(command, app_commands.Group)
        else frozenset(parameter.display_name for parameter in command.parameters)
        for command in tree.walk_commands()
    }


def cli_commands() -> Commands:
    """Options are not looked at: `--help` says them."""
    root: Any = typer.main.get_command(app)
    names: dict[str, frozenset[str] | None] = {}
    for name, command in root.commands.items():
        children = getattr(command, "commands", None)
        names[name] = frozenset() if children is None else None
        names |= {f"{name} {child}": frozenset() for child in children or ()}
    return names


def fault_in(known: Commands, typed: str) -> str | None:
    """The part of a typed command that does not exist, or None. A group may stand by itself; words after a command
    are its arguments."""
    path, *words = typed.split()
    while path in known and known[path] is None and words and re.match(r"[a-z]", words[0]):
        path += f" {words.pop(0)}"
    if path not in known:
        return path
    options = known[path]
    unknown = set() if options is None else set(OPTION.findall(typed)) - options
    return f"{path} {min(unknown)}:" if unknown else None


def faults_in(sentence: str, slash: Commands, cli: Commands) -> list[str | None]:
    """One item per command that is named: what of it does not exist, or None."""
    found = [fault_in(slash, f"{hit[1]} {hit[2].strip()}") for hit in SLASH.finditer(sentence)]
    return found + [fault_in(cli, hit[1]) for hit in CLI.finditer(sentence)]


def wrong_sentences(text: str, slash: Commands, cli: Commands) -> list[str]:
    """A sentence names only what exists, unless it says "not here yet": then something in it must be missing."""
    wrong: list[str] = []
    for sentence in sentences(text):
        found = faults_in(sentence, slash, cli)
        if PLANNED in sentence.lower():
            if found and not any(found):
                wrong.append(f"all of this exists by now: {sentence}")
        else:
            wrong += [f"{fault} does not exist: {sentence}" for fault in found if fault]
    return wrong


async def test_every_command_that_a_document_names_exists(world: World) -> None:
    slash, cli = slash_commands(world.parts.bot.tree), cli_commands()
    wrong = [f"{path.name}: {w}" for path in DOCUMENTS for w in wrong_sentences(path.read_text("utf-8"), slash, cli)]
    assert not wrong, "\n".join(wrong)


def test_the_check_of_commands_finds_what_it_is_for() -> None:
    slash = {"td": None, "td setup": frozenset[str](), "td round": None, "td round extend": frozenset({"reason"})}
    cli = {"check": frozenset[str](), "db": None, "db backup": frozenset[str]()}

    def wrong(text: str) -> int:
        return len(wrong_sentences(text, slash, cli))

    assert not wrong("The `/td` commands: `/td setup`. `/td round extend reason:x`, and/or `CHROMIUM=/path`, `/a/b`.")
    assert not wrong("`acwc-bot check` and `acwc-bot db backup FILE`, or `.venv/bin/acwc-bot --help`.")
    assert wrong("Type `/report`.") and wrong("Type /report.") and wrong("(`/td report`)") and wrong("| `/td undo` |")
    assert wrong("`/td round extend match:`") and wrong("`acwc-bot invite`") and wrong("`acwc-bot db wipe`")
    assert not wrong("Not here yet: `/report`.") and not wrong("Undo by\n`/td undo` is not here yet, see `/td setup`.")
    assert wrong("Not here yet: undo. Type `/td undo`.") and wrong("- Not here yet: a\n- `/td undo`")
    assert wrong("Not here yet: `/td setup`.")


# --- Links and files --------------------------------------------------------------------------------------------


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings."""
    titles = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(path: Path) -> list[str]:
    broken: list[str] = []
    for target in LINK.findall(CODE.sub("", path.read_text("utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        aim = (path.parent / name).resolve() if name else path
        if not aim.exists() or (anchor and anchor not in anchors(aim.read_text("utf-8"))):
            broken.append(f"{path.name}: {target}")
    return broken


def test_every_relative_link_leads_somewhere() -> None:
    assert not [link for path in DOCUMENTS for link in broken_links(path)]


def test_every_document_is_reached_from_the_readme() -> None:
    linked = {(ROOT / target).resolve() for target in LINK.findall((ROOT / "README.md").read_text("utf-8"))}
    assert not {path.name for path in DOCUMENTS[1:]} - {path.name for path in linked}


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A, b\n[x](page.md#a-b) [y](gone.md) [z](#c) [w](https://example.org/) `[v](v.md)`", "utf-8")
    assert broken_links(page) == ["page.md: gone.md", "page.md: #c"]


def test_every_file_that_a_document_names_exists() -> None:
    named = {(path.name, file) for path in DOCUMENTS for file in MODULE.findall(path.read_text("utf-8"))}
    assert named and not {pair for pair in named if not (ROOT / pair[1]).is_file()}


# --- The glossary -----------------------------------------------------------------------------------------------


def test_the_terms_of_the_glossary_are_unique_and_in_order() -> None:
    text = GLOSSARY.read_text("utf-8")
    terms = [term.casefold() for term, _ in TERM.findall(text)]
    assert len(terms) == len(re.findall(r"^- ", text, re.MULTILINE)) > 20, "an item without term and module"
    assert len(set(terms)) == len(terms)
    assert terms == sorted(terms)


# --- The bot's own words ----------------------------------------------------------------------------------------


def said_in(*files: ast.Module) -> list[str]:
    """Every text constant, a filled-in value as "…", without bold marks."""
    texts: list[str] = []
    for tree in files:
        inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
                texts.append("".join(str(part) for part in parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
                texts.append(node.value)
    return texts


def test_labels_and_quotes_in_the_guides_are_the_bots_own_words() -> None:
    """In the two guides *italics* are labels (or permissions) and “quotes” are messages, “…” where a value stands."""
    said = "\n".join(said_in(*(tree for _, tree in python_files("cogs")))).replace("**", "")
    for path in (HANDBOOK, GUIDE):
        text = re.sub(r"\*\*", "", CODE.sub("", path.read_text("utf-8")))
        used = ITALIC.findall(text) + QUOTE.findall(text)
        assert used
        # The number of the duty is written out for players.
        assert not [words for words in used if words not in said and words.replace("3", "…") not in said], path.name


def test_the_handbook_explains_every_notice() -> None:
    (notices,) = (tree for path, tree in python_files("cogs") if path.name == "notices.py")
    openings = {found[1] for text in said_in(notices) if (found := re.match(r"\*\*(.+?)\*\*", text))}
    assert len(openings) > 8
    assert openings <= set(QUOTE.findall(HANDBOOK.read_text("utf-8"))), openings
