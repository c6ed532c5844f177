"""Sizes of files, for people."""


def size(number: int) -> str:
    """Return a number of bytes in decimal units: ``67.2 GB``."""
    amount = float(number)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1000
    return f"{amount:,.1f} TB"
