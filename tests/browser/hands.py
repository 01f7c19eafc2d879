"""What a visitor's hands do with the sandbox's page and with Discord in the second tab."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Locator, Page, expect

PATIENCE = 180_000
DESKTOP, PHONE = (1280, 900), (390, 800)


def open_page(browser: Browser, url: str, *, phone: bool = False) -> Page:
    """The sandbox's page in a new window: on a desktop, or dark on a phone."""
    width, height = PHONE if phone else DESKTOP
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if phone else "light"
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(url)
    return page


def press(page: Page, label: str) -> None:
    page.bring_to_front()
    page.locator("main").get_by_role("button", name=label, exact=True).click()


def idle(page: Page) -> None:
    """Waits until nothing goes on any more."""
    expect(page.locator("main button:disabled")).to_have_count(0, timeout=PATIENCE)


def said(page: Page) -> str:
    """The newest line of the sandbox's page, once nothing goes on any more."""
    idle(page)
    return page.locator(".said > p").inner_text()


def told(page: Page, label: str) -> str:
    """Presses a button; what the page says when that is done."""
    press(page, label)
    return said(page)


def discord(page: Page, button: str | re.Pattern[str]) -> Page:
    """Discord in its tab, at what the button opens."""
    page.bring_to_front()
    known = page.context.pages
    opener = page.locator("main").get_by_role("button", name=button).first
    if len(known) > 1:
        opener.click()
        tab = known[1]
    else:
        with page.expect_popup() as popup:
            opener.click()
        tab = popup.value
    tab.bring_to_front()
    return tab


def expect_text(tab: Page, text: str | re.Pattern[str]) -> None:
    expect(tab.locator("#timeline, main").first.get_by_text(text).last).to_be_visible(timeout=PATIENCE)


def types(tab: Page, command: str, value: str | None = None) -> None:
    """Types a slash command, with a value for the first of its options, and sends it."""
    box = tab.locator("#channel-composer-input")
    expect(box).to_be_visible(timeout=PATIENCE)
    box.click()
    box.fill(f"/{command}")
    commands = tab.get_by_role("listbox", name="Application commands")
    expect(commands.get_by_role("option", selected=True)).to_be_visible(timeout=PATIENCE)
    box.press("Enter")
    expect(box).to_have_count(0, timeout=PATIENCE)  # the fields of the command are in its place
    if value is not None:
        tab.keyboard.type(value)
    tab.keyboard.press("Escape")
    tab.get_by_role("button", name="Send", exact=True).click()  # waits until it can be pressed, as a key does not
    expect(box).to_be_visible(timeout=PATIENCE)


def fill_in(tab: Page, *texts: str) -> Locator:
    """Fills the fields of the form that is open, when Discord has nothing else to do; gives its Submit button."""
    expect(tab.locator("#action-status")).to_have_text("Callback completed", timeout=PATIENCE)
    form = tab.get_by_role("dialog")
    for place, text in enumerate(texts):
        form.get_by_role("textbox").nth(place).fill(text)
    return form.get_by_role("button", name="Submit")


def be(page: Page, label: str, name: str) -> None:
    """Somebody else from now on, unless the visitor is that one already."""
    idle(page)
    here = page.get_by_role("heading", name=f"You are {name}")
    if not here.count():
        press(page, label)
        expect(here).to_be_visible(timeout=PATIENCE)


def fits(page: Page) -> bool:
    """Whether the page cannot be pushed sideways."""
    viewport = page.viewport_size
    assert viewport is not None
    return page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
