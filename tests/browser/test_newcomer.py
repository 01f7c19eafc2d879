"""A newcomer enters an edition that a TD has just opened: the code, the checks, the TD's approval (R2)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Shoot
from tests.browser.hands import PATIENCE, be, discord, expect_text, open_page, told, types

pytestmark = pytest.mark.browser

NEWCOMER = "entrant_001"


def comes_next(page: Page, words: str) -> None:
    """The page says that this is the next step; it hears by itself of what was done in Discord."""
    page.bring_to_front()
    expect(page.locator(".next")).to_contain_text(words, timeout=PATIENCE)


@pytest.mark.parametrize("sandbox_url", [("--at", "start")], indirect=True)
def test_a_newcomer_registers_proves_and_is_approved(sandbox_url: str, browser: Browser, shoot: Shoot) -> None:
    page = open_page(browser, sandbox_url)
    tab = discord(page, re.compile("lobby"))
    types(tab, "td setup")
    expect_text(tab, "Set up.")
    page.bring_to_front()
    told(page, "Give owner and director the TD role")

    be(page, "Be the TD", "director")
    tab = discord(page, re.compile("directors’ channel"))
    types(tab, "td edition create", "2026-02-01")
    expect_text(tab, "is drafted")
    types(tab, "td edition open")
    expect_text(tab, re.compile("is open and announced"))

    page.bring_to_front()
    page.locator("main select").select_option(NEWCOMER)
    expect(page.get_by_role("heading", name=f"You are {NEWCOMER}")).to_be_visible(timeout=PATIENCE)
    comes_next(page, "/register account:")
    tab = discord(page, re.compile("lobby"))
    types(tab, "register", NEWCOMER)
    expect_text(tab, "Show that the account is yours")
    shoot(tab, "how-to-enter")
    tab.get_by_role("button", name="Check", exact=True).click()
    expect_text(tab, "it is empty")
    comes_next(page, "Put the code into my Lichess bio")
    assert "Press Check" in told(page, "Put the code into my Lichess bio")
    tab.bring_to_front()
    tab.get_by_role("button", name="Check", exact=True).first.click()
    expect_text(tab, f"{NEWCOMER} is yours")
    expect_text(tab, "Rated games: 9000")
    shoot(tab, "checks")
    comes_next(page, "decide")

    be(page, "Be the TD", "director")
    tab = discord(page, re.compile("directors’ channel"))
    expect_text(tab, f"Entry: {NEWCOMER}")
    shoot(tab, "card")
    tab.get_by_role("button", name="Approve", exact=True).last.click()
    expect_text(tab, f"{NEWCOMER}: approved. The player is told privately.")
    page.bring_to_front()
    page.locator("main select").select_option(NEWCOMER)
    expect(page.get_by_role("heading", name=f"You are {NEWCOMER}")).to_be_visible(timeout=PATIENCE)
    comes_next(page, "you are in")
