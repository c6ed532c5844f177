"""The default embedder, for what is measured beside recall: plain dense, and peers."""

import importlib
from importlib.util import find_spec

from unabridged.evals.findings import Findings
from unabridged.ports import Embedder

NO_EMBEDDER = "Plain dense is left out: this installation has no default embedder."
_MODULE = "unabridged.embeddings.static"


def default_embedder() -> Embedder | None:
    """The embedder that a bare installation uses; None where it has none."""
    if find_spec(_MODULE) is None:
        return None
    embedder = importlib.import_module(_MODULE).StaticEmbedder()
    assert isinstance(embedder, Embedder)  # noqa: S101 - a slip in our own naming
    return embedder


def embedder_for(findings: Findings, *, baseline: bool) -> Embedder | None:
    """The embedder for baselines; where there is none, the findings say so."""
    embedder = default_embedder() if baseline else None
    if baseline and embedder is None:
        findings.notes.append(NO_EMBEDDER)
    return embedder
