"""The tour of the README in a real browser: offer, accept, play, result, standings."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import APIResponse, Browser, Route, expect

from tests.browser.conftest import Shoot
from tests.browser.hands import PATIENCE, be, discord, expect_text, fill_in, open_page, press

pytestmark = pytest.mark.browser

HOME, OPPONENT = "entrant_001", "entrant_025"


def test_from_an_offer_to_the_standings(sandbox_url: str, browser: Browser, shoot: Shoot) -> None:
    page = open_page(browser, sandbox_url)
    expect(page.get_by_role("heading", name=f"You are {HOME}")).to_be_visible()
    shoot(page, "first-page")

    tab = discord(page, "Open your match thread in Discord")
    expect_text(tab, "Agree on a time.")
    shoot(tab, "match-thread")
    tab.get_by_role("button", name="Offer times").click()
    submit = fill_in(tab, "Tue 18:00", "14 Jan 20:30", "Fri 9 am")
    shoot(tab, "offer-form")
    submit.click()
    expect_text(tab, "Offered to entrant_025")
    expect_text(tab, "entrant_001: 3 of 3 offers ✓")
    shoot(tab, "offered")

    be(page, "Be my opponent", OPPONENT)
    tab = discord(page, "Open your match thread in Discord")
    expect_text(tab, "entrant_001 offers 3 times.")
    shoot(tab, "offers-seen-by-the-opponent")
    tab.get_by_role("button", name="Accept Wed 14 Jan 20:30").last.click()
    expect_text(tab, "Agreed: Wed 14 Jan 20:30 UTC")
    shoot(tab, "agreed")

    be(page, f"Be {HOME}", HOME)
    press(page, "Play my match")
    expect(page.locator(".said > p")).to_contain_text("have played", timeout=PATIENCE)
    shoot(page, "played")
    tab = discord(page, "Open your match thread in Discord")
    expect_text(tab, re.compile(r"Finished: entrant_001 \S+–\S+ entrant_025"))
    shoot(tab, "finished")
    page.bring_to_front()
    tab = discord(page, re.compile("^#wc-results"))
    expect_text(tab, re.compile(r"Round 1: entrant_001 \S+–\S+ entrant_025"))
    shoot(tab, "results")

    page.bring_to_front()
    press(page, "Finish the round for the others")
    expect(page.locator(".said > p")).to_have_text("The round is played.", timeout=PATIENCE)
    shoot(page, "round-played")
    tab = discord(page, re.compile("^#wc-standings"))
    expect_text(tab, re.compile("after round 1", re.IGNORECASE))
    shoot(tab, "standings")


def test_the_others_act_and_the_clock_stops_at_deadlines(sandbox_url: str, browser: Browser, shoot: Shoot) -> None:
    page = open_page(browser, sandbox_url, phone=True)
    shoot(page, "phone")
    press(page, "Let my opponent act")
    expect(page.locator(".said > p")).to_contain_text("entrant_025 offers 3 times", timeout=PATIENCE)
    tab = discord(page, "Open your match thread in Discord")
    expect_text(tab, "entrant_025 offers 3 times.")
    shoot(tab, "phone-thread")
    page.bring_to_front()
    press(page, "To the next deadline")
    expect(page.locator(".said > p")).to_contain_text(
        "Thu 15 Jan 18:00 UTC: reminder to whoever has made no offer", timeout=PATIENCE
    )
    tab.bring_to_front()
    expect_text(tab, "entrant_001: no offer from you yet.")
    page.bring_to_front()
    press(page, "Let the others act")
    expect(page.locator(".said > p")).to_contain_text("matches have got their times", timeout=PATIENCE)
    shoot(page, "phone-after")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390, "the page can be pushed sideways on a phone"


def test_a_page_that_comes_late_is_not_shown(sandbox_url: str, browser: Browser) -> None:
    """Asked for before a button was pressed, answered after: the page neither goes back nor takes a press in vain."""
    page = open_page(browser, sandbox_url)
    late: list[tuple[Route, APIResponse]] = []

    def hold_the_first(route: Route) -> None:
        if late:
            route.continue_()
        else:
            late.append((route, route.fetch()))

    page.evaluate("window.told = []")
    page.evaluate(
        "new MutationObserver(() => told.push(document.querySelector('#clock h2').innerText))"
        ".observe(document.body, {childList: true})"
    )
    page.route(sandbox_url, hold_the_first)
    with page.expect_request(sandbox_url):
        pass
    before = page.locator("#clock h2").inner_text()
    press(page, "+1 hour")
    expect(page.locator(".said > p")).to_contain_text("It is", timeout=PATIENCE)
    route, response = late[0]
    with page.expect_response(sandbox_url):
        route.fulfill(response=response)
    with page.expect_response(sandbox_url):
        pass
    told = page.evaluate("told")
    assert told and before not in told
