"""The facade: what the edges and library users call. Thin: every method hands on."""

from unabridged.dialogue.events import Begun, Called, Delta, Event, Finished, Prepared, Returned
from unabridged.dialogue.parts import Parts, Terms
from unabridged.dialogue.tools import Tool, tool_from
from unabridged.dialogue.turn import Turn
from unabridged.ingest.tending import Books
from unabridged.memory.facade import Memory

__all__ = [
    "Begun",
    "Books",
    "Called",
    "Delta",
    "Event",
    "Finished",
    "Memory",
    "Parts",
    "Prepared",
    "Returned",
    "Terms",
    "Tool",
    "Turn",
    "tool_from",
]
