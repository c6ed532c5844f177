"""Time expressions in questions."""
