"""Aligns a client's full message list with the stored log."""
