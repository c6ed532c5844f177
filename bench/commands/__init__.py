"""The commands of ``python -m bench``, one file each."""
