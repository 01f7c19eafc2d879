"""What the outbox remembers about each try to deliver a post. Every function runs inside one transaction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from engine.model import Match, Person, Post, PostState, Server
from engine.ports import Reader, Store
from engine.usecases.rounds import thread_lost, thread_made

PATIENCE = 24  # tries, about three hours, while other posts do arrive; an outage is waited out however long it is
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=10)
RECHECK = timedelta(hours=1)
OWED = (PostState.WAITING, PostState.STUCK)
PLACE_PROBLEMS = frozenset({"missing_channel", "missing_permission", "wrong_channel_kind", "too_many_threads"})
"""What is wrong with the place and not with the post: everything else that goes there waits behind it, in order."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """Where a post is now. A thread that opened with its first message names that message's post and version."""

    channel_id: int
    message_id: int
    first_key: str | None = None
    first_id: int | None = None
    first_version: int = 0


def owed(reader: Reader) -> list[Post]:
    """What waits and what is stuck, oldest first."""
    return reader.find(Post, state=OWED)


def place_of(reader: Reader, post: Post) -> int | None:
    """The channel id a post goes to; for a DM the Discord id of the person; None while there is none."""
    kind, _, name = post.target.partition(":")
    if kind == "channel":
        server = reader.one(Server, guild_id=post.guild_id)
        return server.channels.get(name) if server else None
    if kind == "thread":
        return reader.get(Match, int(name)).thread_id
    return reader.get(Person, int(name)).discord_id


def known_messages(reader: Reader, channel_id: int) -> set[int]:
    return {post.message_id for post in reader.find(Post, channel_id=channel_id) if post.message_id is not None}


def mark_try(store: Store, post: Post, text: str, now: datetime) -> Post:
    """Before anything is sent: that a try began, when the first one without an answer was, and with which texts."""
    current = store.get(Post, post.id)
    return store.save(
        replace(
            current,
            attempts=current.attempts + 1,
            uncertain_since=current.uncertain_since or now,
            tried=tuple(dict.fromkeys((*(t for t in current.tried if t != text), text))),
        )
    )


def delivered(store: Store, before: Post, arrived: Arrived, now: datetime) -> None:
    """`before` is the row as it was rendered: a version that was asked for since then is still owed."""
    current = store.get(Post, before.id)
    if before.kind == "match_thread" and before.message_id is None:
        thread_made(store, int(before.payload["match_id"]), arrived.message_id, now)
        _first_message(store, arrived)
    after = _at(current, before.wanted, arrived.channel_id, arrived.message_id)
    if before.target.startswith("dm:") and place_of(store, before) is None:
        # They were erased while it was sent: where it went is theirs too.
        after = replace(after, state=PostState.DROPPED, channel_id=None, message_id=None)
    store.save(after)
    _healed(store, before)


def _at(post: Post, version: int, channel_id: int, message_id: int) -> Post:
    """The row once Discord has that version of it there."""
    return replace(
        post,
        state=PostState.SENT if post.wanted == version else PostState.WAITING,
        sent=version,
        attempts=0,
        uncertain_since=None,
        tried=(),
        not_before=None,
        problem=None,
        channel_id=channel_id,
        message_id=message_id,
    )


def _first_message(store: Store, arrived: Arrived) -> None:
    """A forum thread opened with the message of another post: that one is delivered too, at least in some version."""
    post = store.one(Post, key=arrived.first_key) if arrived.first_id is not None else None
    if post is not None and post.message_id is None:
        assert arrived.first_id is not None
        store.save(_at(post, arrived.first_version, arrived.message_id, arrived.first_id))


def obsolete(store: Store, post: Post) -> None:
    """It has waited so long that it would say nothing true any more."""
    store.save(replace(store.get(Post, post.id), state=PostState.DROPPED, problem="obsolete"))


def put_off(store: Store, post: Post, until: datetime) -> None:
    """Nothing was sent, for certain: the row is as before this try, and its turn comes later."""
    store.save(
        replace(
            store.get(Post, post.id),
            attempts=post.attempts,
            uncertain_since=post.uncertain_since,
            tried=post.tried,
            not_before=until,
        )
    )


def unanswered(store: Store, post: Post, last_delivery: datetime | None, now: datetime) -> None:
    """Keeps the mark: the next try looks first. A post that fails while others arrive is the TDs' in the end."""
    pause = min(FIRST_PAUSE * 2 ** min(post.attempts - 1, 10), LONGEST_PAUSE)
    since = post.uncertain_since or now
    current = store.get(Post, post.id)
    if post.attempts >= PATIENCE and last_delivery is not None and last_delivery > since:
        _give_up(store, current, "no_answer", now)
    else:
        store.save(replace(current, not_before=now + pause))


