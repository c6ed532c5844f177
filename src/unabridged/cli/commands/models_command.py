"""``unabridged models``."""

import click

from unabridged.cli.options import Invocation, common, example, invoked
from unabridged.cli.output import echo
from unabridged.cli.views.lists import model_lines
from unabridged.factory.home import available_models, fetch_model

_EMBED = "unabridged config set embedder onnx:{}"
_OPTIONS = ("home", "profile", "set", "ollama_url", "openai_url", "gguf", "json")
_refresh = click.option("--refresh", is_flag=True, help="Ask every server now.")


@click.group(
    "models",
    invoke_without_command=True,
    epilog=example("unabridged models", "unabridged models get smollm2"),
)
@_refresh
@common(*_OPTIONS)
@click.pass_context
def command(ctx: click.Context, *, refresh: bool) -> None:
    """List the models that can answer, or fetch a small one.

    Servers are asked once an hour (the setting model_cache_ttl); one that is away is listed as it
    was. After you pulled a model, say --refresh.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command, refresh=refresh)


@command.command("list", epilog=example("unabridged models list --json"))
@_refresh
@common(*_OPTIONS)
@invoked
def list_command(invocation: Invocation, *, refresh: bool) -> None:
    """List the models that can answer, and from where."""
    models = available_models(invocation.settings(), fresh=refresh)
    invocation.answer(models, *model_lines(models))


@command.command(
    "get",
    epilog=example(
        "unabridged models get smollm2", "unabridged models get intfloat/multilingual-e5-small"
    ),
)
@click.argument("name")
@common("home", "json")
@invoked
def get_command(invocation: Invocation, name: str) -> None:
    """Fetch a small model into the home, to try everything without a server.

    smollm2 is SmolLM2-135M-Instruct: 98 MB, Apache-2.0. It is small and answers badly.
    REPO/NAME is an embedder of the Hugging Face hub with an ONNX model in it, which finds by meaning:
    intfloat/multilingual-e5-small (MIT, 94 languages, 470 MB) or sentence-transformers/all-MiniLM-L6-v2
    (Apache-2.0, English, 90 MB).
    """

    def tell(progress: str) -> None:
        if not invocation.json:
            echo(progress, "dim", err=True)

    path = fetch_model(invocation.settings(), name, tell)
    if invocation.json:
        invocation.emit({"path": path})
        return
    use = "unabridged chat --upstream gguf" if name == "smollm2" else _EMBED.format(name)
    echo(f"{name} is in {path}. Use it with: {use}")
