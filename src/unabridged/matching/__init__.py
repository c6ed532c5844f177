"""Matching: where a client's whole history stands in the message log, and what of it is new."""
