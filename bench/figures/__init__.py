"""Figures: how they are timed, averaged, reported and drawn."""
