"""Frozen values and their own rules. Standard library only; nothing here reads, writes or waits."""
