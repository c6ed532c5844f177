"""Without the model's tokenizer, what is sent fits its window: counted by real vocabularies."""

import json
import random

import pytest
from tests.helpers import vocabularies
from tests.helpers.memories import say
from tests.helpers.odd_texts import odd_text
from tests.helpers.talker import Talker
from tests.opened import counter_of

from unabridged.domain.chat import Abilities
from unabridged.errors import PromptTooLargeError
from unabridged.models.scripted import ScriptedModel

WINDOW = 8_192
ATTACKS = (
    "random marks, brackets, jsfuck, nested json, empty json, sql dump, controls, nul, space and tab,"
    " latex, homer, random cjk ext B, random cyrillic ext, white space, mixture"
).split(", ")
PER_MESSAGE, PER_PROMPT = 5, 3
"""Template tokens that ChatML takes."""


def cost(count, messages, tools=None):
    texts = [str(message["content"]) for message in messages]
    texts += [json.dumps(tool) for tool in tools or ()]
    return sum(count(text) + PER_MESSAGE for text in texts) + PER_PROMPT


@pytest.mark.parametrize("kind", ATTACKS)
def test_a_memory_of_odd_texts_fits_the_window(tmp_path, kind):
    able = Abilities("m", trained_window=WINDOW, source="server")
    model, rng = ScriptedModel(("Yes.",), abilities=able), random.Random(kind)
    with Talker.open(tmp_path, upstream=model) as memory:
        assert counter_of(memory).identity == "estimate-2"
        for _ in range(24):
            say(memory, "x " + odd_text(rng, kind, 1_500), odd_text(rng, kind, 1_500) + ".")
        for size in (300, 3_000, 12_000):
            text = odd_text(rng, kind, size)
            try:
                context = memory.prepare(f"{text}\nWhat is this?")
            except PromptTooLargeError:
                continue
            for name in vocabularies.names():
                real = cost(vocabularies.counter(name), context.messages)
                assert real <= WINDOW - (context.max_output or 0), (name, size)
