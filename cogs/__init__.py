"""The thin Discord edge: parse, call the engine, render."""
