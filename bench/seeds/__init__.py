"""What each seed document asks for in figures, measured in its profile."""
