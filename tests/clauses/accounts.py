"""A wrong watch over accounts, wrong grounds and wrong changes (R7.2, R7.3, Q44f, Q55).

(clause, what the bot would then do, the change)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.clauses.change import Change, Swap, Value

WATCH = "engine.usecases.watch"
NOT_GUILTY = '["engine", "booster", "ineligible", "second_account", "public_accusation", "two_forfeits", "conduct"]'
GROUNDS = '["engine", "guilty", "ineligible", "second_account", "public_accusation", "two_forfeits", "conduct"]'


def nothing_is_known_before(seen: Any) -> Any:
    return lambda before, account, now: replace(seen(before, account, now), marked=False)


def closed_is_marked(seen: Any) -> Any:
    def marked(before: Any, account: Any, now: Any) -> Any:
        after = seen(before, account, now)
        return replace(after, marked=after.marked or after.closed)

    return marked


def only_the_newest(accounts: Any) -> Any:
    return lambda self, entrant_id: accounts(self, entrant_id)[-1:]


ACCOUNTS: list[tuple[str, str, Change]] = [
    ("R7.3", "the accounts are looked at every two hours", Value("reporting.marks_checked_every", '"2 h"')),
    ("R7.2", "whoever is found guilty stays", Value("leaving.grounds", NOT_GUILTY)),
    ("R7.3", "boosting is no ground", Value("leaving.grounds", GROUNDS)),
    ("R7.3", "a mark is not seen", Swap(f"{WATCH}:_as_seen", nothing_is_known_before)),
    ("Q44f", "a closed account is a mark", Swap(f"{WATCH}:_as_seen", closed_is_marked)),
    (
        "Q55",
        "every account counts at any time",
        Swap("engine.accounts:Held.counts_at", lambda _: lambda self, moment: True),
    ),
    ("Q55", "only the newest account counts", Swap("engine.usecases.context:Event.accounts", only_the_newest)),
]
