"""A process that breaks off in the middle of its first result."""

import sys

from unabridged.projections.search_index.analysis_messages import read_frame


def main():
    """Read one message and write the beginning of another."""
    read_frame(sys.stdin.buffer)
    sys.stdout.buffer.write(b"\xff\0\0\0\0\0\0\0half")
    sys.stdout.buffer.flush()
