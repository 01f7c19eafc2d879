"""Reading a report: the whole file, or a refusal that names every fault with its line, column and reason."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import replace

from engine.trf.checks import contradictions, rounds_played
from engine.trf.lines import Said, read_lines
from engine.trf.shapes import Cell, Fault, Meeting, TrfFile, TrfInvalid

MOST_BYTES = 2_000_000
# Not str.splitlines, which also splits at characters that may be part of a name.
LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++")


def read(data: bytes, name: str = "file.trf") -> TrfFile:
    """The report in `data`; `name` is the file as errors call it.

    UTF-8, with or without a byte order mark, or else Windows-1252, of which Latin-1 is a part. A line ends with CR, LF
    or both. Raises TrfInvalid with all faults that could be found in one go; contradictions between lines are looked
    for once every line by itself is in order.
    """
    lines = LINE.findall(_decoded(data, name))
    said = read_lines([line.rstrip("\r\n") for line in lines])
    if said.faults:
        raise TrfInvalid(name, said.faults)
    file = _file(tuple(lines), said)
    faults = contradictions(file, said)
    if faults:
        raise TrfInvalid(name, faults)
    return file


def _decoded(data: bytes, name: str) -> str:
    if not data.strip():
        raise TrfInvalid(name, [Fault(0, 0, "the file is empty")])
    if len(data) > MOST_BYTES:
        raise TrfInvalid(name, [Fault(0, 0, f"the file has more than {MOST_BYTES} bytes")])
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise TrfInvalid(name, [Fault(0, 0, "a text file in UTF-16; save it in UTF-8")])
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise TrfInvalid(name, [Fault(0, 0, "not a text file in UTF-8 or Latin-1 (Windows-1252)")])


def _file(lines: tuple[str, ...], said: Said) -> TrfFile:
    width = max(len(player.cells) for player in said.players)
    players = tuple(replace(p, cells=p.cells + (Cell(),) * (width - len(p.cells))) for p in said.players)
    return TrfFile(
        lines=lines,
        title=said.title or "",
        players=players,
        played=rounds_played(players),
        rounds=said.rounds.numbers[0] if said.rounds else None,
        unpaired=_numbers(said, "XXZ"),
        forbidden=tuple(group.numbers for group in said.lists["XXP"]),
        drawn=_meetings(said, "AWD"),
        voided=_meetings(said, "AWV"),
        extended=_meetings(said, "AWE"),
        left=_numbers(said, "AWL"),
        accelerated=said.accelerated,
    )


def _numbers(said: Said, code: str) -> frozenset[int]:
    return frozenset(number for listing in said.lists[code] for number in listing.numbers)


def _meetings(said: Said, code: str) -> frozenset[Meeting]:
    return frozenset(listing.meeting for listing in said.lists[code])
