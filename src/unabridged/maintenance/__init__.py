"""Work that waits until an answer is given: annotate, learn, condense, archive."""
