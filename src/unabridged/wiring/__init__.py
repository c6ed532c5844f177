"""The only room that knows both sides: it builds a memory from settings. No decisions."""

from unabridged.wiring.adapters import space_from
from unabridged.wiring.adopting import adoption_of
from unabridged.wiring.between import CopiedSpace, End, copy_between
from unabridged.wiring.home import Home, available_models, diagnose, fetch_model
from unabridged.wiring.leaving import write_private
from unabridged.wiring.migrating import Migrations
from unabridged.wiring.opening import Memory

__all__ = [
    "CopiedSpace",
    "End",
    "Home",
    "Memory",
    "Migrations",
    "adoption_of",
    "available_models",
    "copy_between",
    "diagnose",
    "fetch_model",
    "space_from",
    "write_private",
]
