"""The check of an account step by step: which request comes next, and what its answer adds (R2.1-R2.8).

Pure, so that the progress can be stored after each answer and the check goes on after a restart. One export serves
both R2.5 and R2.2 wherever it reaches back far enough; a request that can change nothing any more is not made. No end
of an export is believed by one answer alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from engine.eligibility.checks import (
    NOTHING_KNOWN,
    Known,
    Topic,
    Verdict,
    count_is_doubtful,
    judge,
    needs_count_since,
    team_is_doubtful,
)
from engine.eligibility.evidence import CheatGame, Export, Profile, Progress, profile_of
from engine.errors import LichessUnavailable
from engine.ports import Account, GamesPiece, OldestGames, PlayedGame
from engine.rules import Ruleset
from engine.rules.values import midnight

GAMES_AT_ONCE = 300
GAMES_PER_SECOND = 20
"""How fast Lichess exports games without a token."""
OTHER_SECONDS = 1
"""What a request takes that is no export, roughly."""
SLACK = timedelta(days=1)
"""So far behind the reading of the profile the exports begin. A game that the profile counts must not be missing in
what is subtracted from it (R2.2), and they are told by the clock of Lichess, which may be ahead of ours; no clock is a
day wrong, and nothing is gained by an earlier end: games that came after the profile can only leave too few, and then
it is read once more."""
NEVER_RATED = frozenset({"aborted", "noStart"})
"""Games that no rating and no count takes notice of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAccount:
    """The profile; the second time its count of rated games only (R2.2)."""

    account: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOthers:
    """The person's other accounts, all at once (R2.3)."""

    accounts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskTeams:
    account: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOldest:
    """Where an export must end, as `LichessPort.oldest_games` takes it: before its first piece."""

    account: str
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AskGames:
    """One piece of an export, as `LichessPort.player_games` takes it."""

    account: str
    since: datetime
    until: datetime
    leave_out: tuple[str, ...]
    rated_only: bool
    perf: str | None


Request = AskAccount | AskOthers | AskTeams | AskOldest | AskGames
Answer = Account | Sequence[Account] | Sequence[str] | OldestGames | GamesPiece


class Contradiction(LichessUnavailable):
    """Two answers cannot both be right. `progress` goes on with asking anew: where an export ends, or everything."""

    def __init__(self, progress: Progress) -> None:
        super().__init__("lichess_incomplete")
        self.progress = progress


def begin(account: str, others: Sequence[str] = ()) -> Progress:
    """The check of an account from its beginning, by name or id; so are the person's `others` (R2.3)."""
    first = account.lower()
    rest = dict.fromkeys(other.lower() for other in others if other.lower() != first)
    return Progress(account=first, others=tuple(rest))


def next_request(rules: Ruleset, progress: Progress, known: Known = NOTHING_KNOWN) -> Request | None:
    """What to ask next; None when the check is over or no answer could change it.

    That is so once a check has failed. `rules` must be those with which the check began.
    """
    profile = progress.profile
    if profile is None:
        return AskAccount(account=progress.account)
    if judge(rules, progress, known).verdict is Verdict.FAIL:
        return None
    if progress.others and progress.others_marked is None:
        return AskOthers(accounts=progress.others)
    if _team_is_open(rules, progress):
        return AskTeams(account=progress.account)
    if _count_is_open(rules, progress, profile):
        return AskAccount(account=progress.account)
    for export in progress.exports:
        if export.needs_oldest:
            return AskOldest(account=progress.account, since=export.since, until=export.until)
        if export.cursor is not None:
            return AskGames(
                account=progress.account,
                since=export.since,
                until=export.cursor,
                leave_out=export.edge,
                rated_only=export.rated_only,
                perf=export.perf,
            )
    return None


def _team_is_open(rules: Ruleset, progress: Progress) -> bool:
    """R2.8: the teams have to be asked for, or asked for once more."""
    return rules.entry.team is not None and (progress.teams is None or team_is_doubtful(rules, progress))


def _count_is_open(rules: Ruleset, progress: Progress, profile: Profile) -> bool:
    """R2.2: the profile has to be read once more."""
    needed = needs_count_since(rules, profile) and progress.rated_games_again is None
    return needed and count_is_doubtful(rules, progress, profile)


