"""The tournament directors' commands, one file per command root."""
