"""A newcomer enters an edition that a TD has just opened: the code, the checks, the TD's approval (R2)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Shoot
from tests.browser.hands import PATIENCE, be, discord, expect_text, idle, open_page, said, told, types

pytestmark = pytest.mark.browser

NEWCOMER = "entrant_001"


def comes_next(page: Page) -> str:
    page.bring_to_front()
    idle(page)
    return page.locator(".next").inner_text()


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
    assert "/register account:" in comes_next(page)
    tab = discord(page, re.compile("lobby"))
    types(tab, "register", NEWCOMER)
    expect_text(tab, "Show that the account is yours")
    shoot(tab, "how-to-enter")
    tab.get_by_role("button", name="Check", exact=True).click()
    expect_text(tab, "it is empty")
    assert "Put the code into my Lichess bio" in comes_next(page)
    told(page, "Put the code into my Lichess bio")
    assert "Press Check" in said(page)
    tab.bring_to_front()
    tab.get_by_role("button", name="Check", exact=True).first.click()
    expect_text(tab, f"{NEWCOMER} is yours")
    expect_text(tab, "Rated games: 9000")
    shoot(tab, "checks")
    assert "decide" in comes_next(page)

    be(page, "Be the TD", "director")
    tab = discord(page, re.compile("directors’ channel"))
    expect_text(tab, f"Entry: {NEWCOMER}")
    shoot(tab, "card")
    tab.get_by_role("button", name="Approve", exact=True).last.click()
    expect_text(tab, f"{NEWCOMER}: approved. The player is told privately.")
    page.bring_to_front()
    page.locator("main select").select_option(NEWCOMER)
    expect(page.get_by_role("heading", name=f"You are {NEWCOMER}")).to_be_visible(timeout=PATIENCE)
    assert "you are in" in comes_next(page)
