"""Translate lists of models and vectors between the dialects.

Sources: ollama/ollama v0.33.0-rc2 api/types.go (ListResponse, ShowResponse, EmbedRequest) and
cmd/cmd.go (its command line cuts twelve characters off every digest); the official ``openai``
Python client 3.54.0 (types/model.py, types/create_embedding_response.py). Facts only.
"""

import base64
import hashlib
import struct
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from unabridged.domain.chat import Abilities
from unabridged.errors import InputError, UpstreamBrokenError
from unabridged.wire.incoming_message import Wire
from unabridged.wire.lenient_json import mapping, mappings, number, text

VERSION = "0.33.0"
"""The version of Ollama's interface to report if the upstream is not Ollama."""

# ---- models -----------------------------------------------------------------------------------


def tag(name: str, created: int = 0) -> Wire:
    """Return a model as a row of ``/api/tags``.

    ``created`` counts seconds since 1970; 0 if unknown.
    """
    return {
        "name": name,
        "model": name,
        "modified_at": datetime.fromtimestamp(created, UTC).isoformat().replace("+00:00", "Z"),
        "size": 0,
        "digest": hashlib.sha256(name.encode()).hexdigest(),
        "details": _details(""),
    }


def _details(family: str) -> Wire:
    return {
        "parent_model": "",
        "format": "",
        "family": family,
        "families": [family] if family else None,
        "parameter_size": "",
        "quantization_level": "",
    }


def shown(abilities: Abilities) -> Wire:
    """Return the facts about a model in the form of ``/api/show``.

    A model counts as able to call tools unless its server denies it.
    """
    family = abilities.family or "unknown"
    info: Wire = {"general.architecture": family}
    if abilities.trained_window:
        info[f"{family}.context_length"] = abilities.trained_window
    can = ["completion"]
    can += ["tools"] if abilities.tools is not False else []
    can += ["vision"] if abilities.vision else []
    can += ["thinking"] if abilities.reasoning else []
    return {
        "modelfile": "",
        "parameters": "",
        "template": "",
        "details": _details(abilities.family),
        "model_info": info,
        "capabilities": can,
        "modified_at": "1970-01-01T00:00:00Z",
    }


def model_row(name: str, created: int = 0, owner: str = "library") -> Wire:
    """Return a model as a row of ``/v1/models``."""
    return {"id": name, "object": "model", "created": created, "owned_by": owner}


def claude_row(name: str) -> Wire:
    """Return a model as a row of ``/v1/models`` in Anthropic's dialect."""
    about = {"type": "model", "id": name, "display_name": name, "lifecycle": "active"}
    return {**about, "created_at": "1970-01-01T00:00:00Z"}


def created_of(tagged: Mapping[str, Any]) -> int:
    """Return the time of a row of ``/api/tags`` in seconds since 1970; 0 if unknown."""
    try:
        at = datetime.fromisoformat(text(tagged.get("modified_at")))
    except ValueError:
        return 0
    return max(0, int(at.timestamp())) if at.tzinfo else 0


# ---- vectors ----------------------------------------------------------------------------------


def embed_body(body: Mapping[str, Any]) -> Wire:
    """Return ``POST /v1/embeddings`` as ``POST /api/embed``, without truncation.

    Raises:
        InputError: Its input is tokens, which Ollama does not accept.
    """
    texts = _texts(body.get("input"))
    if texts is None:
        raise InputError(
            "The input is neither a text nor a list of texts.", hint="Send texts, not tokens."
        )
    return {"model": body.get("model"), "input": texts, "truncate": False, **_dimensions(body)}


def embeddings_body(body: Mapping[str, Any]) -> Wire:
    """Return ``POST /api/embed`` (``input``) or ``/api/embeddings`` (``prompt``) as OpenAI's.

    Raises:
        InputError: There is nothing to embed.
    """
    texts = _texts(body.get("input", body.get("prompt")))
    if texts is None:
        raise InputError("The request has no text to embed.", hint="Send a text as input.")
    known = {"model": body.get("model"), "input": texts, "encoding_format": "float"}
    return {**known, **_dimensions(body)}


def _texts(given: Any) -> list[str] | None:
    texts = [given] if isinstance(given, str) else given
    words = isinstance(texts, list) and all(isinstance(each, str) for each in texts)
    return texts if words else None


def _dimensions(body: Mapping[str, Any]) -> Wire:
    wanted = body.get("dimensions")
    return {} if wanted is None else {"dimensions": wanted}


def embeddings_of(embedded: Mapping[str, Any], asked: Mapping[str, Any]) -> Wire:
    """Return an answer of ``/api/embed`` as OpenAI's, packed if the client asked for it.

    Raises:
        UpstreamBrokenError: It contains no vectors.
    """
    rows = _rows(embedded.get("embeddings"))
    packed = asked.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": place, "embedding": _packed(row) if packed else row}
        for place, row in enumerate(rows)
    ]
    tokens = number(embedded.get("prompt_eval_count")) or 0
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": text(asked.get("model")), "usage": usage}


def embedded_of(embeddings: Mapping[str, Any], asked: Mapping[str, Any]) -> Wire:
    """Return an answer of ``/v1/embeddings`` as that of ``/api/embed``, or of ``/api/embeddings``.

    Raises:
        UpstreamBrokenError: It contains no vectors.
    """
    data = sorted(mappings(embeddings.get("data")), key=lambda row: number(row.get("index")) or 0)
    rows = _rows([row.get("embedding") for row in data])
    if "prompt" in asked and "input" not in asked:
        return {"embedding": rows[0] if rows else []}
    tokens = number(mapping(embeddings.get("usage")).get("prompt_tokens")) or 0
    known = {"model": text(asked.get("model")), "embeddings": rows, "prompt_eval_count": tokens}
    return {**known, "total_duration": 0, "load_duration": 0}


def _rows(given: Any) -> list[Sequence[float]]:
    if not isinstance(given, list) or not all(isinstance(row, list) for row in given):
        raise UpstreamBrokenError(
            "The server's answer contains no vectors.", hint="Use a model that makes vectors."
        )
    return given


def _packed(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
