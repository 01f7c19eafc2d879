"""The test suite; `python -m tests.bench` and `python -m tests.clauses` are its two tools."""
