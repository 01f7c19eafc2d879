"""Buttons and forms. Their truth is in the database; nothing here remembers anything."""
