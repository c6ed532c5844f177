"""Readable JSON files in the layouts of the seeds; they follow the log."""
