"""Whole weeks of an edition through the real bot, judged by a second program and by hand."""
