"""The vocabulary of the table: BERT's pieces, and whole words that BERT would cut."""

import re
from collections.abc import Iterator
from pathlib import Path

from tokenizers import Tokenizer
from wordfreq import top_n_list

from unabridged.embeddings.wordpiece import words_of

BERT_PIECES = 30_522
SHIFT = 4
"""The teacher's vocabulary is BERT's, shifted by its own four marks."""

MOST_WORDS = 4_600
"""Whole words with their own row: as many as fit into 13 MB."""

_LOOKED_AT = 120_000
_WORD = re.compile(r"[a-z]{4,}")


def bert(tokenizer: Tokenizer) -> list[str]:
    """BERT's pieces, in the order of their ids, from the teacher's tokenizer."""
    return [tokenizer.id_to_token(place + SHIFT) for place in range(BERT_PIECES)]


def _common(held: set[str]) -> Iterator[str]:
    for entry in top_n_list("en", _LOOKED_AT):
        words = words_of(entry)
        if len(words) == 1 and words[0] not in held and _WORD.fullmatch(words[0]):
            held.add(words[0])
            yield words[0]


def vocabulary(teacher: Path) -> list[str]:
    """BERT's pieces, then the most frequent English words that are not among them.

    Args:
        teacher: Folder of the teacher.
    """
    pieces = bert(Tokenizer.from_file(str(teacher / "tokenizer.json")))
    common = _common(set(pieces))
    return pieces + [next(common) for _ in range(MOST_WORDS)]
