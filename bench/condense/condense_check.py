"""Checks every condensation: only sentences of its sources, the limit, the order."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bench.condense.condense_text import GAP, CondenseMethod, SplitTexts
from unabridged.domain.condensation import CondensationDraft, CondenseSource, Line

KINDS = ("not in its sources", "over the limit", "out of order", "tokens told wrongly")
"""The kinds of violations."""

_SPACE = re.compile(r"\s+")


def violations(
    sources: Sequence[CondenseSource], draft: CondensationDraft, limit: int, texts: SplitTexts
) -> Counter[str]:
    """Count what is wrong with a condensation that was made of whole sentences.

    Args:
        sources: What it was made of.
        draft: The condensation.
        limit: Tokens that it might take.
        texts: Splits and counts.

    Returns:
        Of ``KINDS`` those that occur: lines whose words are not the whole sentences that they name
        (white space and the mark of a gap aside), 1 where the texts take more than the limit,
        lines that are before or next to one that they follow, 1 if ``tokens`` is less than the
        texts take.
    """
    found = Counter[str]()
    by_place = {(each.exchange, each.index): n for n, each in enumerate(sources)}
    last = -1
    for line in draft.lines:
        place = by_place.get((line.exchange, line.index))
        if place is None or not _whole(line, sources[place], texts):
            found["not in its sources"] += 1
        if place is not None:
            found["out of order"] += place <= last or list(line.sentences) != sorted(
                set(line.sentences)
            )
            last = place
    spent = sum(texts.count(line.text) for line in draft.lines)
    found["over the limit"] += spent > limit
    found["tokens told wrongly"] += draft.tokens < spent
    return +found


def _whole(line: Line, source: CondenseSource, texts: SplitTexts) -> bool:
    pieces = texts.sentences(source.text)
    if not line.sentences or max(line.sentences) >= len(pieces):
        return False
    wanted = "".join(pieces[number] for number in line.sentences)
    return line.role == source.role and _bare(line.text) == _bare(wanted)


def _bare(text: str) -> str:
    return _SPACE.sub("", text.replace(GAP, ""))


class CondenseChecks:
    """Counts over a whole run.

    Args:
        texts: Splits and counts.
    """

    def __init__(self, texts: SplitTexts) -> None:
        self._texts = texts
        self.condensations: Counter[str] = Counter()
        """Method to how many were checked."""
        self.found: dict[str, Counter[str]] = {}
        """Method to what was wrong."""

    def take(
        self,
        method: str,
        sources: Sequence[CondenseSource],
        draft: CondensationDraft | None,
        limit: int,
    ) -> None:
        """Check one condensation; if nothing was made there is nothing to check."""
        if draft is None:
            return
        self.condensations[method] += 1
        held = self.found.setdefault(method, Counter())
        held.update(violations(sources, draft, limit, self._texts))

    def as_dict(self) -> dict[str, Mapping[str, int]]:
        """Method to how many were checked and how often each thing was wrong."""
        return {
            method: {"condensations": count, **{k: self.found[method][k] for k in KINDS}}
            for method, count in self.condensations.items()
        }


@dataclass(slots=True)
class CondenseTrial:
    """The methods that are compared, on one text after another.

    Attributes:
        methods: By name, what condenses.
        texts: Splits and counts, for the baselines and the checks.
        checks: What was wrong so far.
        say: Told in a few words what continues.
        about: By name, what condenses with regard to a question.
        unbound: Methods that keep to no limit.
    """

    methods: Mapping[str, CondenseMethod]
    texts: SplitTexts
    checks: CondenseChecks
    say: Callable[[str], None]
    about: Mapping[str, Callable[[str], CondenseMethod]] = field(default_factory=dict)
    unbound: frozenset[str] = frozenset()

    def condensed(
        self, sources: Sequence[CondenseSource], limit: int, question: str = ""
    ) -> dict[str, CondensationDraft | None]:
        """Condense by every method, and check what comes.

        Args:
            sources: The messages.
            limit: Tokens that the lines may take together.
            question: The question for methods that use one; without it they are left out.
        """
        methods = dict(self.methods)
        if question:
            methods |= {name: made(question) for name, made in self.about.items()}
        drafts = {name: method.condense(sources, limit) for name, method in methods.items()}
        for name, draft in drafts.items():
            if name not in self.unbound:
                self.checks.take(name, sources, draft, limit)
        return drafts
