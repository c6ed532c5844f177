"""Benchmarks: what `unabridged bench` runs."""
