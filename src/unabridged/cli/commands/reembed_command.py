"""``unabridged reembed``."""

import click

from unabridged.cli.format import count
from unabridged.cli.open_from_options import open_space
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.progress import bar


@click.command(
    "reembed",
    epilog=example(
        "unabridged reembed --embedder onnx:intfloat/multilingual-e5-small",
        "unabridged reembed --embedder ollama:nomic-embed-text",
        "unabridged reembed --embedder static",
    ),
)
@common(*MEMORY, "embedder", "ollama_url", "openai_url")
@invoked
def command(invocation: Invocation) -> None:
    """Embed everything anew by the embedder of the settings, then search with it.

    Searches use the old vectors until all new ones are there. What is interrupted goes on where it
    stopped when it is called again.
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
        f"{count(done, 'exchange')} embedded; searches use {name} now.",
    )
