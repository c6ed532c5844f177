"""The facade: what the edges and library users call."""
