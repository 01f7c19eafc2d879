"""`make clauses`, or `python -m tests.clauses R5.4 Q42` for these only."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    # Imported here: each of the forked processes imports this file, and has to stay as it is.
    from tests.clauses.report import main

    sys.exit(main(sys.argv[1:]))
