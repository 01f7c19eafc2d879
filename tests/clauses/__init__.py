"""`make clauses`: what carries each clause, and that its tests notice when the rule is broken."""
