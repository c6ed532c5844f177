"""The books of a space: facts, readings, condensations."""

from unabridged.condense.classify import Classifier
from unabridged.condense.schemes import scheme
from unabridged.dialogue.parts import Books
from unabridged.domain.settings import Settings
from unabridged.ingest.condensing import Terms, Trigger
from unabridged.ingest.readings import Readings
from unabridged.ingest.upkeep import Upkeep
from unabridged.knowledge.book import FactBook
from unabridged.language.names import names_in
from unabridged.ports import Clock, Condenser, Embedder, Store
from unabridged.tokens.estimate import EstimateTokenizer


def books_of(
    settings: Settings,
    store: Store,
    clock: Clock,
    embedder: Embedder | None,
    condenser: Condenser,
) -> Books:
    """Open the books of a space.

    Args:
        settings: Every choice.
        store: The space.
        clock: The time and fresh ids.
        embedder: What knows meanings; one that takes its time is not used here.
        condenser: Makes the shorter text.

    Raises:
        SettingError: There is no such scheme.
    """
    instant = embedder if embedder is not None and embedder.instant else None
    readings = Readings(store, Classifier(scheme(settings.scheme), instant), clock)
    terms = Terms(readings.scheme, condenser, names_in, EstimateTokenizer().count)
    trigger = Trigger(
        settings.condense_tokens, settings.condense_messages, settings.condense_spared
    )
    return Books(
        facts=FactBook(store, clock, instant),
        readings=readings,
        upkeep=Upkeep(store, clock, readings, terms, trigger),
        learns=settings.facts != "none",
    )
