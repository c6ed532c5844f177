"""A table of known models: windows and abilities by name.

For models whose server does not report them. The figures are commonly published ones; nobody
has checked each, so a server's report always takes precedence.
"""

from collections.abc import Mapping
from typing import NamedTuple


class KnownModel(NamedTuple):
    """One line of the table.

    Attributes:
        window: Tokens that the model was trained for.
        output: The most tokens of an answer, or None for no limit.
    """

    window: int
    output: int | None = None
    tools: bool | None = None
    vision: bool | None = None


KNOWN: Mapping[str, KnownModel] = {
    "claude": KnownModel(200_000, 8_192, tools=True, vision=True),
    "codellama": KnownModel(16_384),
    "codestral": KnownModel(32_768),
    "command-r": KnownModel(131_072, tools=True),
    "deepseek-chat": KnownModel(65_536, 8_192, tools=True),
    "deepseek-coder": KnownModel(16_384),
    "deepseek-r1": KnownModel(131_072),
    "deepseek-v3": KnownModel(131_072, tools=True),
    "gemini": KnownModel(1_048_576, 8_192, tools=True, vision=True),
    "gemma": KnownModel(8_192),
    "gemma2": KnownModel(8_192),
    "gemma3": KnownModel(131_072, vision=True),
    "gemma3:1b": KnownModel(32_768),
    "gpt-3.5-turbo": KnownModel(16_385, 4_096, tools=True),
    "gpt-4": KnownModel(8_192, 8_192, tools=True),
    "gpt-4-turbo": KnownModel(128_000, 4_096, tools=True, vision=True),
    "gpt-4.1": KnownModel(1_047_576, 32_768, tools=True, vision=True),
    "gpt-4o": KnownModel(128_000, 16_384, tools=True, vision=True),
    "gpt-5": KnownModel(400_000, 128_000, tools=True, vision=True),
    "gpt-oss": KnownModel(131_072, tools=True),
    "granite3": KnownModel(131_072, tools=True),
    "llama2": KnownModel(4_096),
    "llama3": KnownModel(8_192),
    "llama3.1": KnownModel(131_072, tools=True),
    "llama3.2": KnownModel(131_072, tools=True),
    "llama3.2-vision": KnownModel(131_072, vision=True),
    "llama3.3": KnownModel(131_072, tools=True),
    "llama4": KnownModel(1_048_576, tools=True, vision=True),
    "llava": KnownModel(4_096, vision=True),
    "mistral": KnownModel(32_768, tools=True),
    "mistral-large": KnownModel(131_072, tools=True),
    "mistral-nemo": KnownModel(131_072, tools=True),
    "mistral-small": KnownModel(32_768, tools=True),
    "mixtral": KnownModel(32_768, tools=True),
    "o1": KnownModel(200_000, 100_000, tools=True, vision=True),
    "o3": KnownModel(200_000, 100_000, tools=True, vision=True),
    "o4": KnownModel(200_000, 100_000, tools=True, vision=True),
    "olmo2": KnownModel(4_096),
    "phi3": KnownModel(4_096),
    "phi3.5": KnownModel(131_072),
    "phi4": KnownModel(16_384),
    "qwen2": KnownModel(32_768),
    "qwen2.5": KnownModel(32_768, tools=True),
    "qwen3": KnownModel(40_960, tools=True),
    "qwq": KnownModel(40_960, tools=True),
    "smollm": KnownModel(2_048),
    "smollm2": KnownModel(8_192),
    "tinyllama": KnownModel(2_048),
    "yi": KnownModel(4_096),
}


def known(model: str) -> KnownModel | None:
    """Find a model by the longest matching prefix of its name.

    The owner before a slash is ignored, and so is ``-``, where makers and servers differ:
    ``meta-llama/Llama-3.1-8B-Instruct`` and ``llama3.1:8b`` are one line.
    """
    name = model.rsplit("/", 1)[-1].lower()
    names = (name, name.replace("llama-", "llama").replace("gemma-", "gemma"))
    fitting = [prefix for prefix in KNOWN if any(_begins(each, prefix) for each in names)]
    return KNOWN[max(fitting, key=len)] if fitting else None


def _begins(name: str, prefix: str) -> bool:
    if not name.startswith(prefix):
        return False
    following = name[len(prefix) : len(prefix) + 1]
    return not (following.isalnum() or following == ".")
