"""What happened, in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from acwc_bot.simulation.book import Happening
from engine.championship import Championship
from engine.errors import AcwcError
from engine.model import Stage

STAGES: Mapping[Stage, str] = MappingProxyType(
    {
        Stage.QUALIFICATION: "Qualification",
        Stage.CANDIDATES: "Candidates",
        Stage.SEMIFINALS: "Semifinals",
        Stage.FINALS: "Finals",
    }
)

# By the kind of a happening; {0} and {1} are its players, {who} all of them, {detail} what else there is
# to say, {where} the same in brackets.
WORDS: Mapping[str, str] = MappingProxyType(
    {
        "late_entry": "{0} enters late, {detail}",
        "withdrawn": "{0} withdraws",
        "disqualified": "{0} is disqualified: {detail}",
        "reinstated": "{0} is reinstated, the exit is reverted",
        "no_show": "{0} does not appear, {1} wins",
        "failed_reschedule": "{0} misses the later time too, {1} wins",
        "left": "{0} leaves the match, {1} wins",
        "conceded": "{0} gives the match up, {1} wins",
        "both_failed": "{0} – {1}: no offers from either, a draw and a forfeit each",
        "no_fault": "{0} – {1}: no time found, nobody at fault, a draw",
        "double_forfeit": "{0} – {1}: neither appears, a forfeit each",
        "stopped_early": "{0} – {1} is decided and not played out",
        "without_play": "{0} – {1}: no offers from either, the better place goes on",
        "decider": "{0} – {1}: no time left but for an armageddon game",
        "extended": "{0} – {1} may be played later",
        "played_late": "{0} – {1} is played after its week",
        "rematch": "{0} – {1} meet again, a director allows it",
        "second_bye": "{0} has the bye again, a director allows it",
        "declined": "{0} declines a place in the {detail}",
        "moved_up": "moved up{where}: {who}",
        "seed_only": "{0} before {1} by the seed alone",
        "short": "fewer qualify than there are places: {who}",
        "empty": "a seat stays empty{where}, there is {who}",
    }
)


def sentence(happening: Happening, event: Championship) -> str:
    names = [event.entrants[id].name for id in happening.entrants]
    detail = happening.detail.replace("_", " ")
    where = f" ({detail})" if detail else ""
    return WORDS[happening.kind].format(*names, who=", ".join(names) or "nobody", detail=detail, where=where)


def why_halted(refusal: AcwcError) -> str:
    """Where the rules end a run, as a sentence."""
    if refusal.code == "too_few_candidates":
        players, least = refusal.params["players"], refusal.params["least"]
        return (
            f"Only {players} players are left for the Candidates. With fewer than {least} the rules leave it to the "
            f"tournament directors how to go on ({cited(refusal.clause)}), so the run ends here."
        )
    return f"The run ends here, because the next round cannot be made: {refusal}. The tournament directors decide."


NO_CHAMPION = (
    "Nobody who was entitled to the Grand Final is left to play it. The tournament directors decide (§8.5, Q52)."
)


def cited(clause: str | None) -> str:
    """`R5.4` -> `§5.4`, as the published rules number it; a situation is cited by its own name, `Q9`."""
    return f"§{clause[1:]}" if clause and clause.startswith("R") else clause or ""
