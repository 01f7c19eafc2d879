"""A rule broken for the length of one test process: another value in the ruleset, or another function in the code.

No file is changed. A break is put in place before any module that uses the broken thing is imported
(`tests.clauses.plugin`), so that `from engine.swiss import pair` gets the broken one too.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.rules import fields, loader
from tests.rules.ruleset_text import lines, with_line

RULESET = "2023"


@dataclass(frozen=True, slots=True)
class Value:
    """The shipped ruleset with another TOML value under a dotted key: the same in every place of that key in the text,
    or one for each place in order. `also`: other keys that have to change with it, or the loader refuses it."""

    key: str
    toml: str | tuple[str, ...]
    also: tuple[tuple[str, str | tuple[str, ...]], ...] = ()

    def text(self) -> str:
        """The changed ruleset; LookupError when there is no such key."""
        text = loader.shipped_text(RULESET)
        for key, toml in ((self.key, self.toml), *self.also):
            places = [line for line in lines(text) if line.key == key]
            if not places:
                raise LookupError(f"the ruleset {RULESET} has no {key}")
            values = [toml] * len(places) if isinstance(toml, str) else toml
            for line, value in zip(places, values, strict=True):
                text = with_line(text, line.number, f"{key.rsplit('.', 1)[-1]} = {value}")
        return text

    def check(self) -> None:
        """The key exists, and the changed text is another ruleset that the loader takes."""
        if self.key not in {key for key, _ in fields.leaves()}:
            raise LookupError(f"no ruleset key {self.key}")
        if loader.load(self.text()) == loader.load(loader.shipped_text(RULESET)):
            raise ValueError(f"{self.key} = {self.toml} changes nothing")

    def apply(self) -> None:
        changed, original = self.text(), loader.shipped_text

        def shipped_text(key: str) -> str:
            return changed if key == RULESET else original(key)

        _put("engine.rules.loader", "shipped_text", shipped_text)

    def __str__(self) -> str:
        return f"{self.key} = {self.toml if isinstance(self.toml, str) else ', '.join(self.toml)}"


@dataclass(frozen=True, slots=True)
class Swap:
    """`target` is `module:name` or `module:Class.name`; `wrong` makes what takes its place from the original."""

    target: str
    wrong: Callable[[Any], Any]

    def check(self) -> None:
        """The target exists, and what replaces it is of its kind and not itself."""
        original = self._original()
        replacement = self.wrong(original)
        if replacement is original or replacement == original or callable(replacement) != callable(original):
            raise ValueError(f"{self.target} would be replaced by {replacement!r}")

    def apply(self) -> None:
        module, _, path = self.target.partition(":")
        _put(module, path, self.wrong(self._original()))

    def _original(self) -> Any:
        module, _, path = self.target.partition(":")
        found: Any = importlib.import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
        return found

    def __str__(self) -> str:
        return self.target.replace(":", ".")


Change = Value | Swap


def _put(module: str, path: str, replacement: Any) -> None:
    """Puts it where it is defined, and wherever a module loaded so far has imported it by name."""
    *outer, name = path.split(".")
    holder: Any = importlib.import_module(module)
    for part in outer:
        holder = getattr(holder, part)
    original = getattr(holder, name)
    setattr(holder, name, replacement)
    for other in list(sys.modules.values()):
        if getattr(other, "__name__", "").split(".")[0] in {"engine", "cogs", "acwc_bot", "db", "tests"}:
            for known, value in list(vars(other).items()):
                if value is original and other is not sys.modules[__name__]:
                    setattr(other, known, replacement)
