"""Readable JSON files of a space."""
