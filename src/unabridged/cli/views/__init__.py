"""Text views of results."""
