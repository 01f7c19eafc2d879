"""R2.1-R2.8: asking Lichess about an account, one request after the other, until the check is over."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from engine.eligibility import (
    NOTHING_KNOWN,
    Answer,
    AskAccount,
    AskGames,
    AskOldest,
    AskOthers,
    AskTeams,
    Contradiction,
    Judgement,
    Known,
    Progress,
    Request,
    absorb,
    begin,
    found_closed,
    judge,
    next_request,
)
from engine.errors import LichessUnavailable, NotFound
from engine.ports import Account, Clock, LichessPort
from engine.rules import Ruleset
from engine.usecases.asking import look_up

OnProgress = Callable[[Progress], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A check as far as it came. `unavailable`: why Lichess could not be asked further; `resume` goes on from here."""

    progress: Progress
    judgement: Judgement
    unavailable: LichessUnavailable | None = None


class Eligibility:
    def __init__(self, lichess: LichessPort, clock: Clock) -> None:
        self._lichess = lichess
        self._clock = clock

    async def check(
        self,
        rules: Ruleset,
        name: str,
        *,
        others: Sequence[str] = (),
        known: Known = NOTHING_KNOWN,
        on_progress: OnProgress | None = None,
    ) -> Checked:
        """Checks an account from the beginning; as `resume`.

        `rules` with the dates of the edition in it. `others`: further accounts that the person has named.
        """
        progress = begin(name, others)
        return await self.resume(rules, progress, known=known, on_progress=on_progress)

    async def resume(
        self,
        rules: Ruleset,
        progress: Progress,
        *,
        known: Known = NOTHING_KNOWN,
        on_progress: OnProgress | None = None,
    ) -> Checked:
        """Goes on with a check. `on_progress` gets every new state and may store it before the next request is made.

        When Lichess does not answer, or only in part, the progress is that before the request, or that of a
        `Contradiction`. An account that is closed meanwhile fails and ends the check. NotFound("no_account").
        """
        while (request := next_request(rules, progress, known)) is not None:
            try:
                answer = await self._ask(request)
                progress = absorb(rules, progress, request, answer, self._clock.now())
            except LichessUnavailable as unavailable:
                if isinstance(unavailable, Contradiction):
                    progress = unavailable.progress
                return Checked(progress=progress, judgement=judge(rules, progress, known), unavailable=unavailable)
            except NotFound as gone:
                if gone.code != "account_closed" or progress.profile is None:
                    raise
                progress = found_closed(progress)
            if on_progress is not None:
                await on_progress(progress)
        return Checked(progress=progress, judgement=judge(rules, progress, known))

    async def _ask(self, request: Request) -> Answer:
        lichess = self._lichess
        match request:
            case AskAccount(account=id):
                account = await lichess.account(id, patient=True)
                if account is None:
                    raise NotFound("no_account", name=id)
                return account
            case AskOthers(accounts=ids):
                return await self._others(ids)
            case AskTeams(account=id):
                return await lichess.teams_of(id)
            case AskOldest(account=id):
                return await lichess.oldest_games(id, since=request.since, until=request.until)
            case AskGames(account=id):
                return await lichess.player_games(
                    id,
                    since=request.since,
                    until=request.until,
                    leave_out=request.leave_out,
                    rated_only=request.rated_only,
                    perf=request.perf,
                )

    async def _others(self, ids: Sequence[str]) -> Sequence[Account]:
        """R2.3: nobody of them is left out because one answer was half."""
        looked = await look_up(self._lichess, ids)
        for refusal in looked.unread.values():
            raise refusal
        return [account for account in looked.seen.values() if account is not None]
