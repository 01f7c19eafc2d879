"""The real process killed at every point of a delivery; `make crash` does it thousands of times."""
