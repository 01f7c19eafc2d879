"""Discord's documented limits of request bodies, in one place: the stand-in refuses what breaks them, and in tests on
simcord every request of discord.py is checked by `tests/conftest.py`.

Sources, all under https://discord.com/developers/docs (read in the repository discord/discord-api-docs):
resources/message (content, nonce, embeds and their limits, allowed mentions), components/reference (rows, buttons,
selects, text inputs, labels), interactions/receiving-and-responding (modals, choices),
interactions/application-commands (names, descriptions, options, 8,000 characters), resources/channel (names, topics,
tags, threads, archive durations), resources/guild (roles), resources/guild-scheduled-event, resources/audit-log (the
reason header).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

Json = dict[str, Any]
Check = Callable[[Any], Iterator[str]]

CONTENT = 2000
CUSTOM_ID = 100
MOST_COMPONENTS_V2 = 40
COMPONENTS_V2 = 1 << 15
ARCHIVE_MINUTES = (60, 1440, 4320, 10080)
COMMAND_LETTERS = 8000
SUBCOMMAND, GROUP = 1, 2
ROW, BUTTON, TEXT_INPUT, LABEL = 1, 2, 4, 18
SELECTS = frozenset({3, 5, 6, 7, 8})
LINK = 5
TEXT_KINDS = frozenset({0, 5, 15})
FORUM = 15
EXTERNAL = 3
REASON = 512


def problems(method: str, path: str, body: Any, *, now: datetime | None = None, reason: str | None = None) -> list[str]:
    """What Discord would refuse, each in words with the limit; empty when all is well.

    `path` is the part after `/api/v10`; `now` is Discord's time, for what has to be in the future; `reason` is the
    audit log header, decoded.
    """
    found = [text for check in _checks(method, path) for text in check(body)] if body else []
    if now is not None and isinstance(body, dict) and "scheduled_start_time" in body:
        found += _not_past(body, now)
    return found + list(_length("the reason", reason, 1, REASON))


def _checks(method: str, path: str) -> list[Check]:
    return [check for known, pattern, check in _TABLE if known == method and re.fullmatch(pattern, path)]


def _length(what: str, text: Any, least: int, most: int) -> Iterator[str]:
    """None is fine: what must be there is for each kind to say."""
    if text is not None and not least <= len(str(text)) <= most:
        yield f"{what}: {len(str(text))} characters, {least} to {most} are allowed: {str(text)[:60]!r}"


def _count(what: str, rows: Iterable[Any] | None, least: int, most: int) -> Iterator[str]:
    number = len(list(rows or ()))
    if not least <= number <= most:
        yield f"{what}: {number}, {least} to {most} are allowed"


# --- Messages ---------------------------------------------------------------------------------------------------


def message(body: Json) -> Iterator[str]:
    yield from _length("content", body.get("content"), 0, CONTENT)
    yield from _length("nonce", body.get("nonce"), 1, 25)
    yield from _count("attachments", body.get("attachments"), 0, 10)
    yield from embeds(body.get("embeds") or [])
    yield from allowed_mentions(body.get("allowed_mentions") or {})
    if (body.get("flags") or 0) & COMPONENTS_V2:
        yield from _new_components(body)
    else:
        yield from components(body.get("components") or [])


def embeds(rows: list[Json]) -> Iterator[str]:
    yield from _count("embeds", rows, 0, 10)
    total = 0
    for embed in rows:
        texts = list(_embed_texts(embed))
        for what, text, most in texts:
            yield from _length(f"embed {what}", text, 0, most)
        yield from _count("embed fields", embed.get("fields"), 0, 25)
        for part in embed.get("fields") or ():
            if not part["name"].strip() or not part["value"].strip():
                yield "embed field: name and value must not be empty"
        total += sum(len(text) for _, text, _ in texts)
    if total > 6000:
        yield f"embeds: {total} characters in all, 6000 are allowed"


def _embed_texts(embed: Json) -> Iterator[tuple[str, str, int]]:
    yield "title", embed.get("title") or "", 256
    yield "description", embed.get("description") or "", 4096
    yield "footer", (embed.get("footer") or {}).get("text") or "", 2048
    yield "author", (embed.get("author") or {}).get("name") or "", 256
    for part in embed.get("fields") or ():
        yield "field name", part["name"], 256
        yield "field value", part["value"], 1024


def allowed_mentions(body: Json) -> Iterator[str]:
    parse = body.get("parse") or []
    for kind in ("users", "roles"):
        yield from _count(f"allowed_mentions {kind}", body.get(kind), 0, 100)
        if kind in parse and body.get(kind):
            yield f"allowed_mentions: `parse` has {kind}, and a list of {kind} is given as well"
    if unknown := set(parse) - {"users", "roles", "everyone"}:
        yield f"allowed_mentions: `parse` does not know {sorted(unknown)}"


# --- Components -------------------------------------------------------------------------------------------------


def components(rows: list[Json]) -> Iterator[str]:
    """The buttons and selects below a message."""
    yield from _count("rows of components", rows, 0, 5)
    for row in rows:
        if row["type"] != ROW:
            yield f"components: type {row['type']} stands outside of a row"
            continue
        inner = row.get("components") or []
        selects = sum(one["type"] in SELECTS for one in inner)
        yield from _count("components in a row", inner, 1, 5)
        if selects and len(inner) > 1:
            yield "components: a select needs a row of its own"
        for one in inner:
            yield from _select(one) if one["type"] in SELECTS else _button(one)
    yield from _ids(walk(rows))


def _new_components(body: Json) -> Iterator[str]:
    everything = list(walk(body.get("components") or []))
    yield from _count("components", everything, 1, MOST_COMPONENTS_V2)
    yield from _length("text displays together", "".join(c.get("content") or "" for c in everything), 0, 4000)
    if body.get("content") or body.get("embeds"):
        yield "content and embeds: not together with the new components"
    for one in everything:
        if one["type"] == BUTTON:
            yield from _button(one)
        elif one["type"] in SELECTS:
            yield from _select(one)
    yield from _ids(everything)


def walk(rows: Iterable[Json]) -> Iterator[Json]:
    """Every component with those inside it."""
    for one in rows:
        yield one
        yield from walk(one.get("components") or ())
        yield from walk([one[key] for key in ("component", "accessory") if one.get(key)])


def _ids(everything: Iterable[Json]) -> Iterator[str]:
    ids = [one["custom_id"] for one in everything if "custom_id" in one]
    for id in ids:
        yield from _length("custom_id", id, 1, CUSTOM_ID)
    for id, times in Counter(ids).items():
        if times > 1:
            yield f"custom_id: {id!r} stands {times} times in one message or form"


def _button(button: Json) -> Iterator[str]:
    if button["type"] != BUTTON:
        yield f"components: type {button['type']} has no place below a message"
        return
    yield from _length("button label", button.get("label"), 0, 80)
    yield from _length("button url", button.get("url"), 1, 512)
    if not button.get("label") and not button.get("emoji"):
        yield "button: neither label nor emoji"
    link = button.get("style") == LINK
    if link is not ("url" in button) or link is ("custom_id" in button):
        yield f"button {button.get('label')!r}: a link has a url, any other button a custom_id, and none has both"


def _select(select: Json) -> Iterator[str]:
    yield from _length("select placeholder", select.get("placeholder"), 0, 150)
    least, most = select.get("min_values", 1), select.get("max_values", 1)
    if not (0 <= least <= 25 and 1 <= most <= 25 and least <= most):
        yield f"select: {least} to {most} values cannot be chosen; at most 25"
    if select["type"] != 3:
        return
    options = select.get("options") or []
    yield from _count("select options", options, 1, 25)
    for option in options:
        yield from _length("select option label", option["label"], 1, 100)
        yield from _length("select option value", option["value"], 1, 100)
        yield from _length("select option description", option.get("description"), 0, 100)
    for value, times in Counter(option["value"] for option in options).items():
        if times > 1:
            yield f"select option value: {value!r} stands {times} times"


# --- Interactions -----------------------------------------------------------------------------------------------


def answer(body: Json) -> Iterator[str]:
    """The callback of an interaction."""
    data = body.get("data") or {}
    if body["type"] == 8:
        yield from choices(data.get("choices") or [])
    elif body["type"] == 9:
        yield from modal(data)
    else:
        yield from message(data)


def choices(rows: list[Json]) -> Iterator[str]:
    """Of an option or of autocomplete; the same limits."""
    yield from _count("choices", rows, 0, 25)
    for choice in rows:
        yield from _length("choice name", choice["name"], 1, 100)
        if isinstance(choice["value"], str):
            yield from _length("choice value", choice["value"], 1, 100)


def modal(body: Json) -> Iterator[str]:
    yield from _length("modal title", body.get("title", ""), 1, 45)
    yield from _length("modal custom_id", body.get("custom_id", ""), 1, CUSTOM_ID)
    rows = body.get("components") or []
    yield from _count("modal components", rows, 1, 5)
    everything = list(walk(rows))
    for one in everything:
        if one["type"] == LABEL:
            yield from _length("label", one["label"], 1, 45)
            yield from _length("label description", one.get("description"), 0, 100)
        elif one["type"] == TEXT_INPUT:
            yield from _text_input(one)
        elif one["type"] in SELECTS:
            yield from _select(one)
    yield from _ids(everything)


def _text_input(field: Json) -> Iterator[str]:
    yield from _length("text input label", field.get("label"), 1, 45)
    yield from _length("text input placeholder", field.get("placeholder"), 0, 100)
    least, most = field.get("min_length") or 0, field.get("max_length") or 4000
    if not 0 <= least <= most <= 4000:
        yield f"text input: from {least} to {most} characters is not within 0 to 4000"
    if field.get("value"):
        yield from _length("text input value", field["value"], least, most)


# --- Commands ---------------------------------------------------------------------------------------------------

_NAME = re.compile(r"[-_'\w]{1,32}")


def commands(roots: list[Json]) -> Iterator[str]:
    """All that are registered together."""
    yield from _count("commands", [c for c in roots if c.get("type", 1) == 1], 0, 100)
    for root in roots:
        if (letters := command_letters(root)) > COMMAND_LETTERS:
            yield f"/{root['name']}: {letters} characters in all, {COMMAND_LETTERS} are allowed"
        if root.get("type", 1) == 1:
            yield from _command(root, root["name"], depth=0)
    for name, times in Counter((c.get("type", 1), c["name"]) for c in roots).items():
        if times > 1:
            yield f"/{name[1]}: registered {times} times"


def command_letters(payload: Json) -> int:
    """The characters in all names, descriptions and values of a command."""
    own = len(payload["name"]) + len(payload.get("description") or "")
    chosen = sum(len(c["name"]) + len(str(c["value"])) for c in payload.get("choices") or ())
    return own + chosen + sum(command_letters(option) for option in payload.get("options") or ())


def _command(node: Json, path: str, *, depth: int) -> Iterator[str]:
    yield from _named(node, f"/{path}")
    options = node.get("options") or []
    yield from _count(f"/{path} options", options, 0, 25)
    inner = [option for option in options if option["type"] in (SUBCOMMAND, GROUP)]
    values = [option for option in options if option["type"] not in (SUBCOMMAND, GROUP)]
    if inner and values:
        yield f"/{path}: subcommands and options together"
    if depth and any(option["type"] == GROUP for option in inner):
        yield f"/{path}: a group inside a group"
    required = [bool(option.get("required")) for option in values]
    if required != sorted(required, reverse=True):
        yield f"/{path}: required options come first"
    for option in values:
        yield from _named(option, f"/{path} {option['name']}")
        yield from choices(option.get("choices") or [])
        if option.get("choices") and option.get("autocomplete"):
            yield f"/{path} {option['name']}: choices and autocomplete together"
    for option in inner:
        yield from _command(option, f"{path} {option['name']}", depth=depth + 1)


def _named(node: Json, path: str) -> Iterator[str]:
    if not _NAME.fullmatch(node["name"]) or node["name"] != node["name"].lower():
        yield f"{path}: 1 to 32 lower-case letters, digits, - and _"
    yield from _length(f"{path} description", node.get("description") or "", 1, 100)


# --- Channels, threads, roles, events ---------------------------------------------------------------------------


def channel(body: Json) -> Iterator[str]:
    """A new one. Discord makes the name of a text channel lower-case without spaces: then it is another than asked."""
    yield from _length("channel name", body.get("name", ""), 1, 100)
    name = str(body.get("name") or "")
    if body.get("type", 0) in TEXT_KINDS and (name != name.lower() or re.search(r"\s", name)):
        yield f"channel name: {name!r} is not lower-case without spaces"
    yield from _channel_parts(body, topic=4096 if body.get("type") == FORUM else 1024)


def channel_edit(body: Json) -> Iterator[str]:
    """Of a channel or a thread; which one the request does not say."""
    yield from _length("channel name", body.get("name"), 1, 100)
    yield from _channel_parts(body, topic=4096)
    yield from _thread_parts(body)


def _channel_parts(body: Json, *, topic: int) -> Iterator[str]:
    yield from _length("topic", body.get("topic"), 0, topic)
    tags = body.get("available_tags") or []
    yield from _count("tags of the forum", tags, 0, 20)
    for tag in tags:
        yield from _length("tag name", tag["name"], 1, 20)
    yield from _seconds(body)


def _seconds(body: Json) -> Iterator[str]:
    if not 0 <= (body.get("rate_limit_per_user") or 0) <= 21600:
        yield f"rate_limit_per_user: {body['rate_limit_per_user']} seconds, 0 to 21600 are allowed"


def thread(body: Json) -> Iterator[str]:
    """A new one, in a forum with its first message."""
    yield from _length("thread name", body.get("name", ""), 1, 100)
    yield from _thread_parts(body)
    yield from _seconds(body)
    if "message" in body:
        yield from message(body["message"])


def _thread_parts(body: Json) -> Iterator[str]:
    yield from _count("applied tags", body.get("applied_tags"), 0, 5)
    minutes = body.get("auto_archive_duration")
    if minutes is not None and minutes not in ARCHIVE_MINUTES:
        yield f"auto_archive_duration: {minutes}, only {ARCHIVE_MINUTES} are allowed"


def role(body: Json) -> Iterator[str]:
    yield from _length("role name", body.get("name"), 1, 100)


def event(body: Json) -> Iterator[str]:
    yield from _length("event name", body.get("name"), 1, 100)
    yield from _length("event description", body.get("description"), 1, 1000)
    place = (body.get("entity_metadata") or {}).get("location")
    yield from _length("event location", place, 1, 100)
    if body.get("entity_type") == EXTERNAL and not (place and body.get("scheduled_end_time")):
        yield "event: one outside of Discord has a location and an end"
    start, end = body.get("scheduled_start_time"), body.get("scheduled_end_time")
    if start and end and datetime.fromisoformat(end) <= datetime.fromisoformat(start):
        yield "event: it ends before it starts"


def _not_past(body: Json, now: datetime) -> Iterator[str]:
    if datetime.fromisoformat(body["scheduled_start_time"]) <= now:
        yield f"event: it would start at {body['scheduled_start_time']}, which is past"


_ID = r"[^/]+"
_MESSAGES = rf"/channels/{_ID}/messages"
_WEBHOOK = rf"/webhooks/{_ID}/{_ID}"
_TABLE: list[tuple[str, str, Check]] = [
    ("POST", _MESSAGES, message),
    ("PATCH", rf"{_MESSAGES}/{_ID}", message),
    ("POST", _WEBHOOK, message),
    ("PATCH", rf"{_WEBHOOK}/messages/{_ID}", message),
    ("POST", rf"/interactions/{_ID}/{_ID}/callback", answer),
    ("POST", rf"/channels/{_ID}/threads", thread),
    ("POST", rf"{_MESSAGES}/{_ID}/threads", thread),
    ("POST", rf"/guilds/{_ID}/channels", channel),
    ("PATCH", rf"/channels/{_ID}", channel_edit),
    ("POST", rf"/guilds/{_ID}/roles", role),
    ("PATCH", rf"/guilds/{_ID}/roles/{_ID}", role),
    ("POST", rf"/guilds/{_ID}/scheduled-events", event),
    ("PATCH", rf"/guilds/{_ID}/scheduled-events/{_ID}", event),
    ("PUT", rf"/applications/{_ID}/commands", commands),
    ("PUT", rf"/applications/{_ID}/guilds/{_ID}/commands", commands),
]
