"""The only room that knows both sides: it builds a space from settings. No decisions."""

from unabridged.disk.atomic_write import write_whole
from unabridged.factory.copy_stores import CopiedSpace, End, copy_between
from unabridged.factory.edited_files import adoption_of
from unabridged.factory.home import Home, available_models, diagnose, fetch_model
from unabridged.factory.migration import Migrations
from unabridged.factory.open_memory import choose_model, open_space
from unabridged.home.open_spaces import space_from

__all__ = [
    "CopiedSpace",
    "End",
    "Home",
    "Migrations",
    "adoption_of",
    "available_models",
    "choose_model",
    "copy_between",
    "diagnose",
    "fetch_model",
    "open_space",
    "space_from",
    "write_whole",
]
