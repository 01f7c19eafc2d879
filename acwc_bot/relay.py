"""Outbox -> Discord. Nothing is lost and nothing is posted twice, whenever the process dies (design section 5).

The row is marked before each try and again after it. A row whose mark was left behind by a try without a clear
answer (a crash, a 5xx, a cut line) is looked for in the channel, by the digests of what was tried, before it is sent
again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from enum import Enum, auto

from acwc_bot import outbox
from acwc_bot.gate import Gate, Later, Opened, Refused, Unsure, digest
from acwc_bot.outbox import LONGEST_PAUSE, PLACE_PROBLEMS, RECHECK, Arrived
from cogs.render.message import Message, Thread
from engine.model import Post, PostState
from engine.ports import Clock, Database, Reader

log = logging.getLogger(__name__)

OUTAGE = 3
"""So many places without an answer and none with one: Discord is away, and asking sixty more helps nobody."""

Lane = tuple[int, str]
Rendered = Message | Thread
Renderer = Callable[[Reader, Post], Rendered | None]
"""None when there is nothing to say any more, such as a reminder of what is over."""


class Went(Enum):
    """How it went with a post: whether what comes after it in its lane may be tried."""

    DELIVERED = auto()
    PASSES = auto()
    HOLDS_LANE = auto()
    UNANSWERED = auto()


class Relay:
    """Delivers posts in order per lane, which is a target in a server, and one at a time in each.

    discord.py sits out rate limits, for minutes if need be. So runs may overlap: one that waits for Discord in its lane
    leaves the other lanes to the next.
    """

    def __init__(self, db: Database, gate: Gate, clock: Clock, render: Renderer) -> None:
        self._db = db
        self._gate = gate
        self._clock = clock
        self._render = render
        self._busy: set[Lane] = set()
        self._runs = 0
        self._again = False
        self._stopping = False
        self._first = True
        self._silent: set[Lane] = set()
        self._last_delivery: datetime | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    def nudge(self) -> None:
        """There is something new: a run in progress looks once more before it ends."""
        self._again = True

    async def discord_is_back(self) -> None:
        """The gateway is connected again: what waited for Discord is tried now."""
        was_away = self._is_away
        self._silent.clear()
        await self._db.write(lambda store: outbox.discord_is_back(store, forget_tries=was_away))
        self.nudge()

    @property
    def _is_away(self) -> bool:
        return len(self._silent) >= OUTAGE

    async def stop(self) -> None:
        """No further post is begun; returns once those in flight have ended and are recorded."""
        self._stopping = True
        await self._idle.wait()

    async def run(self) -> int:
        """Delivers until nothing deliverable is left; returns how many posts were delivered."""
        self._runs += 1
        self._idle.clear()
        delivered = 0
        try:
            while not self._stopping:
                self._again = False
                count = await self._pass()
                delivered += count
                if self._is_away or (not count and not self._again):
                    break
        finally:
            self._runs -= 1
            if not self._runs:
                self._idle.set()
        return delivered

    async def _pass(self) -> int:
        """One walk over what is owed, oldest first."""
        delivered = 0
        held: set[Lane] = set()
        first, self._first = self._first, False
        for post in await self._db.read(outbox.owed):
            lane = (post.guild_id, post.target)
            if self._stopping:
                break
            if lane in held:
                continue
            if lane in self._busy:
                held.add(lane)
                continue
            self._busy.add(lane)
            try:
                went = await self._deliver(post, try_stuck=first)
            finally:
                self._busy.discard(lane)
            if went in (Went.HOLDS_LANE, Went.UNANSWERED):
                held.add(lane)
            if went is Went.UNANSWERED and self._is_away:
                break  # the next wake-up asks another place
            delivered += went is Went.DELIVERED
        return delivered

    def _not_now(self, post: Post, try_stuck: bool) -> Went | None:
        """Why a post is not tried now; None when it is."""
        if post.state not in outbox.OWED:
            return Went.PASSES  # delivered, by another run or together with its thread
        stuck = post.state is PostState.STUCK
        if stuck and try_stuck:
            return None
        if stuck and post.problem not in PLACE_PROBLEMS:
            return Went.PASSES  # what is wrong is its own, so the others may pass
        now = self._clock.now()
        # A moment further off than any pause comes from a clock that was set back: it holds nothing.
        longest = RECHECK if stuck else LONGEST_PAUSE
        waits = post.not_before is not None and now < post.not_before <= now + longest
        return Went.HOLDS_LANE if waits else None

    async def _deliver(self, listed: Post, *, try_stuck: bool) -> Went:
        not_now = self._not_now(listed, try_stuck)
        if not_now is not None:
            return not_now
        try:
            before, channel_id, rendered = await self._db.read(lambda reader: self._prepare(reader, listed))
        except Exception:
            log.exception("post %s cannot be rendered", listed.key)
            await self._refused(listed, "cannot_render")
            return Went.PASSES
        not_now = self._not_now(before, try_stuck)  # another run may have been there
        if not_now is not None:
            return not_now
        if channel_id is None:
            # A target that does not exist yet: its thread is owed by an earlier row, or `/td setup` was not run.
            return Went.HOLDS_LANE
        if rendered is None:
            await self._db.write(lambda store: outbox.obsolete(store, before))
            return Went.PASSES
        now = self._clock.now()
        post = await self._db.write(lambda store: outbox.mark_try(store, before, digest(rendered), now))
        try:
            arrived = await self._arrive(before, channel_id, rendered)
        except Refused as refusal:
            await self._answered()
            await self._refused(before, refusal.problem, channel_id)
            return Went.PASSES if before.target.startswith("dm:") else Went.HOLDS_LANE
        except Later as later:
            await self._put_off(before, later)
            return Went.HOLDS_LANE
        except Unsure as unsure:
            log.warning("post %s: no clear answer (%s), attempt %d", post.key, unsure, post.attempts)
            await self._wait(post)
            return Went.UNANSWERED
        except Exception:
            # Not one of the answers we know (a broken body, say): whether it happened is not known either.
            log.exception("post %s failed", post.key)
            await self._wait(post)
            return Went.UNANSWERED
        await self._delivered(before, arrived)
        return Went.DELIVERED

    def _prepare(self, reader: Reader, listed: Post) -> tuple[Post, int | None, Rendered | None]:
        """The row as it is now, before this try; where it goes, and what it says."""
        post = reader.get(Post, listed.id)
        channel_id = outbox.place_of(reader, post)
        return post, channel_id, None if channel_id is None else self._render(reader, post)

    # --- At Discord ----------------------------------------------------------------------------------------------

    async def _arrive(self, before: Post, channel_id: int, rendered: Rendered) -> Arrived:
        if isinstance(rendered, Thread):
            return await self._thread(before, channel_id, rendered)
        if before.target.startswith("dm:"):
            channel_id = await self._gate.dm_channel(channel_id)
        return await self._message(before, channel_id, rendered)

    async def _thread(self, before: Post, channel_id: int, thread: Thread) -> Arrived:
        """Tags the thread there is, finds the one that may have been opened without an answer, or opens one."""
        if before.message_id is not None:
            home = before.channel_id or channel_id
            await self._gate.retag(home, before.message_id, thread.tag)
            return Arrived(home, before.message_id)
        since = before.uncertain_since
        found = await self._gate.find_thread(channel_id, thread.name, since) if since else None
        if found is not None:
            await self._gate.retag(channel_id, found.thread_id, thread.tag)
            # Which version of its first message it opened with, is not known.
            return Arrived(channel_id, found.thread_id, thread.first_key, found.first_id, 0)
        opened: Opened = await self._gate.open_thread(channel_id, thread)
        return Arrived(channel_id, opened.thread_id, thread.first_key, opened.first_id, thread.first_version)

    async def _message(self, before: Post, channel_id: int, message: Message) -> Arrived:
        """Edits, finds or sends. A message stays where it was sent."""
        if before.message_id is not None:
            place = before.channel_id or channel_id
            try:
                await self._gate.edit(place, before.message_id, message)
                return Arrived(place, before.message_id)
            except Refused as refusal:
                moved = place != channel_id
                if not moved and refusal.problem not in ("missing_message", "missing_channel"):
                    raise
                # Somebody deleted it, or its channel, or the channel is no longer ours: the post is still owed.
        if before.tried:
            found = await self._find(before, channel_id)
            if found is not None:
                if before.tried != (digest(message),):
                    await self._gate.edit(channel_id, found, message)
                return Arrived(channel_id, found)
        # The same nonce until there is a clear answer: Discord itself then knows a repetition for some minutes.
        nonce = f"acwc-{before.id}-{before.sent}"
        return Arrived(channel_id, await self._gate.send(channel_id, message, nonce))

    async def _find(self, before: Post, channel_id: int) -> int | None:
        assert before.uncertain_since is not None
        known = await self._db.read(lambda reader: outbox.known_messages(reader, channel_id))
        return await self._gate.find_message(channel_id, before.tried, before.uncertain_since, known)

    # --- Afterwards ----------------------------------------------------------------------------------------------

    async def _delivered(self, before: Post, arrived: Arrived) -> None:
        now = self._clock.now()
        self._last_delivery = now
        await self._db.write(lambda store: outbox.delivered(store, before, arrived, now))
        await self._answered()

    async def _answered(self) -> None:
        """Yes or no: Discord is there."""
        if self._is_away:
            await self.discord_is_back()
        self._silent.clear()

    async def _wait(self, post: Post) -> None:
        self._silent.add((post.guild_id, post.target))
        last, now = self._last_delivery, self._clock.now()
        await self._db.write(lambda store: outbox.unanswered(store, post, last, now))
        self.nudge()

    async def _put_off(self, before: Post, later: Later) -> None:
        log.info("post %s: rate limit, again in %d s", before.key, later.after.total_seconds())
        until = self._clock.now() + min(later.after, LONGEST_PAUSE)
        await self._db.write(lambda store: outbox.put_off(store, before, until))

    async def _refused(self, before: Post, problem: str, place: int | None = None) -> None:
        log.warning("post %s refused: %s", before.key, problem)
        now = self._clock.now()
        await self._db.write(lambda store: outbox.refused(store, before, problem, now, place))
        self.nudge()
