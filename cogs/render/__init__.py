"""All words that users read: pure functions, domain values in, message out."""
