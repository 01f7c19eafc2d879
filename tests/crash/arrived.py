"""What arrived at Discord and what the database holds, in a form that can be compared between two runs."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.standin import Standin
from tests.standin.state import THREADS

_ID = re.compile(r"\d{17,20}")


@dataclass(frozen=True)
class Picture:
    """`messages`: place -> what stands there now and whom it pinged, in order of arrival. `threads`: in order."""

    messages: dict[str, list[tuple[str, tuple[str, ...]]]]
    threads: tuple[tuple[str, tuple[str, ...]], ...]
    facts: tuple[tuple[str, int], ...]
    owed: int


def picture(standin: Standin, database: Path) -> Picture:
    """Ids of channels become their names, since every run makes its own threads."""
    state = standin.state
    names = {id: channel.get("name") or "DM" for id, channel in state.channels.items()}
    messages: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for arrival in state.arrivals:
        if not arrival.deleted:
            text = _ID.sub(lambda hit: names.get(hit[0], hit[0]), arrival.content)
            messages.setdefault(names[str(arrival.channel_id)], []).append((text, arrival.pings))
    tags = {tag["id"]: tag["name"] for channel in state.channels.values() for tag in channel.get("available_tags", [])}
    threads = sorted((c for c in state.channels.values() if c["type"] in THREADS), key=lambda c: int(c["id"]))
    with sqlite3.connect(database) as connection:
        facts = Counter(kind for (kind,) in connection.execute("SELECT kind FROM fact"))
    shown = tuple((c["name"], tuple(tags[id] for id in c.get("applied_tags", []))) for c in threads)
    return Picture(messages, shown, tuple(sorted(facts.items())), owed(database))


def owed(database: Path) -> int:
    """How many posts have not arrived."""
    with sqlite3.connect(database) as connection:
        return connection.execute("SELECT count(*) FROM post WHERE state IN ('waiting', 'stuck')").fetchone()[0]


@dataclass(frozen=True)
class Difference:
    """Each a list of lines; all empty when the run ended as one that nobody disturbed."""

    lost: tuple[str, ...]
    doubled: tuple[str, ...]
    wrong: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.lost or self.doubled or self.wrong)


def compare(expected: Picture, found: Picture) -> Difference:
    """`wrong` is what is neither lost nor doubled: the order of a place, a fact too many, a post that still waits."""
    wanted, there = _entries(expected), _entries(found)
    wrong: list[str] = []
    if wanted == there:
        wrong += [
            f"order in {place}" for place in expected.messages if expected.messages[place] != found.messages[place]
        ]
        if expected.threads != found.threads:
            wrong.append("order of threads")
    if expected.facts != found.facts:
        wrong.append(f"facts {found.facts} instead of {expected.facts}")
    if found.owed:
        wrong.append(f"{found.owed} posts still wait")
    return Difference(_lines(wanted - there), _lines(there - wanted), tuple(wrong))


def _entries(picture: Picture) -> Counter[tuple[str, str]]:
    entries = Counter((place, repr(entry)) for place, said in picture.messages.items() for entry in said)
    return entries + Counter(("threads", repr(thread)) for thread in picture.threads)


def _lines(entries: Counter[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(f"{count} x in {place}: {text[:200]}" for (place, text), count in entries.items())
