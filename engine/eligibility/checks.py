"""Who may play (R2.1-R2.8): each condition of the ruleset against what Lichess has said so far.

A check that lacks an answer is incomplete and decides nothing. What the public API cannot say is left to a human.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from engine.eligibility.evidence import CheatGame, Profile, Progress
from engine.rules import Ruleset
from engine.rules.values import midnight


class Verdict(StrEnum):
    """`not_yet`: complete, and may change by the day that the check names. `not_asked`: says nothing for or against."""

    PASS = "pass"
    FAIL = "fail"
    HUMAN = "human"
    NOT_YET = "not_yet"
    INCOMPLETE = "incomplete"
    NOT_ASKED = "not_asked"


class Topic(StrEnum):
    """What a check is about."""

    OPEN = "open"
    BOT = "bot"
    AGE = "age"
    RATED_GAMES = "rated_games"
    ENGINE_MARK = "engine_mark"
    BOOST_MARK = "boost_mark"
    CHEAT_GAMES = "cheat_games"
    SECOND_ACCOUNT = "second_account"
    TEAM = "team"
    RATING = "rating"
    ADMIN = "admin"


class Word(StrEnum):
    """R2.8: what a Lichess admin has said of the player."""

    QUALIFIES = "qualifies"
    DOES_NOT = "does_not"


Figure = bool | int | str | date | None | tuple[str, ...] | tuple[CheatGame, ...]
"""What the words of a check are filled with; a `date` that is no `datetime` means 00:00 UTC of that day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What Lichess cannot say. `second_account`: whether the registration found one (R2.6), None: nobody looked."""

    second_account: bool | None = None
    admin: Word | None = None


NOTHING_KNOWN = Known()


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One condition, how it stands and why. Each topic has its own figures; its function below says which."""

    topic: Topic
    clause: str
    verdict: Verdict
    figures: Mapping[str, Figure] = field(default_factory=dict[str, Figure])


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """All checks in the order of the rules, and what they come to."""

    checks: tuple[Check, ...]

    @property
    def verdict(self) -> Verdict:
        """The first of these that some check has; so a failed check decides, whatever is still unknown.

        Otherwise an answer that is missing, then a human's word, then a later day stand before "pass".
        """
        found = {check.verdict for check in self.checks}
        return next((verdict for verdict in _DECIDING if verdict in found), Verdict.PASS)

    @property
    def again_at(self) -> datetime | None:
        """When what is "not yet" may have another answer; None unless that is what the judgement comes to."""
        if self.verdict is not Verdict.NOT_YET:
            return None
        days = [_last_day(check) for check in self.checks if check.verdict is Verdict.NOT_YET]
        return min(midnight(day) for day in days)

    def of(self, topic: Topic) -> Check | None:
        """The check of a topic; None when the ruleset has no such condition."""
        return next((check for check in self.checks if check.topic is topic), None)


def _last_day(check: Check) -> date:
    day = check.figures["before" if check.topic is Topic.RATED_GAMES else "closes"]
    assert isinstance(day, date)
    return day


_DECIDING = (Verdict.FAIL, Verdict.INCOMPLETE, Verdict.HUMAN, Verdict.NOT_YET)


def judge(rules: Ruleset, progress: Progress, known: Known = NOTHING_KNOWN) -> Judgement:
    """The judgement by what has been read (R2.1-R2.8).

    `rules` with the dates of the edition in it (`dates_for(…).ruleset`). When an answer that is in decides against the
    account, the checks that would have needed more are "not asked", because nobody goes on asking.
    """
    profile = progress.profile
    if profile is None:
        return Judgement(checks=tuple(_not_looked_at(rules)) + tuple(_from_outside(known)))
    checks = [
        Check(topic=topic, clause=clause, verdict=verdict, figures=figures)
        for topic, clause, look in _CHECKS
        for verdict, figures in look(rules, progress, profile, known)
    ]
    checks += _from_outside(known)
    if any(check.verdict is Verdict.FAIL for check in checks):
        checks = [_dropped(check) if check.verdict is Verdict.INCOMPLETE else check for check in checks]
    return Judgement(checks=tuple(checks))


def needs_count_since(rules: Ruleset, profile: Profile) -> bool:
    """R2.2: whether games since the cut-off must be subtracted: the cut-off is past, the profile alone has enough."""
    past = profile.read_at >= midnight(rules.entry.min_games_before)
    return not profile.closed and past and profile.rated_games >= rules.entry.min_games


def count_is_doubtful(rules: Ruleset, progress: Progress, profile: Profile) -> bool:
    """R2.2: the subtraction leaves too few, but a game that ended after the profile was read may be in it.

    Then the profile is read once more behind the games: with the newer count the subtraction of what surely counts can
    only come out too high, so if it leaves too few, they are too few.
    """
    whole = progress.rated_since_is_whole(midnight(rules.entry.min_games_before))
    return whole and profile.rated_games - progress.rated_since < rules.entry.min_games


