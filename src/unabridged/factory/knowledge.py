"""The knowledge of a space: facts, requirements, readings, condensations."""

from collections.abc import Callable, Sequence

from unabridged.annotations.annotate import Annotations, Judge
from unabridged.annotations.classify import RuleClassifier
from unabridged.annotations.schemes import scheme
from unabridged.condense.pipeline import QUOTES, condenser
from unabridged.domain.annotation import Annotation, Scheme
from unabridged.domain.condensation import CondensationDraft, CondenseSource
from unabridged.domain.message import Role
from unabridged.domain.settings import Settings
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirement_patterns import NARROW, RequirementRules
from unabridged.knowledge.requirements import Requirements
from unabridged.language.names import names_in
from unabridged.maintenance.condense_session import CondenseTools, Trigger
from unabridged.maintenance.condense_sessions import Condensations
from unabridged.maintenance.run_maintenance import Knowledge
from unabridged.ports import ChatModel, Clock, Condenser, Embedder, Store
from unabridged.tokens.estimate import EstimateTokenizer

"""What finds requirements; with ``none`` only when a person asks for it."""


def books_of(
    settings: Settings,
    store: Store,
    clock: Clock,
    embedder: Embedder | None,
    upstream: Callable[[], ChatModel],
) -> Knowledge:
    """Open the knowledge of a space.

    An embedder that is not instant is not used here. The writing model is chosen when something
    is condensed.

    Raises:
        SettingError: The settings name an unknown scheme.
    """
    instant = embedder if embedder is not None and embedder.instant else None
    rules = RuleClassifier(scheme(settings.categories), instant)
    judge = _LateJudge(rules, upstream) if settings.classifier == "model" else None
    annotations = Annotations(store, rules, clock, judge)
    count = EstimateTokenizer().count
    condenser = _condenser(settings.condenser, count, upstream)
    terms = CondenseTools(annotations.scheme, condenser, names_in, count)
    trigger = Trigger(
        settings.condense_tokens, settings.condense_messages, settings.condense_keep_last
    )
    return Knowledge(
        facts=Facts(store, clock, instant),
        requirements=Requirements(store, clock, _rules(settings.requirement_patterns)),
        annotations=annotations,
        condensations=Condensations(store, clock, annotations, terms, trigger),
        learns=settings.facts != "none",
        requires=settings.requirement_patterns != "none",
        asks=(lambda: _writing(upstream())) if settings.facts == "model" else None,
    )


def _rules(patterns: str) -> RequirementRules:
    if patterns != "wide":
        return NARROW
    from unabridged.knowledge.requirement_patterns_wide import WIDE  # noqa: PLC0415 - rare

    return WIDE


def _writing(model: ChatModel) -> ChatModel | None:
    return None if model.provider == QUOTES else model


class _Late:
    """A condenser made on first use, so that no upstream is needed before.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[], Condenser]) -> None:
        self._make = make

    @property
    def identity(self) -> str:
        return self._make().identity

    def condense(self, sources: Sequence[CondenseSource], limit: int) -> CondensationDraft | None:
        return self._make().condense(sources, limit)


class _LateJudge:
    """The upstream's model as a judge of messages, chosen when something is judged.

    Args:
        rules: Judge the messages that the model leaves open.
        upstream: Returns the model.
    """

    def __init__(self, rules: RuleClassifier, upstream: Callable[[], ChatModel]) -> None:
        self._rules = rules
        self._upstream = upstream
        self._judge: Judge | None = None

    @property
    def scheme(self) -> Scheme:
        """Return the categories."""
        return self._rules.scheme

    @property
    def identity(self) -> str:
        """Return the identity of the judge."""
        return self._found().identity

    def classify(self, texts: Sequence[tuple[Role, str]]) -> list[Annotation | None]:
        """Judge messages by the model."""
        return self._found().classify(texts)

    def _found(self) -> Judge:
        if self._judge is None:
            from unabridged.annotations.llm_classifier import LlmClassifier  # noqa: PLC0415 - rare

            model = self._upstream()
            self._judge = (
                self._rules if model.provider == QUOTES else LlmClassifier(model, self._rules)
            )
        return self._judge


def _condenser(
    name: str, count: Callable[[str], int], upstream: Callable[[], ChatModel]
) -> Condenser:
    if name != "model":
        return condenser(name, count)
    return _Late(lambda: condenser(name, count, upstream()))
