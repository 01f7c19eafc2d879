"""Every code the engine can refuse with, and every kind of post it can owe, has words."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime
from pathlib import Path

from cogs import times
from cogs.render import notices, posts
from cogs.render.errors import known_codes
from cogs.render.readings import unreadable_line
from cogs.times import Unreadable
from engine.negotiation import Reason
from engine.usecases.choosing import Wish

ROOT = Path(__file__).parents[2]
ERRORS = {
    "NotFound", "NotAllowed", "RuleViolation", "Conflict", "BadInput", "NeedsTdRuling", "LichessUnavailable",
    "CannotPair",
}  # fmt: skip
PROGRAMMING = {
    # Raised for callers that broke a contract, or on the command line; no user of Discord can cause them.
    "round", "fact", "seeds_not_unique", "tiebreak", "unplayed", "ruleset", "stop_policy", "date",
    "database", "backup", "backup_exists", "not_a_backup", "use_pg_dump", "newer_database", "second_process",
    "trf_over", "trf_nobody", "trf_undecided", "trf_accelerated", "trf_tiebreak",
    "splitting", "no_such_edition",
}  # fmt: skip


def raised_codes(folder: str) -> set[str]:
    codes: set[str] = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    codes.add(first.value)
    return codes


def test_every_refusal_has_a_text() -> None:
    codes = raised_codes("engine") | raised_codes("cogs") | raised_codes("db") | raised_codes("acwc_bot")
    assert len(codes) > 50
    missing = codes - known_codes() - PROGRAMMING
    assert not missing, missing


def test_every_reason_against_accepting_has_a_text() -> None:
    possible = {
        Reason.NOT_A_PLAYER, Reason.OWN_OFFER, Reason.ALREADY_AGREED, Reason.RETRACTED, Reason.PASSED,
        Reason.CHOOSE_MINUTE, Reason.NOT_IN_RANGE, Reason.TOO_LATE,
    }  # fmt: skip
    assert {f"accept_{reason}" for reason in possible} <= known_codes()


def test_every_unreadable_time_has_words() -> None:
    moment = datetime(2026, 3, 24, tzinfo=UTC)
    said = {unreadable_line(Unreadable("x", reason), moment, moment) for reason in times.Reason}
    assert len(said) == len(times.Reason)


def test_every_owed_post_and_notice_has_words() -> None:
    usecases = "\n".join(path.read_text() for path in (ROOT / "engine/usecases").glob("*.py"))
    kinds = set(re.findall(r'(?:self|[Oo]utbox)\.owe\(\s*[^,]+,\s*"([a-z_]+)"', usecases)) | {"stuck", "undelivered"}
    kinds |= {"extended"}  # owed by an earlier version
    assert kinds == posts.known_kinds()
    told = set(re.findall(r'\.td\(\s*[^,]+,\s*"([a-z_]+)"', usecases)) | {"score_without_games", "games_need_td"}
    told |= {f"asked_to_{wish}" for wish in Wish}
    assert told == notices.known_codes()
