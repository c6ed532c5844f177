"""SQLite: one file a space."""
