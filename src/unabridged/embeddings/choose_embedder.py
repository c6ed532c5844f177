"""Choose the embedder and the reranker by the settings, or by an identity.

Only the chosen adapter is imported, since every start of the program runs this.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from unabridged.domain.settings import Settings
from unabridged.errors import SettingError
from unabridged.ports import Embedder, Reranker

NONE = "none"
STATIC = "static"
_EMBEDDERS = "static, none, ollama:MODEL, openai:MODEL, onnx:REPO/NAME or onnx:FOLDER"
_RERANKERS = "none or onnx:FOLDER"


def choose(name: str, settings: Settings, cache_folder: Path | None = None) -> Embedder | None:
    """Return an embedder; it loads at its first text.

    Args:
        name: As the setting ``embedder``; or an identity without digests.
        settings: Addresses, keys and the timeout.
        cache_folder: The home's cache folder, with downloaded transformers.

    Raises:
        SettingError: The name is unknown, or lacks what it needs.
        MissingExtraError: It needs a package that is not installed; the hint has the command.
    """
    if name == NONE:
        return None
    if name == STATIC or name.startswith(f"{STATIC}-"):
        return _static()
    kind, _, rest = name.partition(":")
    builders: Mapping[str, Callable[[], Embedder]] = {
        "ollama": lambda: _ollama(rest, settings),
        "openai": lambda: _openai(rest, settings),
        "onnx": lambda: _onnx(rest, cache_folder),
    }
    if kind not in builders or not rest:
        raise SettingError(f"There is no embedder {name!r}.", hint=f"Use {_EMBEDDERS}.")
    return builders[kind]()


def choose_reranker(name: str) -> Reranker | None:
    """Return a reranker, which loads at its first question; None for ``none``.

    Raises:
        SettingError: The name is unknown, or its folder has no usable model.
        MissingExtraError: The extra ``onnx`` is not installed.
    """
    if name == NONE:
        return None
    kind, _, rest = name.partition(":")
    if kind != "onnx" or not rest:
        raise SettingError(f"There is no reranker {name!r}.", hint=f"Use {_RERANKERS}.")
    from unabridged.embeddings.cross_encoder import CrossEncoder  # noqa: PLC0415 - see above

    return CrossEncoder(Path(rest).expanduser())


def name_of(identity: str) -> str:
    """Return the name that chooses an identity's embedder.

    The parts after ``@`` (a digest) and ``+`` (prompts) follow from the model; if they have
    changed, the new identity differs.
    """
    return identity.partition("@")[0].partition("+")[0]


@cache
def _static() -> Embedder:  # one for all spaces, and so what is computed by it
    from unabridged.embeddings.static import StaticEmbedder  # noqa: PLC0415 - brings numpy

    return StaticEmbedder()


def _ollama(model: str, settings: Settings) -> Embedder:
    from unabridged.embeddings.ollama import OllamaEmbedder  # noqa: PLC0415 - see above

    return OllamaEmbedder(model, settings.ollama_url, timeout=settings.timeout)


def _openai(model: str, settings: Settings) -> Embedder:
    if not settings.openai_url:
        raise SettingError(
            f"The embedder openai:{model} needs an address.",
            hint="Set openai_url, such as http://127.0.0.1:8080/v1.",
        )
    from unabridged.embeddings.openai import OpenAIEmbedder  # noqa: PLC0415 - see above

    return OpenAIEmbedder(
        model, settings.openai_url, key=settings.openai_key, timeout=settings.timeout
    )


def _onnx(name: str, cache_folder: Path | None) -> Embedder:
    from unabridged.embeddings import hub  # noqa: PLC0415 - see above
    from unabridged.embeddings.onnx import OnnxEmbedder  # noqa: PLC0415 - see above

    given = Path(name).expanduser()
    if given.is_dir() or not hub.is_name(name):
        return OnnxEmbedder(given)
    folder = None if cache_folder is None else hub.fetched(name, cache_folder)
    if folder is None:
        raise SettingError(
            f"The embedder {name} is neither downloaded nor a folder.",
            hint=f"Download it: unabridged models get {name}",
        )
    return OnnxEmbedder(folder, name)
