"""What is stored in a folder."""


def bytes_in(folder):
    """Return the bytes of every file below a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
