"""Copying chosen sessions and facts from one space to another, and revoking the copies."""
