"""Tests that drive a real Chromium; `make test-browser` runs them."""
