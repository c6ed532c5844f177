"""The books of a space: facts, requirements, readings, condensations."""

from collections.abc import Callable, Sequence

from unabridged.condense.classify import Classifier
from unabridged.condense.judge import ModelJudge
from unabridged.condense.pipeline import QUOTES, condenser
from unabridged.condense.schemes import scheme
from unabridged.domain.category import Reading, Scheme
from unabridged.domain.condensation import Draft, Source
from unabridged.domain.message import Role
from unabridged.domain.settings import Settings
from unabridged.ingest.condensing import Terms, Trigger
from unabridged.ingest.readings import Judge, Readings
from unabridged.ingest.tending import Books
from unabridged.ingest.upkeep import Upkeep
from unabridged.knowledge.book import FactBook
from unabridged.knowledge.eliciting import WIDE
from unabridged.knowledge.requirements import RequirementBook
from unabridged.knowledge.stating import NARROW
from unabridged.language.names import names_in
from unabridged.ports import ChatModel, Clock, Condenser, Embedder, Store
from unabridged.tokens.estimate import EstimateTokenizer

_STATERS = {"narrow": NARROW, "wide": WIDE}


def books_of(
    settings: Settings,
    store: Store,
    clock: Clock,
    embedder: Embedder | None,
    upstream: Callable[[], ChatModel],
) -> Books:
    """Open the books of a space.

    Args:
        settings: Every choice.
        store: The space.
        clock: The time and fresh ids.
        embedder: What knows meanings; one that takes its time is not used here.
        upstream: Gives the model that may write; called when something is condensed.

    Raises:
        SettingError: There is no such scheme.
    """
    instant = embedder if embedder is not None and embedder.instant else None
    rules = Classifier(scheme(settings.scheme), instant)
    judge = _LateJudge(rules, upstream) if settings.judge == "model" else None
    readings = Readings(store, rules, clock, judge)
    count = EstimateTokenizer().count
    condenser = _condenser(settings.condenser, count, upstream)
    terms = Terms(readings.scheme, condenser, names_in, count)
    trigger = Trigger(
        settings.condense_tokens, settings.condense_messages, settings.condense_spared
    )
    return Books(
        facts=FactBook(store, clock, instant),
        requirements=RequirementBook(store, clock, _STATERS[settings.requirements]),
        readings=readings,
        upkeep=Upkeep(store, clock, readings, terms, trigger),
        learns=settings.facts != "none",
        asks=(lambda: _writing(upstream())) if settings.facts == "model" else None,
    )


def _writing(model: ChatModel) -> ChatModel | None:
    """A model that writes; None for one that quotes."""
    return None if model.provider == QUOTES else model


class _Late:
    """A condenser that is made when it is used, so that no upstream is looked for before.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[], Condenser]) -> None:
        self._make = make

    @property
    def identity(self) -> str:
        """That of the condenser."""
        return self._make().identity

    def condense(self, sources: Sequence[Source], limit: int) -> Draft | None:
        """Let it condense."""
        return self._make().condense(sources, limit)


class _LateJudge:
    """The upstream's model as a judge of messages, looked for when something is judged.

    Args:
        rules: Judge what the model leaves open.
        upstream: Gives the model.
    """

    def __init__(self, rules: Classifier, upstream: Callable[[], ChatModel]) -> None:
        self._rules = rules
        self._upstream = upstream
        self._judge: Judge | None = None

    @property
    def scheme(self) -> Scheme:
        """The categories."""
        return self._rules.scheme

    @property
    def identity(self) -> str:
        """That of who judges."""
        return self._found().identity

    def classify(self, texts: Sequence[tuple[Role, str]]) -> list[Reading | None]:
        """Let it judge."""
        return self._found().classify(texts)

    def _found(self) -> Judge:
        if self._judge is None:
            model = self._upstream()
            self._judge = (
                self._rules if model.provider == QUOTES else ModelJudge(model, self._rules)
            )
        return self._judge


def _condenser(
    name: str, count: Callable[[str], int], upstream: Callable[[], ChatModel]
) -> Condenser:
    if name != "model":
        return condenser(name, count)
    return _Late(lambda: condenser(name, count, upstream()))
