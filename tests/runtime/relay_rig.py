"""A relay with a database of its own in front of a ten-line Discord that remembers what arrived."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from acwc_bot.gate import Opened, Refused, digest
from acwc_bot.relay import Relay
from cogs.render.message import Message, Thread
from db.worker import SqlDatabase
from engine.model import Match, Post, Server
from engine.ports import Reader
from engine.usecases.posts import card_key, thread_key
from tests.db.world import build
from tests.world import migrated

GUILD = 1
NOW = datetime(2026, 3, 24, 12, tzinfo=UTC)


class Clock:
    moment = NOW

    def now(self) -> datetime:
        return self.moment


class FakeGate:
    """Channels are lists of texts; `answers` are failures to give next: ("before" or "after" the effect, error)."""

    def __init__(self) -> None:
        self.channels: dict[int, list[tuple[int, str]]] = {}
        self.answers: list[tuple[str, Exception]] = []
        self.broken: dict[int, Exception] = {}
        self.threads: list[str] = []
        self.edits: list[Exception] = []
        self.lost: list[Exception] = []
        self.searches = 0
        self.forum = False
        self.tags: dict[int, str] = {}

    def texts(self, channel: int) -> list[str]:
        return [text for _, text in self.channels.get(channel, [])]

    async def send(self, channel_id: int, message: Message, nonce: str) -> int:
        when, error = self.answers.pop(0) if self.answers else ("never", Exception())
        if channel_id in self.broken:
            raise self.broken[channel_id]
        if when == "before":
            raise error
        place = self.channels.setdefault(channel_id, [])
        place.append((100 * channel_id + len(place), message.text))
        if when == "after":
            raise error
        return place[-1][0]

    async def edit(self, channel_id: int, message_id: int, message: Message) -> None:
        if self.edits:
            raise self.edits.pop(0)
        place = self.channels[channel_id]
        if message_id not in dict(place):
            raise Refused("missing_message")
        place[[id for id, _ in place].index(message_id)] = (message_id, message.text)

    async def find_message(
        self, channel_id: int, tried: Collection[str], since: datetime, known: Collection[int]
    ) -> int | None:
        self.searches += 1
        if self.lost:
            raise self.lost.pop(0)
        place = self.channels.get(channel_id, [])
        found = [id for id, text in place if digest(Message(text)) in tried and id not in known]
        return found[0] if found else None

    async def open_thread(self, channel_id: int, thread: Thread) -> Opened:
        self.threads.append(thread.name)
        opened = 100 + len(self.threads)
        if self.forum:
            self.channels[opened] = [(opened, thread.first.text)]
        if self.answers:
            raise self.answers.pop(0)[1]
        return Opened(opened, opened if self.forum else None)

    async def find_thread(self, channel_id: int, name: str, since: datetime) -> Opened | None:
        if name not in self.threads:
            return None
        found = 101 + self.threads.index(name)
        return Opened(found, found if self.forum else None)

    async def retag(self, channel_id: int, thread_id: int, tag: str) -> None:
        if thread_id in self.broken:
            raise self.broken[thread_id]
        self.tags[thread_id] = tag

    async def dm_channel(self, discord_id: int) -> int:
        return discord_id


class Rig:
    def __init__(self, folder: Path) -> None:
        self.db = SqlDatabase(migrated(folder / "acwc.db", folder))
        self.clock = Clock()
        self.gate = FakeGate()
        self.relay = self.start()
        channels = {"pairings": 5, "results": 6, "td": 7}
        self.db.write_sync(lambda store: store.add(Server(guild_id=GUILD, td_role_id=2, channels=channels)))

    def start(self) -> Relay:
        def render(_: Reader, post: Post) -> Message:
            return Message(f"{post.payload.get('text', post.kind)}")

        self.relay = Relay(self.db, self.gate, self.clock, render)
        return self.relay

    async def later(self, **delta: float) -> None:
        """The clock moves on, and then the relay runs."""
        self.clock.moment += timedelta(**delta)
        await self.relay.run()

    def name_channels(self, channels: dict[str, int]) -> None:
        """As `/td setup` would, besides those there are."""
        server = self.db.read_sync(lambda reader: reader.find(Server)[0])
        named = replace(server, channels={**server.channels, **channels})
        self.db.write_sync(lambda store: store.save(named))

    def owe(self, key: str, target: str = "channel:pairings", text: str | None = None) -> Post:
        post = Post(
            guild_id=GUILD, key=key, kind="k", target=target, payload={"text": text or key}, created_at=self.clock.now()
        )
        return self.db.write_sync(lambda store: store.post(post))

    def row(self, key: str) -> Post:
        found = self.db.read_sync(lambda reader: reader.one(Post, key=key))
        assert found is not None
        return found


class MatchRig:
    """One match whose thread and card are owed; `text` is what the card says now."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        built = rig.db.write_sync(build)
        self.match = built.match
        rig.db.write_sync(lambda store: store.save(replace(built.edition, guild_id=GUILD)))
        self.text, self.tag = "card", "Finding a time"
        rig.name_channels({"matches": 4})
        self.owe("match_thread")
        self.owe("match_card")
        self.relay = Relay(rig.db, rig.gate, rig.clock, self.render)

    def owe(self, kind: str) -> None:
        key, target = {
            "match_thread": (thread_key(self.match.id), "channel:matches"),
            "match_card": (card_key(self.match.id), f"thread:{self.match.id}"),
        }[kind]
        payload = {"match_id": self.match.id}
        post = Post(guild_id=GUILD, key=key, kind=kind, target=target, payload=payload, created_at=NOW)
        self.rig.db.write_sync(lambda store: store.post(post))

    def change(self, text: str, tag: str) -> None:
        self.text, self.tag = text, tag
        self.owe("match_thread")
        self.owe("match_card")

    def render(self, reader: Reader, post: Post) -> Message | Thread:
        card = reader.one(Post, key=card_key(self.match.id))
        assert card is not None
        if post.kind != "match_thread":
            return Message(self.text if post.kind == "match_card" else post.kind)
        return Thread("R1 · 01 · a – b", self.tag, Message(self.text), card.key, card.wanted)

    @property
    def thread_id(self) -> int | None:
        return self.rig.db.read_sync(lambda reader: reader.get(Match, self.match.id)).thread_id

    @property
    def card(self) -> Post:
        return self.rig.row(card_key(self.match.id))
