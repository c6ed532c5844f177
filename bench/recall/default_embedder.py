"""The embedder, for what is measured next to recall: plain dense, and peers."""

from collections.abc import Mapping
from typing import Any

from bench.recall.recall_findings import RecallFindings
from unabridged import config
from unabridged.domain.settings import Settings
from unabridged.embeddings.choose_embedder import choose
from unabridged.ports import Embedder

NO_EMBEDDER = "Plain dense is left out: there is no embedder."


def default_embedder() -> Embedder:
    """The embedder that a bare installation uses."""
    embedder = choose(Settings().embedder, Settings())
    assert embedder is not None  # noqa: S101 - the default is one
    return embedder


def embedder_for(
    findings: RecallFindings, settings: Mapping[str, Any], *, baseline: bool
) -> Embedder | None:
    """The embedder that settings name, for baselines; without one, the findings report it."""
    if not baseline:
        return None
    chosen = Settings(**settings)
    embedder = choose(chosen.embedder, chosen, config.folder(config.home_of(), "cache"))
    if embedder is None:
        findings.notes.append(NO_EMBEDDER)
    return embedder
