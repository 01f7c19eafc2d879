"""The tournament: rules, pairings, scores and decisions, with no Discord, no database and no clock."""
