"""``python -m bench condense``: what condensing keeps, next to simple ways to keep as much."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.condense import (
    answers_in_contexts,
    answers_kept,
    condense_speed,
    crd3,
    model_drafts,
    qmsum,
)
from bench.condense.condense_baselines import ORDERS, UserOnly, same_size
from bench.condense.condense_check import CondenseChecks, CondenseTrial
from bench.condense.condense_findings import ABOUT, OURS, CondenseFindings
from bench.condense.condense_text import CondenseMethod, SplitTexts
from bench.core.core_benchmark import machine
from unabridged.condense.extractive_condenser import ExtractiveCondenser
from unabridged.domain.condensation import CondensationDraft, CondenseSource
from unabridged.errors import SettingError
from unabridged.language.words import query_terms
from unabridged.tokens.estimate import EstimateTokenizer

PARTS = ("answers", "qmsum", "crd3", "contexts", "speed")
"""What can be measured alone."""
DATA = ("longmemeval", "locomo", "qmsum", "crd3")
"""Folders that the data may hold."""
MEETING_BASELINES = ("leading", "leading of each", "newest", "random", "textrank")
"""Those that mean something if nobody is the user."""

USER = "user messages"

Progress = Callable[[str], None]
Make = Callable[[Callable[[str], int]], CondenseMethod]


def run(
    data: str | Path,
    *,
    progress: Progress,
    only: Sequence[str] = (),
    first: int | None = None,
    make: Make | None = ExtractiveCondenser,
    written: int = 0,
) -> CondenseFindings:
    """Measure everything for which there is data.

    Args:
        data: A folder that holds any of ``DATA``.
        progress: Told in a few words what continues.
        only: Only these of ``PARTS``.
        first: Look at only this number of questions, meetings and episodes of each data.
        make: Makes what is measured, of what counts tokens; None for the baselines only.
        written: Let the embedded model write this many condensations.

    Raises:
        SettingError: There is no such part, or the folder holds none of the data.
        TransferError: The data cannot be read.
    """
    folder = Path(data)
    held = {name: folder / name for name in DATA if (folder / name).exists()}
    _known(only, folder, held)
    bench = _Bench(held, progress, first, make)
    try:
        for part in only or PARTS:
            getattr(bench, part)()
        if written:
            bench.written(written)
    except KeyboardInterrupt:
        bench.findings.interrupted = True
    bench.findings.checks = dict(bench.checks.as_dict())
    return bench.findings


def _known(only: Sequence[str], folder: Path, held: Mapping[str, Path]) -> None:
    unknown = [name for name in only if name not in PARTS]
    if unknown:
        raise SettingError(
            f"There is no part {unknown[0]!r} of this benchmark.",
            hint=f"Choose from: {', '.join(PARTS)}.",
        )
    if not held and set(only or PARTS) != {"speed"}:
        raise SettingError(
            f"The folder {folder.name!r} holds none of {', '.join(DATA)}.",
            hint="Use the folder in which these folders lie; any one of them is enough.",
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """The extractive condenser, with regard to a question."""

    extractor: ExtractiveCondenser
    question: str

    @property
    def identity(self) -> str:
        return self.extractor.identity

    def condense(self, sources: Sequence[CondenseSource], limit: int) -> CondensationDraft | None:
        return self.extractor.condense(sources, limit, query_terms(self.question))


class _Bench:
    """One run: the data, the methods, and what was found."""

    def __init__(
        self,
        held: Mapping[str, Path],
        say: Progress,
        first: int | None,
        make: Make | None,
    ) -> None:
        self.findings = CondenseFindings(machine(), missing=[n for n in DATA if n not in held])
        self._held = held
        self._say = say
        self._first = first
        self._make = make
        self._texts = SplitTexts(_counter())
        self.checks = CondenseChecks(self._texts)

    def written(self, count: int) -> None:
        """What the embedded model writes."""
        model = model_drafts.embedded()
        if model is None:
            self.findings.notes.append(model_drafts.NO_MODEL)
            return
        try:
            sessions = model_drafts.sessions(self._held, count)
            trial = self._trial(())
            for tally in model_drafts.measure(sessions, model, trial, self._say):
                self.findings.written = tally.as_dict()
        finally:
            model.close()

    def _trial(self, names: Collection[str], *, user: bool = False) -> CondenseTrial:
        ours = None if self._make is None else self._make(self._texts.count)
        methods = {} if ours is None else {OURS: ours}
        methods |= {n: m for n, m in same_size(self._texts).items() if n in names}
        if user:
            methods[USER] = UserOnly(self._texts)
        about = {ABOUT: partial(_Asked, ours)} if isinstance(ours, ExtractiveCondenser) else {}
        return CondenseTrial(methods, self._texts, self.checks, self._say, about, frozenset({USER}))

    def answers(self) -> None:
        """Which answers still stand in condensed histories."""
        readers = {
            "longmemeval": answers_kept.of_longmemeval,
            "locomo": answers_kept.of_locomo,
        }
        for by_session in (False, True):
            views = answers_kept.ConversationViews(
                self._trial(ORDERS, user=True), by_session=by_session
            )
            found = answers_kept.table(by_session=by_session)
            self.findings.tables.append(found)
            for name in [name for name in readers if name in self._held]:
                looked, asked = readers[name](self._held[name], self._first)
                answers_kept.measure(asked, views, found)
                if by_session:
                    counted = len(next(iter(found.groups.get(name, {"": []}).values())))
                    self.findings.notes.append(
                        f"{name}: {looked:,} questions were looked at; {counted:,} count for"
                        " answers_kept."
                    )

    def qmsum(self) -> None:
        """How meetings are summarised."""
        if "qmsum" in self._held:
            meetings = qmsum.load(self._held["qmsum"])[: self._first]
            self.findings.tables += qmsum.measure(meetings, self._trial(MEETING_BASELINES))

    def crd3(self) -> None:
        """Which turns of play are left."""
        if "crd3" in self._held:
            episodes = crd3.load(self._held["crd3"])[: self._first]
            self.findings.tables.append(crd3.measure(episodes, self._trial(MEETING_BASELINES)))

    def contexts(self) -> None:
        """Which answers stand in contexts."""
        found = answers_in_contexts.table()
        self.findings.tables.append(found)
        readers = {
            "longmemeval": answers_in_contexts.of_longmemeval,
            "locomo": answers_in_contexts.of_locomo,
        }
        for name, read in readers.items():
            if name in self._held:
                histories = read(self._held[name], self._first)
                answers_in_contexts.measure(histories, found, self._say)

    def speed(self) -> None:
        """How long it takes."""
        self.findings.speed = condense_speed.measure(_counter, self._make, self._say)


def _counter() -> Callable[[str], int]:
    return EstimateTokenizer().count
