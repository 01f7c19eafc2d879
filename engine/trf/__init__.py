"""Tournament report files (FIDE Handbook C.04 Annex 2, TRF16) with the extensions XXR, XXZ, XXP and our own (AW…).

One game of such a file is one match of ours: its points are match points. docs/trf.md says what is read and written.
"""

from engine.trf.reader import MOST_BYTES, read
from engine.trf.shapes import Cell, Fault, Meeting, TrfFile, TrfInvalid, TrfPlayer
from engine.trf.use import NOT_IN_A_REPORT, next_pairing, ranking, table_of
from engine.trf.writer import from_tournament, not_in_a_report, write

__all__ = [
    "MOST_BYTES",
    "NOT_IN_A_REPORT",
    "Cell",
    "Fault",
    "Meeting",
    "TrfFile",
    "TrfInvalid",
    "TrfPlayer",
    "from_tournament",
    "next_pairing",
    "not_in_a_report",
    "ranking",
    "read",
    "table_of",
    "write",
]
