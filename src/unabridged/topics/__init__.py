"""Topics of a space."""
