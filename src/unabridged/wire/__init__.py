"""The chat dialects as pure functions, both ways. Nothing here opens a connection."""
