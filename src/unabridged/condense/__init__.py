"""Shortening old exchanges without inventing anything."""
