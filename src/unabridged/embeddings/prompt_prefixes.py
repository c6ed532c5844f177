"""The prompts that models were trained to read before a text.

They are from the model cards of the families; a model without a row gets plain texts.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prompts:
    """Words to put before texts.

    Attributes:
        name: A part of the embedder's identity, since other prompts make other vectors.
    """

    name: str = ""
    passage: str = ""
    query: str = ""

    def marked(self, identity: str) -> str:
        """Add the prompts' name to an identity."""
        return f"{identity}+{self.name}" if self.name else identity


NONE = Prompts()
E5 = Prompts("e5", "passage: ", "query: ")
_SEARCHING = "Represent this sentence for searching relevant passages: "
_QWEN = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)
FAMILIES: tuple[tuple[str, Prompts], ...] = (
    ("nomic-embed-text", Prompts("nomic", "search_document: ", "search_query: ")),
    ("embeddinggemma", Prompts("gemma", "title: none | text: ", "task: search result | query: ")),
    ("qwen3-embedding", Prompts("qwen3", "", _QWEN)),
    ("mxbai-embed", Prompts("mxbai", "", _SEARCHING)),
    ("arctic-embed2", Prompts("arctic2", "", "query: ")),
    ("arctic-embed", Prompts("arctic", "", _SEARCHING)),
    ("multilingual-e5", E5),
    ("e5-small", E5),
    ("e5-base", E5),
    ("e5-large", E5),
    ("bge-small-en", Prompts("bge", "", _SEARCHING)),
    ("bge-base-en", Prompts("bge", "", _SEARCHING)),
    ("bge-large-en", Prompts("bge", "", _SEARCHING)),
)
"""Part of a model's name to its prompts; the first match counts. A row whose words change must
change its name."""


def prompts_of(model: str) -> Prompts:
    """Return the prompts of a model by its name."""
    low = model.lower()
    if "instruct" in low and "e5" in low:
        return NONE  # trained with instructions that differ by task
    return next((prompts for part, prompts in FAMILIES if part in low), NONE)
