"""Working on the text of a ruleset: its keys line by line, and changes to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.rules import RulesetError, load, shipped_text
from engine.rules.fields import leaves

TEXT = shipped_text("2023")

# Keys that a text may lack: those of one strategy, and those that came after editions had been stored.
MAY_BE_MISSING = frozenset(key for key, field in leaves() if not field.required)


@dataclass(frozen=True)
class Line:
    """A `key = value  # clauses` line: its place in the text and its dotted key, lists of tables without an index."""

    number: int
    key: str
    value: str
    clauses: tuple[str, ...]


def lines(text: str) -> Iterator[Line]:
    section = ""
    for number, line in enumerate(text.splitlines()):
        if header := re.fullmatch(r"\[\[?([a-z_.]+)\]\]?", line):
            section = header[1] + "."
        elif found := re.fullmatch(r"([a-z0-9_]+) = (.*?)(?:  # (.*))?", line):
            yield Line(number, section + found[1], found[2], tuple((found[3] or "").split()))


def with_line(text: str, number: int, line: str) -> str:
    every = text.splitlines()
    every[number] = line
    return "\n".join(every)


def with_value(text: str, key: str, value: str) -> str:
    """The text with another TOML value under a dotted key (the first of that key)."""
    line = next(line for line in lines(text) if line.key == key)
    return with_line(text, line.number, f"{key.rsplit('.', 1)[-1]} = {value}")


def faults_of(text: str) -> dict[str, str]:
    """Dotted key, without the numbers of tables -> reason of every fault of a text; empty when it loads."""
    try:
        load(text, "cup.toml")
    except RulesetError as error:
        return {re.sub(r"\.\d+(?=\.)", "", fault.key): fault.reason for fault in error.faults}
    return {}
