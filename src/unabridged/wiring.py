"""The only file that knows both sides: it builds a memory from settings."""
