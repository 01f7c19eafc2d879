"""Outbox -> Discord. Nothing is lost and nothing is posted twice, whenever the process dies (design section 5).

The row is marked before each try and again after it. A row whose mark was left behind by a try without a clear
answer (a crash, a 5xx, a cut line) is looked for in the channel, by the digests of what was tried, before it is sent
again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from acwc_bot.gate import Gate, Refused, Unsure, digest
from cogs.render.message import Message, Thread
from engine.model import Match, Person, Post, PostState, Server
from engine.ports import Clock, Database, Reader, Store
from engine.usecases.rounds import thread_lost, thread_made

log = logging.getLogger(__name__)

PATIENCE = 24  # tries, about three hours, while other posts do arrive; an outage is waited out however long it is
REOPENINGS = 3
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=10)

Rendered = Message | Thread
Renderer = Callable[[Reader, Post], Rendered]


class Relay:
    """Delivers posts in order per target; one at a time; a failing target does not hold up the others."""

    def __init__(self, db: Database, gate: Gate, clock: Clock, render: Renderer) -> None:
        self._db = db
        self._gate = gate
        self._clock = clock
        self._render = render
        self._running = False
        self._again = False
        self._stopping = False
        self._last_delivery: datetime | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    def nudge(self) -> None:
        """There is something new: a run in progress looks once more before it ends."""
        self._again = True

    async def stop(self) -> None:
        """No further post is begun; returns once the one in flight has ended and is recorded."""
        self._stopping = True
        await self._idle.wait()

    async def run(self) -> int:
        """Delivers until nothing deliverable is left; returns how many posts were delivered."""
        if self._running:
            self._again = True
            return 0
        self._running = True
        self._idle.clear()
        delivered = 0
        try:
            while not self._stopping:
                self._again = False
                count = await self._pass()
                delivered += count
                if not count and not self._again:
                    break
        finally:
            self._running = False
            self._idle.set()
        return delivered

    async def _pass(self) -> int:
        """One walk over what is owed, oldest first."""
        delivered = 0
        held: set[tuple[int, str]] = set()
        for post in await self._db.read(lambda reader: reader.find(Post, state=PostState.WAITING)):
            lane = (post.guild_id, post.target)
            if self._stopping:
                break
            if lane in held:
                continue
            if self._must_wait(post):
                held.add(lane)
                continue
            if await self._deliver(post):
                delivered += 1
            else:
                held.add(lane)
        return delivered

    def _must_wait(self, post: Post) -> bool:
        """A moment further off than any pause comes from a clock that was set back: it holds nothing."""
        now = self._clock.now()
        return post.not_before is not None and now < post.not_before <= now + LONGEST_PAUSE

    async def _deliver(self, post: Post) -> bool:
        """One post, or False when its lane has to wait."""
        try:
            channel_id, rendered = await self._db.read(lambda reader: self._prepare(reader, post))
        except Exception:
            log.exception("post %s cannot be rendered", post.key)
            await self._refused(post, "cannot_render")
            return False
        if channel_id is None or rendered is None:
            # A target that does not exist yet: its thread is owed by an earlier row, or `/td setup` was not run.
            return False
        before = post
        post = await self._mark_try(post, digest(rendered))
        try:
            if post.target.startswith("dm:"):
                channel_id = await self._gate.dm_channel(channel_id)
            if isinstance(rendered, Thread):
                made = await self._thread(channel_id, rendered, before.uncertain_since)
                await self._delivered(before, channel_id, made, thread=True)
            else:
                place, made = await self._message(before, channel_id, rendered)
                await self._delivered(before, place, made)
        except Refused as refusal:
            await self._refused(post, refusal.problem, before)
            return refusal.problem == "dm_closed"
        except Unsure as unsure:
            log.warning("post %s: no clear answer (%s), attempt %d", post.key, unsure, post.attempts)
            await self._wait(post)
            return False
        except Exception:
            # Not one of the answers we know (a broken body, say): whether it happened is not known either.
            log.exception("post %s failed", post.key)
            await self._wait(post)
            return False
        return True

    def _prepare(self, reader: Reader, post: Post) -> tuple[int | None, Rendered | None]:
        channel_id = _place_of(reader, post)
        return channel_id, None if channel_id is None else self._render(reader, post)

    async def _thread(self, channel_id: int, thread: Thread, uncertain_since: datetime | None) -> int:
        found = await self._gate.find_thread(channel_id, thread.name) if uncertain_since else None
        return found or await self._gate.open_thread(channel_id, thread.name)

    async def _message(self, post: Post, channel_id: int, message: Message) -> tuple[int, int]:
        """Edits, finds or sends; returns the ids of channel and message. A message stays where it was sent.

        `post` is the row as it was before this try: `tried` is what was sent before without a clear answer.
        """
        if post.message_id is not None:
            place = post.channel_id or channel_id
            try:
                await self._gate.edit(place, post.message_id, message)
                return place, post.message_id
            except Refused as refusal:
                moved = place != channel_id
                if not moved and refusal.problem not in ("missing_message", "missing_channel"):
                    raise
                # Somebody deleted it, or its channel, or the channel is no longer ours: the post is still owed.
        if post.tried:
            found = await self._find(post, channel_id)
            if found is not None:
                if post.tried != (digest(message),):
                    await self._gate.edit(channel_id, found, message)
                return channel_id, found
        # The same nonce until there is a clear answer: Discord itself then knows a repetition for some minutes.
        return channel_id, await self._gate.send(channel_id, message, nonce=f"acwc-{post.id}-{post.sent}")

    async def _find(self, post: Post, channel_id: int) -> int | None:
        assert post.uncertain_since is not None
        known = await self._db.read(lambda reader: _known_messages(reader, channel_id))
        return await self._gate.find_message(channel_id, post.tried, post.uncertain_since, known)

    async def _mark_try(self, post: Post, text: str) -> Post:
        now = self._clock.now()

        def mark(store: Store) -> Post:
            current = store.get(Post, post.id)
            return store.save(
                replace(
                    current,
                    attempts=current.attempts + 1,
                    uncertain_since=current.uncertain_since or now,
                    tried=tuple(dict.fromkeys((*(t for t in current.tried if t != text), text))),
                )
            )

        return await self._db.write(mark)

    async def _delivered(self, post: Post, channel_id: int, made: int, *, thread: bool = False) -> None:
        def done(store: Store) -> None:
            current = store.get(Post, post.id)
            if thread:
                thread_made(store, int(post.payload["match_id"]), made, self._clock.now())
            state = PostState.SENT if current.wanted == post.wanted else PostState.WAITING
            store.save(
                replace(
                    current,
                    state=state,
                    sent=post.wanted,
                    attempts=0,
                    uncertain_since=None,
                    tried=(),
                    not_before=None,
                    problem=None,
                    channel_id=channel_id,
                    message_id=made,
                )
            )

        await self._db.write(done)
        self._last_delivery = self._clock.now()

    async def _wait(self, post: Post) -> None:
        """Keeps the mark: the next try looks first. A post that fails while others arrive is the TDs' in the end."""
        pause = min(FIRST_PAUSE * 2 ** min(post.attempts - 1, 10), LONGEST_PAUSE)
        now = self._clock.now()
        since = post.uncertain_since or now
        poisoned = post.attempts >= PATIENCE and self._last_delivery is not None and self._last_delivery > since

        def wait(store: Store) -> None:
            current = store.get(Post, post.id)
            if poisoned:
                _give_up(store, current, "no_answer", now)
            else:
                store.save(replace(current, not_before=now + pause))

        await self._db.write(wait)
        self.nudge()

    async def _refused(self, post: Post, problem: str, before: Post | None = None) -> None:
        """This try was refused for certain; what an earlier one without an answer did, is as unknown as before."""
        earlier = before or post
        log.warning("post %s refused: %s", post.key, problem)
        now = self._clock.now()

        def refuse(store: Store) -> None:
            current = replace(store.get(Post, post.id), uncertain_since=earlier.uncertain_since, tried=earlier.tried)
            if problem == "dm_closed":
                store.save(replace(current, state=PostState.DROPPED, problem=problem))
                person_id = int(post.target.removeprefix("dm:"))
                _tell_directors(store, post, "undelivered", now, person_id=person_id)
            elif problem == "missing_channel" and post.target.startswith("thread:") and post.attempts <= REOPENINGS:
                store.save(replace(current, message_id=None, not_before=now + FIRST_PAUSE))
                thread_lost(store, int(post.target.removeprefix("thread:")), now)
            else:
                _give_up(store, current, problem, now)

        await self._db.write(refuse)
        self.nudge()


