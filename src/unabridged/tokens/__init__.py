"""Token counters, one adapter each."""
