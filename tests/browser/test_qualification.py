"""A whole Qualification of 45 players and 7 rounds, played from the page by a player who is now and then the TD.

The hands follow what the page says comes next, as a person would; they know nothing of the seed.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Shoot
from tests.browser.hands import PATIENCE, be, discord, expect_text, fill_in, fits, idle, open_page, told

pytestmark = pytest.mark.browser

HOME, ROUNDS, PLAYERS = "entrant_001", 7, 45
#: No match takes more of the visitor's steps.
MOST_STEPS = 12
THREAD = "Open your match thread in Discord"


def comes_next(page: Page) -> str:
    """What the page says the visitor does next."""
    idle(page)
    return page.locator(".next").inner_text()


def follows(page: Page, step: str) -> None:
    """The page hears by itself of what was done in Discord."""
    page.bring_to_front()
    expect(page.locator(".next")).not_to_have_text(step, timeout=PATIENCE)


def play_own_match(page: Page, shoot: Shoot, number: int) -> bool:
    """From the pairing to the result; False when that has to wait for the TD."""
    if "you have the bye" in page.locator("#me").inner_text():
        return True
    for _ in range(MOST_STEPS):
        step = comes_next(page)
        if "your match has its result" in step:
            shoot(discord(page, THREAD), f"round-{number}-thread")
            page.bring_to_front()
            return True
        if "Accept in Discord" in step:
            tab = discord(page, THREAD)
            tab.get_by_role("button", name=re.compile("^Accept ")).last.click()
            expect_text(tab, re.compile("^Agreed: "))
            follows(page, step)
        elif "Play my match" in step:
            if "has not come" in told(page, "Play my match"):
                return False
        elif "make the first offers" in step:
            if "answers after" in told(page, "Let my opponent act"):
                told(page, "To the next deadline")
        else:
            return False
    raise AssertionError(f"round {number} does not come to an end: {comes_next(page)}")


def extend_as_the_td(page: Page, shoot: Shoot, number: int) -> None:
    """What holds the next round up is extended by the button under the bot's notice."""
    be(page, "Be the TD", "director")
    tab = discord(page, "Open the directors’ channel in Discord")
    expect_text(tab, re.compile("is due but waits|are due next|deadline has passed"))
    shoot(tab, f"round-{number}-td-channel")
    tab.get_by_role("button", name="Extend these matches…").last.click()
    fill_in(tab, "They did not meet; both play next week").click()
    # Not the private answer: that of an earlier round still stands there, and the next press would come too early.
    expect_text(tab, re.compile(rf"R{number} · .* may be played until"))
    page.bring_to_front()


def test_seven_rounds_of_45_players(sandbox_url: str, browser: Browser, shoot: Shoot) -> None:
    page = open_page(browser, sandbox_url)
    extended = 0
    for number in range(1, ROUNDS + 1):
        be(page, f"Be {HOME}", HOME)
        coming = "pairings of Candidates, round 1" if number == ROUNDS else f"pairings of round {number + 1}"
        expect(page.locator("#clock")).to_contain_text(coming, timeout=PATIENCE)
        if not play_own_match(page, shoot, number):
            be(page, "Be the TD", "director")
        finished = told(page, "Finish the round for the others")
        assert re.search(r"The round is played\.|Without a result: .* – .*\(.*Extend these matches…", finished), (
            finished
        )
        shoot(page, f"round-{number}-finished")
        if re.search("waits? for matches", told(page, "To next Tuesday")):
            extend_as_the_td(page, shoot, number)
            extended += 1
    assert extended, "with this seed somebody stayed away"

    be(page, "Be the TD", "director")
    left = told(page, "Finish the round for the others")
    assert left.startswith("The round is played."), left
    tab = discord(page, re.compile("^#wc-standings"))
    expect_text(tab, re.compile(f"final standings|after round {ROUNDS}", re.IGNORECASE))
    shoot(tab, "final-standings")
    names = set(re.findall(r"entrant_\d{3}", tab.locator("body").inner_text()))
    assert len(names) == PLAYERS
    page.bring_to_front()
    shoot(page, "end")


def test_the_page_on_a_phone_in_every_state(sandbox_url: str, browser: Browser, shoot: Shoot) -> None:
    page = open_page(browser, sandbox_url, phone=True)
    shoot(page, "player")
    told(page, "Let the others act")
    page.locator("#threads summary").click()
    expect(page.locator("#threads .tag").first).to_be_visible()
    shoot(page, "threads")
    be(page, "Be the TD", "director")
    shoot(page, "director")
    tab = discord(page, "Open the directors’ channel in Discord")
    expect_text(tab, "Approved by director")
    shoot(tab, "td-channel")
    be(page, "Be a follower", "follower")
    assert "Discord is down" in told(page, "Discord down")
    assert "Lichess is down" in told(page, "Lichess down")
    shoot(page, "everything-down")
    assert fits(page)
    assert told(page, "Restart the bot").startswith("Discord is down: a new bot could not log in.")
    told(page, "Discord back up")
    assert "has restarted" in told(page, "Restart the bot")


def test_what_is_pressed_while_discord_is_down_is_explained(sandbox_url: str, browser: Browser, shoot: Shoot) -> None:
    page = open_page(browser, sandbox_url)
    tab = discord(page, THREAD)
    expect_text(tab, "Agree on a time.")
    told(page, "Discord down")
    tab.bring_to_front()
    tab.get_by_role("button", name="Report").first.click()
    expect(tab.get_by_text("Action was not completed.")).to_be_visible(timeout=PATIENCE)
    shoot(tab, "refused")
    page.bring_to_front()
    expect(page.locator(".said.bad > p")).to_contain_text("Discord is down: what people type", timeout=PATIENCE)
    told(page, "Discord back up")
    told(page, "Restart the bot")
    tab.bring_to_front()
    tab.get_by_role("button", name="Offer times").first.click()
    expect(tab.get_by_role("dialog").get_by_role("textbox").first).to_be_visible(timeout=PATIENCE)
