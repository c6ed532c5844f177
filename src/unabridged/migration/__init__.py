"""Migrate an old folder: back up, import, verify, switch; and roll back."""
