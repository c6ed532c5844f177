"""Keeping what was entrusted: damage, backup, forgetting."""
