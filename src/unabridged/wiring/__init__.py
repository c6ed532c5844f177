"""The only room that knows both sides: it builds a space from settings. No decisions."""

from unabridged.wiring.adapters import space_from
from unabridged.wiring.adopting import adoption_of
from unabridged.wiring.between import CopiedSpace, End, copy_between
from unabridged.wiring.home import Home, available_models, diagnose, fetch_model
from unabridged.wiring.leaving import write_private
from unabridged.wiring.migrating import Migrations
from unabridged.wiring.opening import choose_model, open_space

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
    "write_private",
]
