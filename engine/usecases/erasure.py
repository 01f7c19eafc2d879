"""What is personal goes for good when somebody asks for it; the results stay under the Lichess name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from engine.errors import NotAllowed, NotFound
from engine.model import Edition, EntryState, Match, Note, Person, Post, PostState, Registration, Server
from engine.ports import Members, Reader, Store
from engine.usecases.context import Actor, Desk, Event, current_event, known_person, require_td
from engine.usecases.entries import load_entry, refuse_own
from engine.usecases.posts import Outbox
from engine.usecases.rulings import refuse_about
from engine.usecases.schedule import is_over
from engine.usecases.traces import ERASED, Traces, find_traces


@dataclass(frozen=True, slots=True, kw_only=True)
class Personal:
    """What is stored about somebody that an erasure takes: its kinds and how many of each.

    `name`: what stays, or, for who never entered, what goes too. `has_role`: of the players, when the bot last looked.
    `waiting`: entries that nobody has decided about; `approved`: where an entry was approved, and the seeds are not
    made. `is_playing`: in an event that is not over for them. `role_stays`: Discord has not taken it away. `is_wiped`:
    no file holds what was erased, of them or of anybody.
    """

    person: Person
    name: str
    has_entered: bool
    has_role: bool
    notes: int
    logins: int
    checks: int
    messages: int
    waiting: int
    approved: tuple[Edition, ...]
    is_playing: bool
    role_stays: bool = False
    is_wiped: bool = True

    @property
    def nothing_left(self) -> bool:
        counted = self.notes or self.logins or self.checks or self.messages or self.waiting or self.approved
        return self.person.discord_id is None and not counted


class Erasure:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def people(self, actor: Actor) -> list[tuple[int, str]]:
        """Whoever has entered on this server, newest first: (person id, Lichess name)."""

        def work(reader: Reader) -> list[tuple[int, str]]:
            require_td(reader, actor)
            editions = [edition.id for edition in reader.find(Edition, guild_id=actor.guild_id)]
            entries = reader.find(Registration, edition_id=editions)
            return list({entry.person_id: entry.lichess_name for entry in reversed(entries)}.items())

        return await self._desk.db.read(work)

    async def show(self, actor: Actor, person_id: int) -> Personal:
        """NotFound("person"); NotAllowed("recused") for oneself and as for a ruling, `own_entry`, `entry_beside_own`
        where an entry would go that the actor may not decide."""
        return await self._shown(actor, {"id": person_id})

    async def show_member(self, actor: Actor, discord_id: int) -> Personal:
        """The same of somebody by their Discord account, who may never have entered."""
        return await self._shown(actor, {"discord_id": discord_id})

    async def _shown(self, actor: Actor, who: dict[str, int]) -> Personal:
        found = await self._desk.db.read(lambda reader: self._personal(reader, self._find(reader, actor, who)))
        return replace(found, is_wiped=await self._desk.db.wipe()) if found.nothing_left else found

    async def erase(self, actor: Actor, person_id: int, members: Members) -> Personal:
        """Takes it all away, also what Discord shows of it, and then wipes the file; what there was. Errors as `show`.

        The role goes first: afterwards nobody knows from whom to take it.
        """
        who = {"id": person_id}
        roles = await self._desk.db.read(lambda reader: _roles(reader, self._find(reader, actor, who)))
        taken = [await _take_role(members, *role) for role in roles]
        now = self._desk.clock.now()

        def work(store: Store) -> Personal:
            traces = self._find(store, actor, who)
            told = self._personal(store, traces)
            _erase(store, traces, now)
            _show_again(store, traces, now)
            return told

        told = await self._desk.db.erase(work)
        return replace(told, role_stays=not all(taken), is_wiped=await self._desk.db.wipe())

    async def wipe(self) -> None:
        """What could not be wiped when it was erased."""
        await self._desk.db.wipe()

    def _find(self, reader: Reader, actor: Actor, who: dict[str, int]) -> Traces:
        require_td(reader, actor)
        person = reader.one(Person, **who)
        if person is None:
            raise NotFound("person")
        own = known_person(reader, actor)
        if own is not None and own.id == person.id:
            raise NotAllowed("recused", clause="R1.2", why="own_affair")
        traces = find_traces(reader, self._desk.folds, person)
        servers = {edition.guild_id for edition in traces.editions}
        if servers and actor.guild_id not in servers:
            raise NotFound("person")
        for event, entrant_id in self._running(reader, traces):
            refuse_about(reader, actor, event, (entrant_id,))
        for entry in traces.no_entrants:
            refuse_own(reader, actor, load_entry(reader, entry.id))
        return traces

    def _running(self, reader: Reader, traces: Traces) -> Iterator[tuple[Event, int]]:
        """The edition that runs on each server, where they are in its list, with their entrant."""
        for guild_id in sorted({edition.guild_id for edition in traces.editions}):
            event = current_event(reader, self._desk.folds, guild_id, keep=False)
            entrant = event.entrant_of(traces.person.id)
            if entrant is not None:
                yield event, entrant.id

    def _personal(self, reader: Reader, traces: Traces) -> Personal:
        now = self._desk.clock.now()
        approved = [entry for entry in traces.no_entrants if entry.state is EntryState.APPROVED]
        has_entered = bool(traces.entries)
        return Personal(
            person=traces.person,
            name=traces.name if has_entered else traces.person.name,
            has_entered=has_entered,
            has_role=any(seen.has_role for seen in traces.seen),
            notes=len(traces.notes),
            logins=len(traces.logins),
            checks=len(traces.checks) + len(traces.changes),
            messages=len(traces.posts),
            waiting=len(traces.no_entrants) - len(approved),
            approved=tuple(reader.get(Edition, entry.edition_id) for entry in approved),
            is_playing=any(
                event.tournament.is_in(entrant_id) and not is_over(event, now)
                for event, entrant_id in self._running(reader, traces)
            ),
        )


def _roles(reader: Reader, traces: Traces) -> list[tuple[int, int, int]]:
    """What `_take_role` asks Discord for: on each server where they are, or were, in the list of a started edition."""
    discord_id = traces.person.discord_id
    played = {entrant.edition_id for entrant in traces.entrants}
    guilds = sorted({edition.guild_id for edition in traces.editions if edition.id in played})
    servers = reader.find(Server, guild_id=guilds) if guilds else []
    return [(s.guild_id, discord_id, s.player_role_id) for s in servers if discord_id and s.player_role_id]


async def _take_role(members: Members, guild_id: int, discord_id: int, role_id: int) -> bool:
    """Whether they are certain not to have it any more."""
    there = await members.present(guild_id, [discord_id])
    if discord_id not in there:
        return False
    if role_id not in (there[discord_id] or ()):
        return True
    return await members.set_role(guild_id, discord_id, role_id, has=False)


def _erase(store: Store, traces: Traces, now: datetime) -> None:
    for note in traces.notes:
        store.save(replace(note, text=ERASED))
    for login in traces.logins:
        used = login.used_at or now
        state = f"erased-{login.id}"
        store.save(replace(login, handle="", state=state, verifier="", used_at=used, lichess_id=None, confirm=None))
    for check in (*traces.checks, *traces.changes):
        store.save(replace(check, progress={}, problem=None, finished_at=check.finished_at or now))
    for entry in traces.entries:
        state = EntryState.WITHDRAWN if entry in traces.no_entrants else entry.state
        store.save(replace(entry, state=state, flags=(), others=(), code=""))
    for seen in traces.seen:
        store.save(replace(seen, gone_since=None, has_role=False))
    for post in traces.posts:
        done = replace(post, state=PostState.DROPPED, channel_id=None, message_id=None, problem=None)
        store.save(done)
    store.save(replace(traces.person, discord_id=None, name=traces.name, timezone=None, muted=()))


def _show_again(store: Store, traces: Traces, now: datetime) -> None:
    """Every message of ours that shows what is erased is edited, on every server."""
    keys = sorted({*_shown_as_player(store, traces), *_shown_as_td(store, traces)})
    for post in store.find(Post, key=keys) if keys else []:
        Outbox(store, post.guild_id, now).owe(post.key, post.kind, post.target, **post.payload)


def _shown_as_player(reader: Reader, traces: Traces) -> Iterator[str]:
    entrant_ids = [entrant.id for entrant in traces.entrants]
    note_ids = {note.id for note in traces.notes}
    yield from (f"entry:{entry.id}:card" for entry in traces.entries)
    yield from _after_a_rejection(reader, traces.entries)
    yield from (f"account-change:{change.id}" for change in traces.changes)
    matches = reader.find(Match, a_id=entrant_ids) + reader.find(Match, b_id=entrant_ids) if entrant_ids else []
    threads = [f"thread:{match.id}" for match in matches]
    yield from (post.key for post in reader.find(Post, target=threads) if post.message_id is not None)
    undelivered = reader.find(Post, kind="undelivered")
    yield from (post.key for post in undelivered if post.payload["person_id"] == traces.person.id)
    for edition in traces.editions:
        yield from (f"ruling:{fact.id}" for fact in reader.facts(edition.id) if fact.reason_note_id in note_ids)


def _shown_as_td(reader: Reader, traces: Traces) -> Iterator[str]:
    """Where the Discord name stands beside a decision about somebody else."""
    person_id = traces.person.id
    written = {note.id for note in reader.find(Note, author_id=person_id)}
    for edition in traces.editions:
        yield from (f"ruling:{fact.id}" for fact in reader.facts(edition.id) if fact.author_id == person_id)
        for entry in reader.find(Registration, edition_id=edition.id):
            if entry.decided_by == person_id or written & {entry.vouch_note_id, entry.admin_note_id}:
                yield f"entry:{entry.id}:card"
                yield from _after_a_rejection(reader, [entry])


def _after_a_rejection(reader: Reader, entries: Iterable[Registration]) -> Iterator[str]:
    """The cards of other entries of the same person or account: a rejection and who decided it stand there too."""
    for entry in entries:
        if entry.state is EntryState.REJECTED:
            for other in reader.find(Registration, edition_id=entry.edition_id):
                if other.person_id == entry.person_id or other.lichess_id == entry.lichess_id:
                    yield f"entry:{other.id}:card"