def team_is_doubtful(rules: Ruleset, progress: Progress) -> bool:
    """R2.8: the team is missing in one answer, which may be half a one; so it is asked for once more."""
    teams = progress.teams
    return teams is not None and rules.entry.team not in teams and progress.teams_answers < 2


Found = Iterator[tuple[Verdict, Mapping[str, Figure]]]


def _open(rules: Ruleset, progress: Progress, profile: Profile, known: Known) -> Found:
    """R2.8: nobody plays with a closed account."""
    yield Verdict.FAIL if profile.closed else Verdict.PASS, {}


def _bot(rules: Ruleset, progress: Progress, profile: Profile, known: Known) -> Found:
    """R2.7."""
    if not rules.entry.bots:
        yield Verdict.FAIL if profile.bot else Verdict.PASS, {}


def _age(rules: Ruleset, progress: Progress, profile: Profile, known: Known) -> Found:
    """R2.1, strictly before the day. A closed account does not show when it was made.

    Figures: `created_at`, `before`.
    """
    before = rules.entry.account_created_before
    figures: Mapping[str, Figure] = {"created_at": profile.created_at, "before": before}
    if profile.created_at is None:
        yield Verdict.NOT_ASKED if profile.closed else Verdict.HUMAN, figures
    else:
        yield Verdict.PASS if profile.created_at < midnight(before) else Verdict.FAIL, figures


def _rated_games(rules: Ruleset, progress: Progress, profile: Profile, known: Known) -> Found:
    """R2.2 with its reading. Figures: `needed`, `before`, `on_profile`, `since` (read so far), `uncertain` (of those),
    `counted`, `at_most`, `moving`.

    The number as of the cut-off is from `counted` to `at_most`, where it is known: Lichess calls games rated that moved
    no rating, such as those against a marked player, and its profile does not count them. Whatever moved the player's
    own rating it counts. Where that leaves open which side of the line the number is on, a human decides. `moving`:
    it is open because games ended during the check, which has to be made again.
    """
    needed, before = rules.entry.min_games, rules.entry.min_games_before
    figures: dict[str, Figure] = {"needed": needed, "before": before, "on_profile": profile.rated_games}
    if profile.closed:
        yield Verdict.NOT_ASKED, figures
        return
    if profile.read_at < midnight(before):
        yield Verdict.PASS if profile.rated_games >= needed else Verdict.NOT_YET, figures
        return
    if profile.rated_games < needed:
        yield Verdict.FAIL, figures
        return
    uncertain = progress.rated_since - progress.rated_since_certain
    figures |= {"since": progress.rated_since, "uncertain": uncertain, "moving": False}
    if not progress.rated_since_is_whole(midnight(before)):
        yield Verdict.INCOMPLETE, figures
        return
    counted = profile.rated_games - progress.rated_since
    figures |= {"counted": counted, "at_most": counted + uncertain}
    again = progress.rated_games_again
    if not count_is_doubtful(rules, progress, profile):
        yield Verdict.PASS, figures
    elif again is not None and again - progress.rated_since_certain < needed:
        yield Verdict.FAIL, figures
    elif again == profile.rated_games:
        yield Verdict.HUMAN, figures
    else:
        yield Verdict.INCOMPLETE, figures | {"moving": again is not None}


def _engine_mark(rules: Ruleset, progress: Progress, profile: Profile, known: Known) -> Found:
    """R2.3: on any account of the person. Figures as `_mark`."""
    return _mark(rules.entry.engine_mark_after, progress, profile, known)


def _boost_mark(rules: Ruleset, progress: Progress, profile: Profile, known: Known) -> Found:
    """R2.4: on any account of the person. Figures as `_mark`."""
    return _mark(rules.entry.boost_mark_after, progress, profile, known)


def _mark(after: date, progress: Progress, profile: Profile, known: Known) -> Found:
    """Lichess shows publicly that there is a mark or that an account is closed, not which mark and since when.

    So a human decides (R2.3, R2.4, R2.8); who qualifies by a Lichess admin's word is in the clear. Figures: `after`,
    `marked`, `closed`, `others`, `others_marked`, `others_unknown`.
    """
    figures: dict[str, Figure] = {
        "after": after,
        "marked": profile.marked,
        "closed": profile.closed,
        "others": progress.others,
        "others_marked": progress.others_marked or (),
        "others_unknown": progress.others_unknown or (),
    }
    doubtful = profile.marked or profile.closed or progress.others_marked or progress.others_unknown
    if doubtful:
        yield Verdict.PASS if known.admin is Word.QUALIFIES else Verdict.HUMAN, figures
    else:
        yield Verdict.INCOMPLETE if progress.others and progress.others_marked is None else Verdict.PASS, figures


