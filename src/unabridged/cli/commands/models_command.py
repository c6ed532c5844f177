"""``unabridged models``."""

import click

from unabridged.cli.format import count
from unabridged.cli.open_from_options import open_space
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo
from unabridged.cli.plain_command import PlainGroup
from unabridged.cli.progress import bar

_EMBED = "unabridged config set embedder onnx:{}"

command = PlainGroup(
    "models",
    """List models, download a small one, or re-embed.

    Servers are asked once an hour (setting model_cache_ttl). A server that does not answer is listed as before.
    """,
    "unabridged models",
    "unabridged models get smollm2",
    options=("home", "profile", "set", "ollama_url", "openai_url", "gguf", "json"),
    default="list",
)


@command.sub("list", "unabridged models list --refresh")
@click.option("--refresh", is_flag=True, help="Ask every server now.")
def list_command(invocation: Invocation, *, refresh: bool) -> None:
    """List the models that can answer, and where they are."""
    from unabridged.cli.views.lists import model_lines  # noqa: PLC0415 - slow, and help needs none
    from unabridged.factory.home import available_models  # noqa: PLC0415 - as above

    models = available_models(invocation.settings(), fresh=refresh)
    invocation.answer(models, *model_lines(models))


@command.sub(
    "get",
    "unabridged models get smollm2",
    "unabridged models get intfloat/multilingual-e5-small",
    options=("home", "json"),
)
@click.argument("name")
def get_command(invocation: Invocation, name: str) -> None:
    """Download a small model into the home, to try everything without a server.

    smollm2 is a chat model, SmolLM2-135M-Instruct (93 MB to download, Apache-2.0). It is small, and its answers are poor.

    REPO/NAME is an embedder with an ONNX model from the Hugging Face hub, for search by meaning: intfloat/multilingual-e5-small (MIT, 94 languages, 470 MB) or sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0, English, 90 MB).
    """
    from unabridged.factory.home import fetch_model  # noqa: PLC0415 - slow, and help needs none of it

    def tell(progress: str) -> None:
        if not invocation.json:
            echo(progress, "dim", err=True)

    path = fetch_model(invocation.settings(), name, tell)
    use = "unabridged chat --upstream gguf" if name == "smollm2" else _EMBED.format(name)
    invocation.answer({"path": path}, f"Downloaded {name} to {path}. Use it: {use}")


@command.sub(
    "reembed",
    "unabridged models reembed --embedder onnx:intfloat/multilingual-e5-small",
    "unabridged models reembed --embedder ollama:nomic-embed-text",
    "unabridged models reembed --embedder static",
    options=("embedder", *MEMORY, "ollama_url", "openai_url"),
)
def reembed_command(invocation: Invocation) -> None:
    """Re-embed everything with the configured embedder.

    Searches use the old vectors until all new ones are there. If it is interrupted, run it again to continue.
    """
    space = open_space(invocation)
    total = space.stats().exchanges
    done = 0
    with bar("Embedding", max(1, total), quiet=invocation.json) as shown:
        for step in space.maintenance.reembed():
            done = step.done
            shown.update(max(0, total - step.left - shown.pos))
        shown.update(max(0, max(1, total) - shown.pos))
    name = space.settings.embedder
    invocation.answer(
        {"embedder": name, "embedded": done, "exchanges": total},
        f"Embedded {count(done, 'exchange')}. Searches now use {name}.",
    )
