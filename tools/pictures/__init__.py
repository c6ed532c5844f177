"""Pictures of the terminal for the README, made from the real program."""
