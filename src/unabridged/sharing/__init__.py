"""Sharing: carrying chosen sessions and facts from one space to another, and taking them back."""
