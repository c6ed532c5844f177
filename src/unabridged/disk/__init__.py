"""Safe files: written whole or not at all, durable, private, and locked.

All stored data is written here, so that a test can fail, tear or stop every step.
"""
