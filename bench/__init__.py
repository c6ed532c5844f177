"""Benchmarks of Unabridged, with their data formats, baselines and plots: ``python -m bench``."""