def refused(store: Store, before: Post, problem: str, now: datetime, place: int | None) -> None:
    """This try was refused for certain; what an earlier one without an answer did, is as unknown as before.

    `place` is the channel or thread it was for, None when it did not come so far.
    """
    current = replace(store.get(Post, before.id), uncertain_since=before.uncertain_since, tried=before.tried)
    if before.target.startswith("dm:") and problem != "cannot_render":
        # Closed to the server, the bot blocked, the person gone: whatever it is, repeating it helps nobody.
        store.save(replace(current, state=PostState.DROPPED, problem=problem))
        key = f"undelivered:{before.key}:{before.wanted}"
        person_id = int(before.target.removeprefix("dm:"))
        _tell_directors(store, before, key, "undelivered", now, person_id=person_id)
        return
    match_id, thread_id = _thread_of(before, place)
    if problem == "missing_channel" and match_id is not None and thread_lost(store, match_id, thread_id, now):
        # Read anew: the loss may have changed this very row. What was tried in the old thread is gone with it.
        lost = store.get(Post, before.id)
        pause = now + FIRST_PAUSE
        store.save(replace(lost, message_id=None, uncertain_since=None, tried=(), not_before=pause))
    else:
        _give_up(store, current, problem, now)


def _thread_of(post: Post, place: int | None) -> tuple[int | None, int | None]:
    """The match and the id of the thread in which this post was to stand, or which it is; None for other places."""
    if post.target.startswith("thread:"):
        return int(post.target.removeprefix("thread:")), place
    is_thread = post.kind == "match_thread" and post.message_id is not None
    return (int(post.payload["match_id"]), post.message_id) if is_thread else (None, None)


def discord_is_back(store: Store, *, forget_tries: bool) -> None:
    """Nobody waits for the end of a pause; after an outage of all places the tries count against no post either."""
    for post in store.find(Post, state=PostState.WAITING):
        if post.uncertain_since is not None:
            store.save(replace(post, attempts=0 if forget_tries else post.attempts, not_before=None))


# --- What the TDs have to hear ---------------------------------------------------------------------------------


def _give_up(store: Store, post: Post, problem: str, now: datetime) -> None:
    """STUCK: a place is tried again every hour, anything else after `/td setup` or a restart. The TDs hear it once."""
    store.save(replace(post, state=PostState.STUCK, problem=problem, not_before=now + RECHECK))
    known = problem in PLACE_PROBLEMS and _is_known(store, post)
    if post.target != "channel:td" and _open_notice(store, post) is None and not known:
        key = f"stuck:{post.key}:{now:%Y-%m-%dT%H:%M:%S}"
        _tell_directors(store, post, key, "stuck", now, target=post.target, problem=problem, healed=False)


def _healed(store: Store, post: Post) -> None:
    """The notice about a place says so when nothing is stuck there any more."""
    notice = _open_notice(store, post)
    if notice is None:
        return
    stuck = store.find(Post, guild_id=post.guild_id, state=PostState.STUCK)
    if not any(_place(other.target) == _place(post.target) for other in stuck):
        store.post(replace(notice, payload={**notice.payload, "healed": True}))


def _place(target: str) -> str:
    """What the TDs hear about once: all match threads are one place, and so are all direct messages."""
    return target if target.startswith("channel:") else target.partition(":")[0]


def _open_notice(store: Store, about: Post) -> Post | None:
    notices = store.find(Post, guild_id=about.guild_id, kind="stuck")
    place = _place(about.target)
    return next((n for n in notices if _place(n.payload["target"]) == place and not n.payload.get("healed")), None)


def _is_known(store: Store, about: Post) -> bool:
    """Whether the TDs have been told already that the bot cannot work in that channel."""
    notices = store.find(Post, guild_id=about.guild_id, kind="place_troubles")
    channel = "matches" if about.target.startswith("thread:") else about.target.removeprefix("channel:")
    return bool(notices) and channel in notices[-1].payload["lacking"]


def _tell_directors(store: Store, about: Post, key: str, kind: str, now: datetime, **payload: object) -> None:
    post = Post(guild_id=about.guild_id, key=key, kind=kind, target="channel:td", payload=payload, created_at=now)
    store.post(post)
