"""One file per flow: load, decide, record facts and owed messages, commit. This is what the cogs see."""

from __future__ import annotations

from engine.ports import Chance, Clock, Database, LichessPort
from engine.usecases.absences import Absences
from engine.usecases.account_changes import AccountChanges
from engine.usecases.breaks import Breaks
from engine.usecases.choosing import Choosing
from engine.usecases.claims import Claims
from engine.usecases.context import Desk, Door, Folds
from engine.usecases.deciders import Deciders
from engine.usecases.due import DueDesk
from engine.usecases.editions import Editions
from engine.usecases.eligibility import Eligibility
from engine.usecases.entries import Entries
from engine.usecases.entry_checks import EntryChecks
from engine.usecases.erasure import Erasure
from engine.usecases.evidence import Evidence
from engine.usecases.following import Following
from engine.usecases.game_rulings import GameRulings
from engine.usecases.logins import Logins
from engine.usecases.match_rulings import MatchRulings
from engine.usecases.membership import Membership
from engine.usecases.people import People
from engine.usecases.players import Players
from engine.usecases.registration import Registrations
from engine.usecases.reporting import Reporting
from engine.usecases.result_rulings import ResultRulings
from engine.usecases.rounds import Rounds
from engine.usecases.rulings import Rulings
from engine.usecases.scheduling import Scheduling
from engine.usecases.setup import Setup
from engine.usecases.stages import Stages
from engine.usecases.tables import Tables
from engine.usecases.timer_rulings import TimerRulings
from engine.usecases.timetable import Timetable
from engine.usecases.watch import Watch
from engine.usecases.withdrawals import Withdrawals


class UseCases:
    """The tournament engine behind its ports."""

    def __init__(
        self, db: Database, lichess: LichessPort, clock: Clock, chance: Chance, door: Door | None = None
    ) -> None:
        self.desk = Desk(db, lichess, clock, Folds(), chance, door)
        self.setup = Setup(self.desk)
        self.editions = Editions(self.desk)
        self.registration = Registrations(self.desk)
        self.logins = Logins(self.desk, self.registration)
        self.entries = Entries(self.desk)
        self.checks = EntryChecks(self.desk)
        self.eligibility = Eligibility(lichess, clock)
        self.rounds = Rounds(self.desk)
        self.rulings = Rulings(self.desk)
        self.stages = Stages(self.desk, self.rulings)
        self.match_rulings = MatchRulings(self.desk, self.rulings)
        self.game_rulings = GameRulings(self.desk, self.rulings)
        self.players = Players(self.desk, self.rulings)
        self.withdrawals = Withdrawals(self.desk)
        self.account_changes = AccountChanges(self.desk, self.rulings)
        self.scheduling = Scheduling(self.desk)
        self.choosing = Choosing(self.desk)
        self.reporting = Reporting(self.desk)
        self.deciders = Deciders(self.desk)
        self.absences = Absences(self.desk)
        self.breaks = Breaks(self.desk)
        self.claims = Claims(self.desk)
        self.timer_rulings = TimerRulings(self.desk)
        self.result_rulings = ResultRulings(self.desk, self.rulings)
        self.people = People(self.desk)
        self.tables = Tables(self.desk)
        self.evidence = Evidence(self.desk)
        self.timetable = Timetable(self.desk)
        self.due = DueDesk(self.desk)
        self.following = Following(self.desk)
        self.watch = Watch(self.desk)
        self.membership = Membership(self.desk)
        self.erasure = Erasure(self.desk)
