"""Protocols of everything that the engine needs from outside, in the words of the domain.

An ability that not every store has is a separate protocol (``SupportsVectors`` …). The engine has a
fallback where one is possible, so that every store answers every question.
"""

from unabridged.ports.models import (
    ChatModel,
    Condenser,
    Embedder,
    Lexicon,
    Reranker,
    SupportsRelay,
    SupportsWindowGrowth,
)
from unabridged.ports.projection import FilesProjection, Projection, SupportsExpecting
from unabridged.ports.search_index import SearchIndexPort
from unabridged.ports.services import Cipher, Clock, Keys, Tokenizer
from unabridged.ports.store import (
    Store,
    SupportsBackup,
    SupportsBulkImport,
    SupportsChainHead,
    SupportsCheck,
    SupportsProjections,
    SupportsSaving,
    SupportsScan,
    SupportsSizes,
    SupportsVectors,
)

__all__ = [
    "ChatModel",
    "Cipher",
    "Clock",
    "Condenser",
    "Embedder",
    "FilesProjection",
    "Keys",
    "Lexicon",
    "Projection",
    "Reranker",
    "SearchIndexPort",
    "Store",
    "SupportsBackup",
    "SupportsBulkImport",
    "SupportsChainHead",
    "SupportsCheck",
    "SupportsExpecting",
    "SupportsProjections",
    "SupportsRelay",
    "SupportsSaving",
    "SupportsScan",
    "SupportsSizes",
    "SupportsVectors",
    "SupportsWindowGrowth",
    "Tokenizer",
]
