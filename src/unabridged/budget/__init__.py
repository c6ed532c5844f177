"""Dividing the window, and counting what goes into it."""
