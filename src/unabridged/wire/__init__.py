"""The chat dialects as pure functions, in both directions, without any connection."""