def absorb(rules: Ruleset, progress: Progress, request: Request, answer: Answer, now: datetime) -> Progress:
    """The progress with the answer, come in at `now`, to a request that `next_request` gave for it.

    ValueError for an answer to another request (a piece cannot be counted twice). LichessUnavailable
    (`lichess_incomplete`) when an export does not get on, as a Contradiction when it ends where it must not.
    """
    if request != next_request(rules, progress):
        raise ValueError("this answers another request")
    asked = replace(progress, requests=progress.requests + 1)
    match request, answer:
        case AskAccount(), Account() if progress.profile is None:
            profile = profile_of(answer, rules.variant, now)
            return replace(asked, account=answer.id, profile=profile, exports=_exports(rules, profile))
        case AskAccount(), Account() if progress.profile is not None:
            return _again(rules, asked, progress.profile, answer)
        case AskOldest(), OldestGames():
            return _with_oldest(asked, answer)
        case AskGames(), GamesPiece():
            return _with_piece(rules, asked, answer)
        case AskTeams(), list() | tuple():
            teams = tuple(str(team) for team in answer)
            return replace(asked, teams=teams, teams_answers=progress.teams_answers + 1)
        case AskOthers(), list() | tuple():
            return _with_others(asked, [account for account in answer if isinstance(account, Account)])
        case _:
            raise ValueError("this answers another request")


def _exports(rules: Ruleset, profile: Profile) -> tuple[Export, ...]:
    """What has to be exported: everything for R2.5, and for R2.2 the rated games of the variant before that."""
    if profile.closed:
        return ()
    end = profile.read_at + SLACK
    exports: list[Export] = []
    covered_from = end
    if rules.entry.cheat_games:
        covered_from = min(midnight(window.since) for window in rules.entry.cheat_games)
        exports.append(Export(since=covered_from, until=end, rated_only=False, perf=None, cursor=end))
    if needs_count_since(rules, profile):
        cut_off, until = midnight(rules.entry.min_games_before), min(covered_from, end)
        exports.append(Export(since=cut_off, until=until, rated_only=True, perf=rules.variant, cursor=until))
    return tuple(export for export in exports if export.since < export.until)


def _again(rules: Ruleset, progress: Progress, profile: Profile, account: Account) -> Progress:
    """Besides the count, an account that was closed or marked meanwhile is not overlooked.

    A count only grows; so where it is smaller, one of the two is wrong, and the check begins from its beginning.
    """
    newer = replace(profile, closed=account.closed, marked=profile.marked or account.tos_violation)
    count = None if account.closed else account.games.get(rules.variant, 0)
    if count is not None and count < profile.rated_games:
        raise Contradiction(begin(progress.account, progress.others))
    return replace(progress, profile=newer, rated_games_again=count)


def found_closed(progress: Progress) -> Progress:
    """R2.8: Lichess has said, in answer to some other request, that the account is closed by now."""
    assert progress.profile is not None
    return replace(progress, profile=replace(progress.profile, closed=True), requests=progress.requests + 1)


def _with_others(progress: Progress, found: list[Account]) -> Progress:
    doubtful = {account.id for account in found if account.tos_violation or account.closed}
    missing = {*progress.others} - {account.id for account in found}
    return replace(
        progress,
        others_marked=tuple(id for id in progress.others if id in doubtful),
        others_unknown=tuple(id for id in progress.others if id in missing),
    )


def _with_oldest(progress: Progress, oldest: OldestGames) -> Progress:
    """Not before the first piece only: an answer that turned out wrong is asked for anew, behind what was read.

    That there are no games is not believed any more once some answer had one.
    """
    before = _current(progress)
    export = replace(before, oldest=oldest, doubted=False, settled=False)
    if export.passed_oldest or (before.doubted and oldest.at is None):
        raise Contradiction(progress)
    return _with_export(progress, _over(export) if export.has_oldest and oldest.whole else export)


def _with_piece(rules: Ruleset, progress: Progress, piece: GamesPiece) -> Progress:
    export = _current(progress)
    assert export.cursor is not None
    end = piece.next_until
    if end is None:
        return _with_nothing_new(progress, export)
    new = {game.id: game for game in piece.games if _is_new(game, export)}
    stands = end == export.cursor and not new and piece.leave_out == export.edge
    if end > export.cursor or stands:
        raise LichessUnavailable("lichess_incomplete")
    read = replace(export, cursor=end, edge=piece.leave_out, games=export.games + len(new))
    found = [CheatGame(id=game.id, created_at=game.created_at) for game in new.values() if _is_cheat(game)]
    rated = [game for game in new.values() if _counts(rules, game)]
    return replace(
        _with_export(progress, _ended(read, full=piece.full)),
        rated_since=progress.rated_since + len(rated),
        rated_since_certain=progress.rated_since_certain + sum(game.moved_rating for game in rated),
        cheat_games=progress.cheat_games + tuple(found),
    )


