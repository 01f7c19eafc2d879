"""`/timezone`, `/reminders`, and how a time is shown while it is typed: R5.3."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import pytest

from cogs import autotime, zones
from cogs.render import choices
from cogs.times import Reading as TimeRead
from engine.errors import BadInput
from engine.model import Person
from engine.reminders import Kind
from tests.clauses.stage import says
from tests.world import World, custom_ids, text_of

NOW = datetime(2026, 3, 22, 12, tzinfo=UTC)
CLOSES = datetime(2026, 3, 31, tzinfo=UTC)


# --- /timezone ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("berlin", "Europe/Berlin"),
        (" europe/BERLIN ", "Europe/Berlin"),
        ("New York time", "America/New_York"),
        ("são paulo", "America/Sao_Paulo"),
        ("buenos aires", "America/Argentina/Buenos_Aires"),
        ("japan", "Japan"),
        ("CET", "Europe/Paris"),
        ("est", "America/New_York"),
        ("+2", "Etc/GMT-2"),
        ("UTC+02:00", "Etc/GMT-2"),
        ("gmt-3", "Etc/GMT+3"),
        ("−5", "Etc/GMT+5"),
        ("+5:30", "Asia/Kolkata"),
        ("none", None),
        ("UTC", None),
        ("UTC+0", None),
    ],
)
def test_a_zone_as_people_type_it(typed: str, name: str | None) -> None:
    assert zones.iana_name(typed) == name


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("atlantis", "zone_unknown"),
        ("", "zone_unknown"),
        ("localtime", "zone_unknown"),
        ("Etc/GMT-2", "zone_unknown"),
        ("../../etc/passwd", "zone_unknown"),
        ("\x00", "zone_unknown"),
        ("x" * 5000, "zone_unknown"),
        ("+15", "zone_unknown"),
        ("+10:30", "zone_offset"),
        ("IST", "zone_ambiguous"),
        ("PST", "zone_ambiguous"),
    ],
)
def test_what_is_no_zone_is_refused(typed: str, code: str) -> None:
    with pytest.raises(BadInput) as refused:
        zones.iana_name(typed)
    assert refused.value.code == code


def test_a_fixed_zone_keeps_the_offset_that_was_typed() -> None:
    for hours in range(-12, 15):
        zone = zones.zone_of(zones.iana_name(f"UTC{hours:+d}"))
        for month in (1, 7):
            assert datetime(2026, month, 1, tzinfo=zone).utcoffset() == timedelta(hours=hours)
        if hours:
            assert zones.shown(zones.iana_name(f"{hours:+d}")) == f"UTC{hours:+d}"


def test_every_zone_with_a_place_is_found_by_its_name() -> None:
    for name in available_timezones():
        if "/" in name and not name.startswith("Etc/"):
            assert zones.iana_name(name.upper()) == name
            assert name in zones.search(name.replace("_", " "), 25)


@pytest.mark.parametrize("name", ["Europe/Atlantis", "../x", "", "a\x00b", "/etc/passwd", "Europe"])
def test_a_stored_zone_that_is_gone_is_utc(name: str) -> None:
    assert (zones.zone_of(name), zones.shown(name), zones.is_lost(name)) == (UTC, "UTC", True)


async def choose_from(world: World, who: str, command: str, option: str, typed: str = "") -> list[dict[str, Any]]:
    return await world.people[who].autocomplete(world.lobby, command, option, typed)


async def test_r5_3_timezone_says_how_a_bare_time_is_read_and_offers_are_read_so(event: World) -> None:
    answer = await says(event, "anna", "timezone", zone="berlin")
    assert "read on the clock of **Europe/Berlin**, where it is Sun 13:00." in answer
    assert "`Sat 18:00` means Sat 28 Mar 17:00 UTC; your Discord shows it as <t:1774717200:F>" in answer
    await event.restart()
    assert "Sat 28 Mar 17:00 UTC" in await says(event, "anna", "offer", times="Sat 18:00")
    assert "Sun 29 Mar 16:00 UTC" in await says(event, "anna", "offer", times="Sun 29 18:00"), "summer time by then"
    assert "read on the clock of **Europe/Berlin**" in await says(event, "anna", "timezone")
    answer = await says(event, "anna", "timezone", zone="+2")
    assert "on the clock of **UTC+2**" in answer and "Sat 28 Mar 16:00 UTC" in answer and "choose your city" in answer
    for typed, words in (("IST", "Asia/Jerusalem, Europe/Dublin, Asia/Kolkata"), ("atlantis", "I know no time zone")):
        assert words in await says(event, "anna", "timezone", zone=typed)
    assert "UTC+2" in await says(event, "anna", "timezone"), "a refusal changes nothing"
    assert "read as **UTC**" in await says(event, "anna", "timezone", zone="none")
    event.person("stranger")
    assert "read as **UTC**" in await says(event, "stranger", "timezone")
    assert "Asia/Tokyo" in await says(event, "stranger", "timezone", zone="asia/tokyo")


async def test_zones_are_offered_by_any_part_and_one_that_is_gone_is_said(event: World) -> None:
    first = await choose_from(event, "anna", "timezone", "zone")
    assert [choice["value"] for choice in first[:2]] == ["UTC", "Europe/London"] and len(first) == 25
    assert first[0]["name"] == "UTC, now Sun 12:00 (yours)"
    found = await choose_from(event, "anna", "timezone", "zone", "YORK")
    assert found == [{"name": "America/New_York, now Sun 08:00", "value": "America/New_York"}]
    found = await choose_from(event, "anna", "timezone", "zone", "pst")
    assert [choice["name"].split(",")[0] for choice in found] == ["America/Los_Angeles", "UTC+8"]
    for choice in found:
        await says(event, "anna", "timezone", zone=choice["value"])
    assert await choose_from(event, "anna", "timezone", "zone", "x" * 100) == []

    def lose(store) -> None:
        store.save(replace(store.one(Person, name="anna"), timezone="Europe/Atlantis"))

    await event.parts.db.write(lose)
    answer = await says(event, "anna", "timezone")
    assert "I do not know your time zone “Europe/Atlantis” any more, so your times are read as **UTC**" in answer
    assert "Sat 28 Mar 18:00 UTC" in answer
    assert (await choose_from(event, "anna", "timezone", "zone"))[0]["value"] == "UTC"


# --- /reminders -----------------------------------------------------------------------------------------------------


async def test_reminders_are_switched_one_by_one_and_stay_so(event: World) -> None:
    stranger = event.person("stranger")
    shown = await event.slash(stranger, "reminders")
    assert custom_ids(shown.response) == [f"acwc:1:reminder:{kind}.off" for kind in Kind]
    text = text_of(shown)
    assert text.count("🔔 on: ") == len(Kind) and "Always on" in text and "(§5.1, §5.5)" in text
    await event.click(stranger, shown.response, "acwc:1:reminder:hour_before.off")
    await event.restart()
    again = await event.slash(stranger, "reminders")
    assert "off: 1 h before your match" in text_of(again) and text_of(again).count("off: ") == 1
    assert "acwc:1:reminder:hour_before.on" in custom_ids(again.response)
    await event.click(stranger, again.response, "acwc:1:reminder:hour_before.on")
    await event.click(stranger, shown.response, "acwc:1:reminder:hour_before.on")
    await event.click(stranger, shown.response, "acwc:1:reminder:answer.off")
    assert text_of(await event.slash(stranger, "reminders")).count("off: ") == 1, "the same switch twice is one"
    person = event.parts.db.read_sync(lambda reader: reader.one(Person, discord_id=stranger.id))
    assert person is not None and person.muted == ("answer",)


@pytest.mark.parametrize("arg", ["too_few.off", "answer", "answer.maybe", ".off", "answer.off.off", "", "ANSWER.off"])
async def test_forged_switches_are_refused(event: World, arg: str) -> None:
    from cogs.views.buttons import _handlers

    with pytest.raises(BadInput, match="old_button"):
        await _handlers["reminder"](SimpleNamespace(), arg)  # type: ignore[arg-type]


# --- While typing ---------------------------------------------------------------------------------------------------


def shown(text: str, zone: str | None = None) -> list[tuple[str, str]]:
    return autotime.readings(
        SimpleNamespace(now=NOW, opens=NOW, closes=CLOSES, timezone=zone),  # type: ignore[arg-type]
        text,
    )


def test_r5_3_the_reading_is_shown_and_what_is_chosen_is_what_was_typed() -> None:
    assert shown("Sat 18:00") == [("Sat 28 Mar 18:00 UTC, in 6 days", "Sat 18:00")]
    assert shown("sat 6pm", "Europe/Berlin") == [("Sat 28 Mar 17:00 UTC, in 6 days, 18:00 for you", "sat 6pm")]
    assert shown("28 Mar 23:30", "America/New_York") == [
        ("Sun 29 Mar 03:30 UTC, in 7 days, Sat 23:30 for you", "28 Mar 23:30")
    ]
    assert shown("today 14:10") == [("Sun 22 Mar 14:10 UTC, in 2 hours", "today 14:10")]
    assert shown("in 40 minutes") == [("Sun 22 Mar 12:40 UTC, in 40 min", "in 40 minutes")]
    assert shown("Sat 22-02") == [("Sat 28 Mar 22:00–Sun 02:00 UTC, in 6 days", "Sat 22-02")]
    assert shown("Thu 18:00, Sat 9") == [("2 times, UTC: Thu 26 Mar 18:00, Sat 28 Mar 09:00", "Thu 18:00, Sat 9")]


def test_r5_3_what_cannot_be_read_says_why_in_a_few_words() -> None:
    for text, why in (
        ("hello", "“hello”: not a time I can read"),
        ("Sat", "“Sat”: which hour?"),
        ("Sat 18:00, Mon 31 Mar 9:00", "“Mon 31 Mar 9:00”: weekday and date do not go together"),
        ("Sat 18:00 XYZ", "“Sat 18:00 XYZ”: unknown time zone"),
        ("5 April 18:00", "“5 April 18:00”: outside the window of this match"),
        ("29 Mar 2:30 Europe/Berlin", "“29 Mar 2:30 Europe/Berlin”: daylight saving skips that hour on that day"),
    ):
        ((name, value),) = shown(text)
        assert (name, value) == (why, text)


def test_r5_3_each_reading_of_an_ambiguous_time_is_a_choice_that_has_one_reading() -> None:
    assert shown("Mon 20:30") == [
        ("Mon 23 Mar 20:30 UTC, in 33 hours", "23 Mar 2026 20:30 UTC"),
        ("Mon 30 Mar 20:30 UTC, in 8 days", "30 Mar 2026 20:30 UTC"),
    ]
    found = shown("Mon 20:30, Sat 9 CET", "Asia/Kolkata")
    assert len(found) > 2
    for name, value in found:
        again = shown(value, "Asia/Kolkata")
        assert again == [(name, value)], "read again it is the same, and certain"


def test_r5_3_nothing_that_is_chosen_is_ever_read_otherwise() -> None:
    """Forms x zones: a choice with the text as typed shows the one reading; any other stands for what it shows."""
    forms = ("%a %H:%M", "%d/%m %H:%M", "%m/%d %I%p", "%d %b %H.%M", "%H:%M on %A", "%d.%m. %H-23", "%Y-%m-%d %H%M")
    for zone in (None, "Europe/Berlin", "America/Los_Angeles", "Pacific/Auckland", "Asia/Kathmandu"):
        clock = ZoneInfo(zone) if zone else UTC
        for hours in range(5, 200, 13):
            local = (NOW + timedelta(hours=hours)).astimezone(clock)
            for form in forms:
                text = local.strftime(form)
                for name, value in shown(text, zone):
                    assert len(name) <= choices.LIMIT and len(value) <= choices.LIMIT
                    if value != text:
                        assert shown(value, zone) == [(name, value)], (text, value)


def test_long_lines_stay_within_discords_limit() -> None:
    text = ", ".join(f"{day} Mar {hour}:15" for day in (24, 25, 26, 27) for hour in (9, 18))
    ((name, value),) = shown(text)
    assert name.startswith("8 times, UTC: Tue 24 Mar 09:15") and len(name) == choices.LIMIT and value == text
    many = "Mon 20:30, Mon 21:30, Mon 22:30, Mon 23:00, Mon 19:00"
    assert shown(many) == [(choices.too_open(), many)]
    read = TimeRead(NOW, NOW + timedelta(hours=1), "x")
    assert choices.typed(read) == "22 Mar 2026 12:00-13:00 UTC"


async def test_r5_3_offers_show_their_reading_while_they_are_typed(event: World) -> None:
    await says(event, "anna", "timezone", zone="Europe/Berlin")
    (choice,) = await choose_from(event, "anna", "offer", "times", "Sat 18:00")
    assert choice == {"name": "Sat 28 Mar 17:00 UTC, in 6 days, 18:00 for you", "value": "Sat 18:00"}
    assert "Sat 28 Mar 17:00 UTC" in await says(event, "anna", "offer", times=choice["value"])
    (_, second) = await choose_from(event, "bob", "offer", "times", "Mon 20:30")
    assert second["name"].startswith("Mon 30 Mar 20:30 UTC")
    assert "Mon 30 Mar 20:30 UTC" in await says(event, "bob", "offer", times=second["value"])
    for typed in ("", " ", "Sat 18:00 " + "x" * 100):
        assert await choose_from(event, "anna", "offer", "times", typed) == []
    event.person("stranger")
    assert await choose_from(event, "stranger", "offer", "times", "Sat 18:00") == []
