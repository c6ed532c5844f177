"""The only room that knows both sides: it builds a memory from settings. No decisions."""

from unabridged.wiring.adapters import space_from
from unabridged.wiring.home import Home, available_models, diagnose, fetch_model
from unabridged.wiring.opening import Memory

__all__ = ["Home", "Memory", "available_models", "diagnose", "fetch_model", "space_from"]
