"""Builds everything from settings: stores, models, spaces. It decides nothing."""
