"""The bot inside an offline Discord with a page in the browser, and an offline Lichess; imported only to start it."""