def _ended(export: Export, *, full: bool) -> Export:
    """The export behind a piece with something new: over with the oldest games, if nothing can be missing beside them.

    Where all of their millisecond came, nothing can. Otherwise a piece that is not full had all the rest, unless it was
    cut; so where `oldest` may not know them all, one more has to say the same.
    """
    if export.passed_oldest:
        return replace(export, oldest=None, settled=False)
    if not export.has_oldest or export.oldest is None:
        return replace(export, settled=False)
    if export.oldest.whole or not (full or export.oldest.full):
        return _over(export)
    return replace(export, settled=not full)


def _with_nothing_new(progress: Progress, export: Export) -> Progress:
    """Over where the oldest games were read, or there are none. Otherwise the rest is missing, or they are wrong."""
    assert export.oldest is not None
    if export.oldest.at is None or (export.has_oldest and (export.settled or not export.oldest.full)):
        return _with_export(progress, _over(export))
    if export.has_oldest:
        return _with_export(progress, replace(export, settled=True))
    raise Contradiction(_with_export(progress, replace(export, doubted=True)))


def _over(export: Export) -> Export:
    return replace(export, cursor=None, edge=(), settled=False)


def _current(progress: Progress) -> Export:
    """The export that is being read."""
    return next(export for export in progress.exports if export.cursor is not None)


def _with_export(progress: Progress, export: Export) -> Progress:
    """With the one that is being read as it stands now."""
    place = progress.exports.index(_current(progress))
    return replace(progress, exports=(*progress.exports[:place], export, *progress.exports[place + 1 :]))


def _is_new(game: PlayedGame, export: Export) -> bool:
    return export.since <= game.created_at < export.until and game.id not in export.edge


def _is_cheat(game: PlayedGame) -> bool:
    """R2.5."""
    return game.status == "cheat" and game.lost


def _counts(rules: Ruleset, game: PlayedGame) -> bool:
    """R2.2: a rated game of the variant from the cut-off on, which the profile may count."""
    since = midnight(rules.entry.min_games_before)
    rated = game.rated and game.variant == rules.variant and game.status not in NEVER_RATED
    return rated and game.created_at >= since


# --- What remains ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What is still to be asked: about so many requests and seconds, and no more requests than `at_most`.

    `at_most` is None before the profile has said how many games there are.
    """

    requests: int
    seconds: int
    at_most: int | None


def estimate(rules: Ruleset, progress: Progress, known: Known = NOTHING_KNOWN) -> Estimate:
    """How long the check will still take (R2.2, R2.5).

    By the games of the account: of all of them as many as fall into the period if they were played evenly, and once
    some have been read, as many as were played in a time as long. At most all that were not read yet.
    """
    request = next_request(rules, progress, known)
    if request is None:
        return Estimate(requests=0, seconds=0, at_most=0)
    profile = progress.profile
    if profile is None:
        return Estimate(requests=2, seconds=2 * OTHER_SECONDS, at_most=None)
    others = sum(
        (
            bool(progress.others) and progress.others_marked is None,
            _team_is_open(rules, progress),
            _count_is_open(rules, progress, profile),
        )
    )
    unread = [export for export in progress.exports if export.cursor is not None]
    games = [_games_left(export, progress, profile) for export in unread]
    pieces = sum(max(1, math.ceil(number / GAMES_AT_ONCE)) for number in games)
    others += sum(export.needs_oldest for export in unread)
    seconds = others * OTHER_SECONDS + math.ceil(sum(games) / GAMES_PER_SECOND) + len(unread)
    return Estimate(requests=others + pieces, seconds=seconds, at_most=_at_most(rules, progress, profile, others))


def _at_most(rules: Ruleset, progress: Progress, profile: Profile, others: int) -> int | None:
    if profile.all_games is None:
        return None
    unread = [export for export in progress.exports if export.cursor is not None]
    pieces = max(0, profile.all_games - progress.games) // GAMES_AT_ONCE + len(unread)
    pieces += sum(export.oldest is None or export.oldest.full for export in unread)  # see `_ended`
    pieces += rules.entry.team is not None and progress.teams is None  # see `team_is_doubtful`
    check = judge(rules, progress).of(Topic.RATED_GAMES)
    open_count = check is not None and check.verdict is Verdict.INCOMPLETE and progress.rated_games_again is None
    return others + pieces + (open_count and not _count_is_open(rules, progress, profile))


def _games_left(export: Export, progress: Progress, profile: Profile) -> int:
    """About how many games of an export are still to come."""
    assert export.cursor is not None
    total = profile.rated_games if export.perf is not None else profile.all_games
    read, left = (export.until - export.cursor), (export.cursor - export.since)
    if export.games and read:
        about = math.ceil(export.games * (left / read))
    elif total is not None and profile.created_at is not None:
        life = profile.read_at - profile.created_at
        about = math.ceil(total * min(1.0, left / life)) if life > timedelta() else total
    else:
        about = total or profile.rated_games
    return about if total is None else min(about, max(0, total - export.games))