def _give_up(store: Store, post: Post, problem: str, now: datetime) -> None:
    """STUCK, and the TDs hear of a stuck target once: with its first row. `/td setup` owes stuck posts again."""
    first = store.one(Post, guild_id=post.guild_id, target=post.target, state=PostState.STUCK) is None
    store.save(replace(post, state=PostState.STUCK, problem=problem))
    if first and post.target != "channel:td":
        _tell_directors(store, post, "stuck", now, target=post.target, problem=problem)


def _tell_directors(store: Store, about: Post, kind: str, now: datetime, **payload: object) -> None:
    store.post(
        Post(
            guild_id=about.guild_id,
            key=f"{kind}:{about.key}:{about.wanted}",
            kind=kind,
            target="channel:td",
            payload=payload,
            created_at=now,
        )
    )


def _place_of(reader: Reader, post: Post) -> int | None:
    """The channel id a post goes to; for a DM the Discord id of the person; None while there is none."""
    kind, _, name = post.target.partition(":")
    if kind == "channel":
        server = reader.one(Server, guild_id=post.guild_id)
        return server.channels.get(name) if server else None
    if kind == "thread":
        return reader.get(Match, int(name)).thread_id
    return reader.get(Person, int(name)).discord_id


def _known_messages(reader: Reader, channel_id: int) -> set[int]:
    return {post.message_id for post in reader.find(Post, channel_id=channel_id) if post.message_id is not None}
