"""The store of files: JSON that people can read, carry and edit."""

from unabridged.stores.files.store import FilesStore

__all__ = ["FilesStore"]
