"""Check that a run of condensing kept what must not be lost (EMM, phase 6)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from unabridged.condense.verbatim_selection import Selection, least_kept
from unabridged.domain.annotation import Scheme
from unabridged.domain.condensation import Coherence, Condensation, CondenseSource

Names = Callable[[str], frozenset[str]]
"""Returns the names in a text, folded."""


@dataclass(frozen=True, slots=True)
class CoherenceCheck:
    """The planned result of a run, for the check.

    Attributes:
        sources: Every candidate that was not condensed before this run, in order.
        tokens_before: Tokens of the view before the run.
        tokens_after: Tokens afterwards.
    """

    selection: Selection
    sources: Sequence[CondenseSource]
    made: Sequence[Condensation]
    tokens_before: int
    tokens_after: int


def check(
    outcome: CoherenceCheck, scheme: Scheme, names: Names, standing: Iterable[str] = ()
) -> Coherence:
    """Check one run.

    ``standing`` are texts that stay in the view in any case: the newest messages, and the results
    of earlier runs.
    """
    selection = outcome.selection
    gone = {key for keys in selection.condense.values() for key in keys}
    lost, critical = _lost(outcome, gone, names, standing)
    return Coherence(
        critical_kept=_critical_kept(selection, scheme),
        shares_kept=_shares_kept(selection, scheme),
        lost_names=tuple(sorted(lost)),
        lost_critical=tuple(sorted(critical)),
        in_order=_in_order(outcome),
        tokens_before=outcome.tokens_before,
        tokens_after=outcome.tokens_after,
    )


def _lost(
    outcome: CoherenceCheck, gone: set[tuple[str, int]], names: Names, standing: Iterable[str]
) -> tuple[set[str], set[str]]:
    condensed = [s for s in outcome.sources if (s.exchange, s.index) in gone]
    held = [(names(source.text), source.critical) for source in condensed]
    at_risk = {name for found, _ in held for name in found}
    if not at_risk:
        return set(), set()
    kept = [line.text for one in outcome.made for line in one.lines]
    kept += [s.text for s in outcome.sources if (s.exchange, s.index) not in gone]
    lost = set(at_risk)
    for text in (*kept, *standing):
        lost -= names(text)
        if not lost:
            break
    critical = {name for found, is_critical in held if is_critical for name in found}
    return lost, lost & critical


def _critical_kept(selection: Selection, scheme: Scheme) -> float:
    critical = [category.name for category in scheme.categories if category.critical]
    kept = sum(len(selection.keep.get(name, ())) for name in critical)
    every = sum(_counted(selection, name) for name in critical)
    return kept / every if every else 1.0


def _shares_kept(selection: Selection, scheme: Scheme) -> bool:
    return all(
        len(kept) >= least_kept(scheme.category(name).keep, _counted(selection, name))
        for name, kept in selection.keep.items()
    )


def _counted(selection: Selection, name: str) -> int:
    groups = (selection.keep, selection.condense, selection.before)
    return sum(len(group.get(name, ())) for group in groups)


def _in_order(outcome: CoherenceCheck) -> bool:
    order = {(s.exchange, s.index): place for place, s in enumerate(outcome.sources)}
    for one in outcome.made:
        places = [order.get((x.exchange, x.index), -1) for x in one.lines if x.role is not None]
        if places != sorted(places) or -1 in places:
            return False
    return True
