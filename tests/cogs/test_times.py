"""R5.3 and Q4: the times of `tests/data/times.json`, and the edges of `read_times`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from cogs.times import MAX_LENGTH, MAX_TIMES, Ambiguous, Reading, Reason, Unreadable, read_time, read_times

DATA: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "times.json").read_text(encoding="utf-8"))
NOW = datetime(2023, 3, 21, 12, tzinfo=UTC)
WINDOW = (NOW, datetime(2023, 3, 28, tzinfo=UTC))


def _moment(text: str) -> str:
    return datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ")


def _span(reading: Reading) -> str:
    end = "" if reading.end is None else "/" + _moment(reading.end.isoformat())
    return _moment(reading.start.isoformat()) + end


def _plain(result: Reading | Ambiguous | Unreadable) -> Any:
    if isinstance(result, Reading):
        return _span(result)
    if isinstance(result, Ambiguous):
        return {"ask": [_span(reading) for reading in result.readings]}
    return {"refused": str(result.reason)}


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: f"{case['in']}: {case['text']}")
def test_r5_3_the_collected_times(case: dict[str, Any]) -> None:
    context = DATA["contexts"][case["in"]]
    first, last = (datetime.fromisoformat(moment) for moment in context["window"])
    zone = ZoneInfo(context["zone"]) if "zone" in context else UTC
    results = read_times(case["text"], now=datetime.fromisoformat(context["now"]), window=(first, last), zone=zone)
    assert [_plain(result) for result in results] == case["means"]


def test_every_reason_is_in_the_collection() -> None:
    seen = {means["refused"] for case in DATA["cases"] for means in case["means"] if "refused" in means}
    assert seen == set(Reason) - {Reason.TOO_LONG, Reason.TOO_MANY}


def test_q4_a_range_is_one_reading_with_its_end() -> None:
    assert read_time("Sat 14-20", now=NOW, window=WINDOW) == Reading(
        datetime(2023, 3, 25, 14, tzinfo=UTC), datetime(2023, 3, 25, 20, tzinfo=UTC), "Sat 14-20"
    )


def test_q4_in_an_hour_is_a_full_hour_ahead() -> None:
    odd = NOW + timedelta(seconds=7, microseconds=5)
    result = read_time("in an hour", now=odd, window=WINDOW)
    assert isinstance(result, Reading)
    assert result.start == datetime(2023, 3, 21, 13, 1, tzinfo=UTC)


def test_each_result_carries_its_own_text() -> None:
    results = read_times("  Thu 18:00,  Sat 9 or 12 ; nonsense", now=NOW, window=WINDOW)
    assert [result.text for result in results] == ["Thu 18:00", "Sat 9", "12", "nonsense"]


def test_the_window_includes_its_start_and_excludes_its_end() -> None:
    first, last = WINDOW
    early = first - timedelta(days=2)
    for text, expected in (
        ("21/3 12:00", Reading),
        ("21/3 11:59", Unreadable),
        ("27/3 23:59", Reading),
        ("28/3 0:00", Unreadable),
    ):
        assert isinstance(read_time(text, now=early, window=(first, last)), expected), text


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\u200b"])
def test_nothing_is_no_time(text: str) -> None:
    assert read_times(text, now=NOW, window=WINDOW) == [Unreadable(text, Reason.NO_TIME)]


def test_one_time_is_asked_and_two_are_given() -> None:
    assert read_time("Sat 9 or 12", now=NOW, window=WINDOW) == Unreadable("Sat 9 or 12", Reason.TOO_MANY)


def test_too_many_times() -> None:
    fits = ", ".join(["Sat 9"] * MAX_TIMES)
    assert all(isinstance(result, Reading) for result in read_times(fits, now=NOW, window=WINDOW))
    (result,) = read_times(fits + ", Sat 9", now=NOW, window=WINDOW)
    assert isinstance(result, Unreadable)
    assert result.reason == Reason.TOO_MANY


def test_too_long_a_text() -> None:
    (result,) = read_times("Sat 18:00" + " " * MAX_LENGTH, now=NOW, window=WINDOW)
    assert isinstance(result, Unreadable)
    assert result.reason == Reason.TOO_LONG
    assert len(result.text) <= 100


@pytest.mark.parametrize(
    "unit",
    [
        "1.1 ",
        "1-",
        "9 ",
        " ",
        "in ",
        "sat ",
        ", ",
        "a/",
        "(1.1 1.1 1.1 1.1 1.1), ",
        "12.12 12.12;",
        "10:10 - ",
        "1.1.1 ",
        "\u3300",
        "\ufdfa",
        "+1",
        "-1 ",
        "5 may ",
    ],
)
def test_hostile_texts_are_refused_at_once(unit: str) -> None:
    text = (unit * MAX_LENGTH)[:MAX_LENGTH]
    began = time.process_time()
    results = read_times(text, now=NOW, window=WINDOW)
    assert time.process_time() - began < 0.2
    assert all(isinstance(result, Unreadable) for result in results)


def test_reading_needs_neither_discord_nor_a_date_parser() -> None:
    program = "import sys, cogs.times; print(sorted({'discord', 'dateparser', 'engine'} & set(sys.modules)))"
    root = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