def _cheat_games(rules: Ruleset, progress: Progress, profile: Profile, known: Known) -> Found:
    """R2.5: "cheat detected" games that the player lost, of any variant, rated or not, in each window of the ruleset.

    Figures: `windows` ("1 since 2022-01-01" …), `found` (newest first, those of the longest window), `games` (how many
    were looked at), `looked_back_to` (the moment down to which every game was looked at), `until`.
    """
    windows = rules.entry.cheat_games
    if not windows:
        return
    longest = min(midnight(window.since) for window in windows)
    figures: dict[str, Figure] = {
        "windows": tuple(f"{window.count} since {window.since}" for window in windows),
        "found": tuple(game for game in progress.cheat_games if game.created_at >= longest),
        "games": progress.games,
        "looked_back_to": _looked_back_to(progress, profile),
        "until": profile.read_at,
    }
    if profile.closed:
        yield Verdict.NOT_ASKED, figures
    elif any(_cheat_count(progress, midnight(window.since)) >= window.count for window in windows):
        yield Verdict.FAIL, figures
    else:
        yield Verdict.PASS if progress.everything_since(longest) else Verdict.INCOMPLETE, figures


def _cheat_count(progress: Progress, since: datetime) -> int:
    return sum(game.created_at >= since for game in progress.cheat_games)


def _looked_back_to(progress: Progress, profile: Profile) -> datetime:
    """The end of what is read for R2.5: its export is the one of all variants."""
    for export in progress.exports:
        if export.perf is None:
            return min(export.cursor or export.since, profile.read_at)
    return profile.read_at


def _team(rules: Ruleset, progress: Progress, profile: Profile, known: Known) -> Found:
    """R2.8, a ground of the ruleset: one may join until registration closes. Figures: `team`, `closes`."""
    team, closes = rules.entry.team, rules.registration.closes
    if team is None:
        return
    figures: Mapping[str, Figure] = {"team": team, "closes": closes}
    if profile.closed:
        yield Verdict.NOT_ASKED, figures
    elif progress.teams is None or team_is_doubtful(rules, progress):
        yield Verdict.INCOMPLETE, figures
    else:
        yield Verdict.PASS if team in progress.teams else _until(closes, profile), figures


def _rating(rules: Ruleset, progress: Progress, profile: Profile, known: Known) -> Found:
    """R2.8, a ground of the ruleset: it may be reached until registration closes, and is read from the profile.

    Figures: `needed`, `rating`, `closes`.
    """
    needed, closes = rules.entry.min_rating, rules.registration.closes
    if needed is None:
        return
    figures: Mapping[str, Figure] = {"needed": needed, "rating": profile.rating, "closes": closes}
    if profile.closed:
        yield Verdict.NOT_ASKED, figures
    else:
        enough = profile.rating is not None and profile.rating >= needed
        yield Verdict.PASS if enough else _until(closes, profile), figures


def _until(closes: date, profile: Profile) -> Verdict:
    return Verdict.NOT_YET if profile.read_at < midnight(closes) else Verdict.FAIL


Look = Callable[[Ruleset, Progress, Profile, Known], Found]

_CHECKS: tuple[tuple[Topic, str, Look], ...] = (
    (Topic.OPEN, "R2.8", _open),
    (Topic.BOT, "R2.7", _bot),
    (Topic.AGE, "R2.1", _age),
    (Topic.RATED_GAMES, "R2.2", _rated_games),
    (Topic.ENGINE_MARK, "R2.3", _engine_mark),
    (Topic.BOOST_MARK, "R2.4", _boost_mark),
    (Topic.CHEAT_GAMES, "R2.5", _cheat_games),
    (Topic.TEAM, "R2.8", _team),
    (Topic.RATING, "R2.8", _rating),
)


def _from_outside(known: Known) -> Iterator[Check]:
    """R2.6: a second account is for the TDs to rule on. R2.8: a Lichess admin's word, where there is one."""
    second = {None: Verdict.NOT_ASKED, False: Verdict.PASS, True: Verdict.HUMAN}[known.second_account]
    yield Check(topic=Topic.SECOND_ACCOUNT, clause="R2.6", verdict=second)
    word = {None: Verdict.NOT_ASKED, Word.QUALIFIES: Verdict.PASS, Word.DOES_NOT: Verdict.FAIL}[known.admin]
    yield Check(topic=Topic.ADMIN, clause="R2.8", verdict=word)


def _not_looked_at(rules: Ruleset) -> Iterator[Check]:
    """Every condition of the ruleset before the first answer."""
    entry = rules.entry
    missing = {
        Topic.BOT: entry.bots,
        Topic.CHEAT_GAMES: not entry.cheat_games,
        Topic.TEAM: entry.team is None,
        Topic.RATING: entry.min_rating is None,
    }
    for topic, clause, _ in _CHECKS:
        if not missing.get(topic, False):
            yield Check(topic=topic, clause=clause, verdict=Verdict.INCOMPLETE)


def _dropped(check: Check) -> Check:
    return Check(topic=check.topic, clause=check.clause, verdict=Verdict.NOT_ASKED, figures=check.figures)
