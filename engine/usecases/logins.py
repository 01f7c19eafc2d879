"""R2.6: whose account it is, shown by a login with Lichess (OAuth with PKCE, RFC 7636) and a word of whoever logged in.

The link can be passed on, so a login alone enters nobody: whoever has logged in is asked whether that is their entry.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from engine import pkce
from engine.errors import Conflict, NotFound
from engine.model import Edition, Login, Person, Proof, Registration
from engine.ports import Reader, Store
from engine.usecases.context import Actor, Desk
from engine.usecases.entries import EntryView
from engine.usecases.registration import Registrations, own_entry, unproven

LOGIN_LASTS = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What whoever has logged in is asked: is this entry of `person` theirs? `token` answers with yes, once. `handle`:
    who that is on Discord, without a doubt."""

    token: str
    handle: str
    entry: Registration
    person: Person
    edition: Edition


class Logins:
    def __init__(self, desk: Desk, registrations: Registrations) -> None:
        self._desk = desk
        self._registrations = registrations

    async def begin(self, actor: Actor, registration_id: int) -> str:
        """The address of a login with Lichess, which lasts LOGIN_LASTS and can be used once.

        Conflict `no_login`, `already_registered`; NotFound("registration"); NotAllowed("not_your_entry").
        """
        door = self._desk.door
        if door is None:
            raise Conflict("no_login")
        now = self._desk.clock.now()
        verifier, state = pkce.verifier(self._desk.chance(48)), self._token()

        def work(store: Store) -> None:
            entry = unproven(own_entry(store, actor, registration_id))
            store.add(
                Login(
                    registration_id=entry.id,
                    handle=actor.handle,
                    state=state,
                    verifier=verifier,
                    created_at=now,
                    expires_at=now + LOGIN_LASTS,
                )
            )

        await self._desk.db.write(work)
        return door.login.authorize_url(state, pkce.challenge(verifier), door.redirect_uri)

    async def take(self, state: str) -> Login:
        """The login of that state, used up by this. NotFound("login"); Conflict `login_used`, `login_expired`."""
        now = self._desk.clock.now()

        def work(store: Store) -> Login:
            login = _valid(store.one(Login, state=state), now)
            if login.used_at is not None:
                raise Conflict("login_used")
            return store.save(replace(login, used_at=now))

        return await self._desk.db.write(work)

    async def came_back(self, login: Login, lichess_id: str) -> Question:
        """Somebody has logged in as `lichess_id`. Conflict `login_of_another` with both names,
        `already_registered`."""
        token = self._token()

        def work(store: Store) -> Question:
            entry = unproven(_same_account(store, login, lichess_id))
            store.save(replace(login, lichess_id=lichess_id, confirm=token))
            return Question(
                token=token,
                handle=login.handle,
                entry=entry,
                person=store.get(Person, entry.person_id),
                edition=store.get(Edition, entry.edition_id),
            )

        return await self._desk.db.write(work)

    async def confirm(self, token: str) -> EntryView:
        """The yes to that question. Errors as `take`, `came_back` and `Registrations.proven`."""
        now = self._desk.clock.now()

        def work(store: Store) -> EntryView:
            login = _valid(store.one(Login, confirm=token) if token else None, now)
            assert login.lichess_id is not None
            entry = _same_account(store, login, login.lichess_id)
            store.save(replace(login, confirm=None))
            return self._registrations.proven(store, entry, Proof.LOGIN, now)

        return await self._desk.db.write(work)

    def _token(self) -> str:
        """Nobody guesses it."""
        return pkce.verifier(self._desk.chance(32))


def _valid(login: Login | None, now: datetime) -> Login:
    if login is None:
        raise NotFound("login")
    if now >= login.expires_at:
        raise Conflict("login_expired")
    return login


def _same_account(reader: Reader, login: Login, lichess_id: str) -> Registration:
    entry = reader.get(Registration, login.registration_id)
    if lichess_id != entry.lichess_id:
        raise Conflict("login_of_another", expected=entry.lichess_name, name=lichess_id)
    return entry
