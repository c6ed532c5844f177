"""The conversation in a terminal, or through a pipe."""
