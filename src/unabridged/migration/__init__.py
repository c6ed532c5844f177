"""Taking over an old folder: backed up first, into a new place, verified, then switched; and back."""
