"""What the bot owes to whom after a decision: outbox rows with ids only. The words are in `cogs.render`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.model import AccountChange, Dispute, Entrant, Match, Post, Registration, Round, Server
from engine.ports import Store

PAIRINGS_PER_POST = 16
STANDINGS_PER_POST = 40
SCHEDULE_PER_POST = 12
UNPLAYED_PER_POST = 6
SEEDS_PER_POST = 20
ASKING = (
    "offers_made",
    "first_game_named",
    "unanswered",
    "decided",
    "match_reminder",
    "start",
    "early_games",
    "timer",
    "timer_told",
    "tie",
    "throw",
    "colours",
)
"""Posts whose buttons go when the match is agreed or over."""

_OF_SEATS = ("seating", "stage_waits", "seats_empty")
MOST_WARNINGS = 3
"""So often both are pinged about games with other settings in one match."""


def thread_key(match_id: int) -> str:
    return f"match:{match_id}:thread"


def card_key(match_id: int) -> str:
    return f"match:{match_id}:card"


def result_key(match_id: int) -> str:
    """For everybody: the running score, and then the result."""
    return f"match:{match_id}:result"


def champion_key(edition_id: int) -> str:
    return f"edition:{edition_id}:champion"


def not_counted_key(match: Match, game_id: str) -> str:
    return f"match:{match.id}:not-counted:{game_id}"


def owing_key(round_id: int) -> str:
    return f"round:{round_id}:owing"


def parts_of(lines: int, per_post: int) -> int:
    """Into how many posts so many lines go."""
    return max(1, -(-lines // per_post))


def part_size(lines: int, per_post: int) -> int:
    """How many lines each of these posts has: as even as can be, so that no post holds a mere rest."""
    return max(1, -(-lines // parts_of(lines, per_post)))


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveScore:
    """What stands beside the score of a match without a result. `running`: the Lichess id of a game in progress;
    `live`: there is one, or there was a moment ago; `for_td`: only a TD can judge these, the match waits (Q38b)."""

    running: str | None
    live: bool
    for_td: tuple[str, ...] = ()

    def payload(self) -> dict[str, object]:
        return {"running": self.running, "live": self.live, "for_td": list(self.for_td)}


class Outbox:
    """Posts of one server, stamped with the moment of the decision."""

    def __init__(self, store: Store, guild_id: int, now: datetime) -> None:
        self._store = store
        self._guild_id = guild_id
        self._now = now

    def owe(self, key: str, kind: str, target: str, /, **payload: object) -> None:
        """The same key again asks for a new version of the same message."""
        self._store.post(
            Post(
                guild_id=self._guild_id,
                key=key,
                kind=kind,
                target=target,
                payload=payload,
                created_at=self._now,
            )
        )

    # Registration -----------------------------------------------------------------------------------------------

    def edition_news(self, edition_id: int, news: str) -> None:
        self.owe(
            f"edition:{edition_id}:{news}", "edition_news", "channel:announcements", edition_id=edition_id, news=news
        )

    def seeds(self, edition_id: int, entrants: int) -> None:
        """For everybody, once registration is closed: who plays, with which seed."""
        for part in range(parts_of(entrants, SEEDS_PER_POST)):
            key = f"edition:{edition_id}:seeds:{part}"
            self.owe(key, "seeds", "channel:announcements", edition_id=edition_id, part=part)

    def entry_card(self, entry: Registration) -> None:
        self.owe(f"entry:{entry.id}:card", "entry_card", "channel:td", registration_id=entry.id)

    def entry_decided(self, entry: Registration) -> None:
        assert entry.decided_at is not None
        self._entry_told(entry, "decided", f"{entry.decided_at:%Y%m%dT%H%M%S}")

    def entry_frozen(self, entry: Registration, by: Registration) -> None:
        """To somebody whose entry waits because of another one (R2.6)."""
        self._entry_told(entry, "frozen", f"{by.id}")

    def entry_left_out(self, entry: Registration) -> None:
        """To somebody whose entry was not decided before the seeds were made."""
        self._entry_told(entry, "left-out", "")

    def _entry_told(self, entry: Registration, what: str, which: str) -> None:
        key, target = f"entry:{entry.id}:{what}:{which}", f"dm:{entry.person_id}"
        self.owe(key, "entry_decided", target, registration_id=entry.id, what=what)

    def entry_added(self, entry: Registration) -> None:
        self.owe(f"entry:{entry.id}:added", "entry_added", f"dm:{entry.person_id}", registration_id=entry.id)

    def exit_told(self, edition_id: int, entrant: Entrant, fact_id: int) -> None:
        """To somebody who is out of the event, or in it again, by the ruling that begins with this fact."""
        key = f"entrant:{entrant.id}:exit:{fact_id}"
        self.owe(key, "exit_told", f"dm:{entrant.person_id}", edition_id=edition_id, entrant_id=entrant.id)

    def account_card(self, change: AccountChange) -> None:
        key = f"account-change:{change.id}"
        self.owe(key, "account_card", "channel:td", edition_id=change.edition_id, change_id=change.id)

    def account_told(self, edition_id: int, entrant: Entrant, fact_id: int) -> None:
        """To a player who goes on with another account by that fact (Q55)."""
        key = f"entrant:{entrant.id}:account:{fact_id}"
        self.owe(key, "account_told", f"dm:{entrant.person_id}", edition_id=edition_id, entrant_id=entrant.id)

    def opponent_account_told(self, edition_id: int, opponent: Entrant, entrant: Entrant, fact_id: int) -> None:
        """To the opponent of an open match of somebody who goes on with another account by that fact (Q55)."""
        key = f"entrant:{entrant.id}:account:{fact_id}:{opponent.id}"
        payload = {"edition_id": edition_id, "entrant_id": entrant.id}
        self.owe(key, "opponent_account_told", f"dm:{opponent.person_id}", **payload)

    def welcome_back(self, edition_id: int, entrant: Entrant, since: datetime) -> None:
        """To a player who is in the server again, after having left it at `since`."""
        key = f"entrant:{entrant.id}:back:{since:%Y%m%dT%H%M%S}"
        self.owe(key, "welcome_back", f"dm:{entrant.person_id}", edition_id=edition_id, entrant_id=entrant.id)

    def champion(self, edition_id: int) -> None:
        """For everybody, when all is played: who has won; asked for again when a late ruling changes it."""
        self.owe(champion_key(edition_id), "champion", "channel:announcements", edition_id=edition_id)

    def places_changed(self, edition_id: int) -> None:
        """What was said of the champion, if anything was, follows the results."""
        if self._store.one(Post, key=champion_key(edition_id)) is not None:
            self.champion(edition_id)

    # Rounds -----------------------------------------------------------------------------------------------------

    def pairings(self, round: Round, matches: int) -> None:
        """The pairings post, in parts of at most PAIRINGS_PER_POST; asked for again whenever a line changes."""
        for part in range(parts_of(matches, PAIRINGS_PER_POST)):
            self.pairings_part(round, part)

    def pairings_part(self, round: Round, part: int) -> None:
        key = f"round:{round.id}:pairings:{part}"
        self.owe(key, "pairings", "channel:pairings", round_id=round.id, part=part)

    def match_thread(self, match: Match, *, lost: int = 0) -> None:
        """The thread with its card; asked for again, both follow the match. `lost`: how often it was deleted."""
        self.owe(thread_key(match.id), "match_thread", "channel:matches", match_id=match.id, lost=lost)
        self.match_card(match)

    def match_card(self, match: Match) -> None:
        self.owe(card_key(match.id), "match_card", f"thread:{match.id}", match_id=match.id)

    def match_changed(self, match: Match, round: Round) -> None:
        """Tag, card, what asks for an answer, the pairings, the schedule and the TDs' notices follow the match.

        What stood in a thread that was deleted is not repeated in the new one, whose card has all of it.
        """
        self.match_thread(match)
        for post in self._store.find(Post, target=f"thread:{match.id}", kind=ASKING):
            if post.message_id is None or post.channel_id == match.thread_id:
                self.owe(post.key, post.kind, post.target, **post.payload)
        self.notices_of(match)
        matches = len(self._store.find(Match, round_id=round.id))
        self.pairings_part(round, (match.board - 1) // part_size(matches, PAIRINGS_PER_POST))
        self.owing_changed(match)
        self.schedule(round)

    def schedule(self, round: Round) -> None:
        """The schedule posts, where the server has a channel for them. Those that would be empty are not sent."""
        server = self._store.one(Server, guild_id=self._guild_id)
        if server is None or "schedule" not in server.channels:
            return
        matches = len(self._store.find(Match, round_id=round.id))
        for part in range(parts_of(matches, SCHEDULE_PER_POST)):
            key = f"round:{round.id}:schedule:{part}"
            self.owe(key, "schedule", "channel:schedule", round_id=round.id, part=part)

    def standings(self, round: Round, entrants: int) -> None:
        """The table after a closed round; asked for again when a later result changes it."""
        for part in range(parts_of(entrants, STANDINGS_PER_POST)):
            key = f"round:{round.id}:standings:{part}"
            self.owe(key, "standings", "channel:standings", round_id=round.id, part=part)

    def reminder(self, round: Round, match: Match, name: str, entrant_ids: Sequence[int]) -> None:
        key = f"round:{round.id}:{name}:match:{match.id}:{round.offers_by:%Y-%m-%d}"
        self.owe(key, "reminder", f"thread:{match.id}", match_id=match.id, entrant_ids=list(entrant_ids), reminder=name)

    def owing(self, round: Round) -> None:
        """For everybody, on Friday: who still owes offers."""
        self.owe(owing_key(round.id), "owing", "channel:pairings", round_id=round.id)

    def owing_changed(self, match: Match) -> None:
        """The post about who owes offers, if there is one, follows until the deadline, and then stays as it is."""
        told = self._store.one(Post, key=owing_key(match.round_id))
        if told is not None and self._now < self._store.get(Round, match.round_id).offers_by:
            self.owe(told.key, told.kind, told.target, **told.payload)

    # In a match thread ------------------------------------------------------------------------------------------

    def offered(self, match: Match, entrant_id: int, offer_ids: Sequence[int]) -> None:
        key = f"offers:{min(offer_ids)}"
        about = {"match_id": match.id, "entrant_id": entrant_id, "offer_ids": list(offer_ids)}
        self.owe(key, "offers_made", f"thread:{match.id}", **about)
        self.owing_changed(match)

    def unanswered(self, match: Match, key: str, entrant_id: int, offer_ids: Sequence[int]) -> None:
        """R5.7: to `entrant_id`, who has said nothing to these offers."""
        about = {"match_id": match.id, "entrant_id": entrant_id, "offer_ids": list(offer_ids)}
        self.owe(key, "unanswered", f"thread:{match.id}", **about)

    def match_reminder(
        self, match: Match, key: str, reminder: str, entrant_ids: Sequence[int], expires: datetime
    ) -> None:
        """Of the agreed time; dropped when that has changed, or when it is delivered at `expires` or later."""
        assert match.agreed_at is not None
        self.owe(
            key,
            "match_reminder",
            f"thread:{match.id}",
            match_id=match.id,
            reminder=reminder,
            entrant_ids=list(entrant_ids),
            agreed_at=match.agreed_at.isoformat(),
            expires=expires.isoformat(),
        )

    def start(self, match: Match, key: str, challenge: str | None, online: Sequence[str]) -> None:
        """At the agreed minute, to both. `challenge`: the address of an open one; `online`: Lichess ids."""
        assert match.agreed_at is not None
        payload = {"challenge": challenge, "online": list(online), "agreed_at": match.agreed_at.isoformat()}
        self.owe(key, "start", f"thread:{match.id}", match_id=match.id, **payload)

    # The armageddon game (R3.16) ---------------------------------------------------------------------------------

    def tie(self, match: Match, tied_at: datetime) -> None:
        """The call for bids, to both; it follows who has bid, and what came of it."""
        at = tied_at.isoformat()
        self.owe(f"match:{match.id}:tie:{at}", "tie", f"thread:{match.id}", match_id=match.id, tied_at=at)

    def throw_due(self, match: Match, tied_at: datetime, number: int) -> None:
        """Equal bids, or equal throws: both throw (Q41)."""
        key, at = f"match:{match.id}:tie:{tied_at.isoformat()}:throw:{number}", tied_at.isoformat()
        self.owe(key, "throw", f"thread:{match.id}", match_id=match.id, tied_at=at, number=number)

    def throws_called(self, match: Match, tied_at: datetime) -> list[int]:
        posts = self._store.find(Post, target=f"thread:{match.id}", kind="throw")
        return [post.payload["number"] for post in posts if post.payload["tied_at"] == tied_at.isoformat()]

    def colours(self, match: Match, fact_id: int) -> None:
        """Who has White, and how the game is played (Q39)."""
        key = f"match:{match.id}:colours:{fact_id}"
        self.owe(key, "colours", f"thread:{match.id}", match_id=match.id, fact_id=fact_id, challenge=None)

    def armageddon_open(self, match: Match, challenge: str | None) -> None:
        """The newest post with the colours of that match gets the address of the game."""
        told = self._store.find(Post, target=f"thread:{match.id}", kind="colours")
        if told and challenge is not None:
            self.owe(told[-1].key, "colours", told[-1].target, **{**told[-1].payload, "challenge": challenge})

    def call_follows(self, match: Match, **more: object) -> None:
        """The call to the board at the agreed time shows what has become of it."""
        for call in self._store.find(Post, target=f"thread:{match.id}", kind="start"):
            there = call.message_id is None or call.channel_id == match.thread_id
            if there and match.agreed_at is not None and call.payload["agreed_at"] == match.agreed_at.isoformat():
                self.owe(call.key, call.kind, call.target, **{**call.payload, **more})

    def shows_score(self, match: Match) -> bool:
        """Whether the running score of a match is shown anywhere."""
        told = self._store.one(Post, key=result_key(match.id))
        return told is not None and "live" in told.payload

    def live(self, match: Match, score: LiveScore, *, anew: bool) -> bool:
        """The running score: for everybody where the result will stand, and in the thread. `anew`: the counted games
        have changed. False when all of it stands there already."""
        told, now = self._store.one(Post, key=result_key(match.id)), score.payload()
        if not anew and told is not None and {name: told.payload.get(name) for name in now} == now:
            return False
        self.owe(result_key(match.id), "result", "channel:results", match_id=match.id, **now)
        self.match_card(match)
        self.call_follows(match, **now)
        for game_id in score.for_td:
            key, payload = f"match:{match.id}:for-td:{game_id}", {"match_id": match.id, "game_id": game_id}
            if self._store.one(Post, key=key) is None:
                self.owe(key, "waits_for_td", f"thread:{match.id}", **payload)
        return True

    def not_counted(self, match: Match, game_id: str, faults: Sequence[str]) -> None:
        """To both, once per game and not without end: it was played with other settings (Q20, Q21)."""
        key = not_counted_key(match, game_id)
        told = self._store.find(Post, target=f"thread:{match.id}", kind="not_counted")
        if len(told) < MOST_WARNINGS and all(post.key != key for post in told):
            payload = {"match_id": match.id, "game_id": game_id, "faults": list(faults)}
            self.owe(key, "not_counted", f"thread:{match.id}", **payload)

    def games_ruled(self, match: Match, game_ids: Sequence[str], ruled: Collection[str]) -> None:
        """What was said about these games, and the running score, follow the TDs; `ruled`: those they have judged."""
        for game_id in game_ids:
            for key in (not_counted_key(match, game_id), f"match:{match.id}:for-td:{game_id}"):
                told = self._store.one(Post, key=key)
                if told is not None and told.channel_id in (None, match.thread_id):
                    self.owe(told.key, told.kind, told.target, **told.payload)
        told = self._store.one(Post, key=result_key(match.id))
        if told is not None and "live" in told.payload:
            waiting = tuple(id for id in told.payload["for_td"] if id not in ruled)
            score = LiveScore(running=told.payload["running"], live=told.payload["live"], for_td=waiting)
            self.live(match, score, anew=True)

    def agreed(self, match: Match, offer_id: int) -> None:
        self.owe(f"offer:{offer_id}:accepted", "agreed", f"thread:{match.id}", match_id=match.id, offer_id=offer_id)

    def decided(self, match: Match, fact_id: int) -> None:
        """For both players: what a rule or a TD has decided about their time; edited when it is taken back."""
        key = f"match:{match.id}:decided:{fact_id}"
        self.owe(key, "decided", f"thread:{match.id}", match_id=match.id, fact_id=fact_id)

    def decided_anew(self, match: Match, fact_id: int | None) -> None:
        """What was said of that decision, if anything was, follows it."""
        told = self._store.one(Post, key=f"match:{match.id}:decided:{fact_id}")
        if told is not None:
            self.owe(told.key, told.kind, told.target, **told.payload)

    def overdue(self, match: Match, ended: datetime) -> None:
        key = f"match:{match.id}:overdue:{ended:%Y-%m-%d}"
        self.owe(key, "overdue", f"thread:{match.id}", match_id=match.id)
        self.time_over(match)

    def time_over(self, match: Match) -> None:
        self.match_thread(match)
        self.call_follows(match)

    def round_waits(self, round: Round, stage: str, number: int) -> None:
        """For everybody: the next round, which is that one, waits for open matches of this one."""
        key = f"round:{round.id}:waits"
        self.owe(key, "round_waits", "channel:pairings", round_id=round.id, stage=stage, number=number)

    def first_game_named(self, match: Match, report_id: int) -> None:
        key = f"report:{report_id}:confirm"
        self.owe(key, "first_game_named", f"thread:{match.id}", match_id=match.id, report_id=report_id)

    def result(self, match: Match) -> None:
        self.owe(result_key(match.id), "result", "channel:results", match_id=match.id)
        self.owe(f"match:{match.id}:result:thread", "result", f"thread:{match.id}", match_id=match.id)

    # To the TDs -------------------------------------------------------------------------------------------------

    def td(self, key: str, code: str, /, *, edition_id: int, **params: object) -> None:
        """A notice in the TD channel; `code` picks the text, `edition_id` is the edition it is about."""
        self.owe(f"td:{key}", "td_notice", "channel:td", edition_id=edition_id, code=code, params=params)

    def td_news(self, key: str, code: str, /, *, edition_id: int, **params: object) -> None:
        """The same, when it is new or different: what is seen again is no news."""
        told = self._store.one(Post, key=f"td:{key}")
        if told is None or told.payload["params"] != params:
            self.td(key, code, edition_id=edition_id, **params)

    def stage_notices(self, stage: str) -> None:
        """What the TDs were told about the seats of a stage follows how it is now."""
        for post in self._store.find(Post, guild_id=self._guild_id, kind="td_notice"):
            if post.payload["code"] in _OF_SEATS and post.payload["params"].get("stage") == stage:
                self.owe(post.key, post.kind, post.target, **post.payload)

    def game_for_td(self, edition_id: int, match: Match, game_id: str, cause: str, faults: Sequence[str]) -> None:
        """A game about which a TD is asked, once. `cause`: "asked" by both players (Q20), "account" (Q38c)."""
        key, about = f"match:{match.id}:game:{game_id}", {"games": [game_id], "cause": cause, "faults": list(faults)}
        self.td_news(key, "games_need_td", edition_id=edition_id, match_id=match.id, **about)

    def notices_of(self, match: Match) -> None:
        """What the TDs were told about a match is brought up to date; a button without sense goes."""
        for post in self._store.find(Post, guild_id=self._guild_id, kind="td_notice"):
            params = post.payload["params"]
            if match.id in (params.get("match_id"), *params.get("match_ids", ())):
                self.owe(post.key, post.kind, post.target, **post.payload)

    def player_changed(self, entrant_id: int) -> None:
        """What the TDs were told about a player, and the cards of accounts for them, follow how it is now."""
        for post in self._store.find(Post, guild_id=self._guild_id, kind="td_notice"):
            if post.payload["params"].get("entrant_id") == entrant_id and "match_id" not in post.payload["params"]:
                self.owe(post.key, post.kind, post.target, **post.payload)
        for change in self._store.find(AccountChange, entrant_id=entrant_id):
            if change.progress:
                self.account_card(change)

    def dispute(self, dispute: Dispute) -> None:
        self.owe(f"dispute:{dispute.id}", "dispute", "channel:td", dispute_id=dispute.id, match_id=dispute.match_id)

    def reports_differ(self, match: Match, dispute_id: int) -> None:
        """To both: their reports contradict each other, and who decides (R1.3)."""
        key = f"dispute:{dispute_id}:players"
        self.owe(key, "reports_differ", f"thread:{match.id}", match_id=match.id, dispute_id=dispute_id)

    def ruling(self, edition_id: int, fact_id: int, outdated: Sequence[int]) -> None:
        """A decision for the other TDs. `fact_id`: its first fact; `outdated`: ids of rounds paired before it."""
        key = f"ruling:{fact_id}"
        self.owe(key, "ruling", "channel:td", edition_id=edition_id, fact_id=fact_id, outdated=list(outdated))

    def place_troubles(self, number: int, lacking: Mapping[str, Sequence[str]]) -> None:
        """What the bot lacks in which channel, for everything at once; the same number brings a notice up to date."""
        shown = {name: list(what) for name, what in lacking.items()}
        self.owe(f"troubles:{self._guild_id}:{number}", "place_troubles", "channel:td", lacking=shown)

    def troubles_superseded(self, told: Post) -> None:
        """A newer notice says what the bot lacks now."""
        self.owe(told.key, told.kind, told.target, **{**told.payload, "superseded": True})
