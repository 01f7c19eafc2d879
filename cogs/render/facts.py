"""Facts as sentences: what the ledger says, for directors."""

from __future__ import annotations

from cogs.render import times
from cogs.render.eligibility import LICHESS
from cogs.render.faults import game_words
from cogs.render.message import escape
from cogs.render.titles import round_name, round_title
from engine import facts as said
from engine.chain import root_of
from engine.model import Fact
from engine.points import WIN, show_score
from engine.scoring import game_points
from engine.usecases.context import Event
from engine.usecases.matches import label


def sentence(event: Event, fact: Fact) -> str:
    """One fact in a sentence, without who recorded it and why."""
    if fact.reverts_id is None:
        return _say(event, said.decode(fact))
    root, stands = root_of(fact, {known.id: known for known in event.ledger.facts})
    return f"{'In force again' if stands else 'Taken back'}: {_say(event, said.decode(root))}"


def _match(event: Event, match_id: int) -> str:
    match = event.matches.get(match_id)
    return escape(label(event, match)) if match else f"match {match_id}"


def _name(event: Event, entrant_id: int) -> str:
    return escape(event.name(entrant_id))


def _entered(event: Event, entrant_id: int) -> str:
    return escape(event.entered[entrant_id].name)


def _score(games: tuple[said.CountedGame, ...]) -> str:
    a = sum(game.a for game in games)
    return show_score(a, WIN * len(games) - a)


def _seated(event: Event, told: said.StageSeated) -> str:
    groups = "; ".join(
        f"{group.name.replace('_', ' ')}: {', '.join(_name(event, e) for e in group.entrants)}" for group in told.groups
    )
    return f"Seating of the {told.stage.capitalize()}: {groups}."


def _ruled(event: Event, told: said.MatchRuled) -> str:
    line = f"{_match(event, told.match_id)}: {show_score(told.a, told.b)}"
    a, b = game_points(told.games)
    a, b = a + told.awarded_a, b + told.awarded_b
    line += f", games {show_score(a, b)}" if a or b else ""
    if told.forfeited_by:
        by = " and ".join(_name(event, e) for e in told.forfeited_by)
        kind = (told.forfeit or "director").replace("_", " ")
        line += f", forfeited by {by} ({kind})"
    return line + "."


def _left(event: Event, told: said.EntrantLeft) -> str:
    if told.exit is said.Exit.WITHDRAWN:
        return f"{_name(event, told.entrant_id)} has withdrawn."
    ground = f" ({told.ground.replace('_', ' ')})" if told.ground else ""
    return f"{_name(event, told.entrant_id)} is disqualified{ground}."


def _say(event: Event, told: said.Event) -> str:
    match told:
        case said.RoundPublished():
            return f"{round_name(told.stage, told.number)}: published, {len(told.pairs)} matches."
        case said.StageSeated():
            return _seated(event, told)
        case said.SeatDeclined():
            return f"{_name(event, told.entrant_id)} does not move up into the {told.stage.capitalize()}."
        case said.RoundClosed():
            return f"{round_title(event.round(told.round_id))}: closed."
        case said.MatchPlayed():
            if told.armageddon is not None and not told.games:
                return f"{_match(event, told.match_id)}: decided by armageddon."
            more = f", tiebreak {_score(told.tiebreak_games)}" if told.tiebreak_games else ""
            more += ", decided by armageddon" if told.armageddon else ""
            return f"{_match(event, told.match_id)}: {_score(told.games)} in games{more}."
        case said.MatchBegun():
            return f"{_match(event, told.match_id)} has begun, {_score(told.games)} so far."
        case said.ColoursSettled():
            return f"{_match(event, told.match_id)}: {_name(event, told.white_id)} has White in the armageddon game."
        case said.GameRuled():
            game = f"[a game](<{LICHESS}/{told.game_id}>)"
            return f"{_match(event, told.match_id)}: {game} {game_words(told.decision)}."
        case said.MatchRuled():
            return _ruled(event, told)
        case said.MatchVoided():
            return f"{_match(event, told.match_id)}: the pairing is void."
        case said.MatchExtended():
            return f"{_match(event, told.match_id)} may be played until {times.deadline(told.until)}."
        case said.FaultFound():
            by = " and ".join(_name(event, e) for e in told.at_fault) or "nobody"
            return f"{_match(event, told.match_id)}: {by} at fault for having no time."
        case said.DutyWaived():
            whom = " and ".join(_name(event, e) for e in told.entrants)
            return f"{_match(event, told.match_id)}: the missing offers of {whom} are forgiven."
        case said.TimeSet():
            by = "the TDs" if told.by is None else _name(event, told.by)
            return f"{_match(event, told.match_id)}: time set by {by}: {times.utc(told.at)}."
        case said.DeciderSet():
            return f"{_match(event, told.match_id)}: the armageddon game alone, {times.utc(told.at)}."
        case said.TimerRuled():
            how = "stopped" if told.until is None else f"extended until {times.utc(told.until)}"
            return f"{_match(event, told.match_id)}: the ten minutes are {how}."
        case said.PlayAllowed():
            return f"{_match(event, told.match_id)} may be played all the same."
        case said.ForfeitCounted():
            by = " and ".join(_name(event, e) for e in told.forfeited_by)
            return f"{_match(event, told.match_id)}: a forfeit of {by}; it does not decide the match."
        case said.ForfeitLifted():
            return f"{_match(event, told.match_id)}: the forfeit of {_name(event, told.entrant_id)} no longer counts."
        case said.EntrantLeft():
            return _left(event, told)
        case said.EntrantReturned():
            return f"{_name(event, told.entrant_id)} is back in the event."
        case said.SeedCorrected():
            return f"{_name(event, told.entrant_id)} has seed {told.seed} now; later pairings follow it."
        case said.AccountChanged():
            waived = "; the checks of the account are waived" if told.waived else ""
            account = f"[{escape(told.name)}](<{LICHESS}/@/{told.lichess_id}>)"
            return f"{_entered(event, told.entrant_id)} plays as {account} now{waived}."
        case said.Reverted():
            return "Something was taken back."
