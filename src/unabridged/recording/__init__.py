"""The write path: what is stored of a message, and what is not since it was forgotten."""
