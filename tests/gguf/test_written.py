"""The embedded model writes condensations: what is taken says nothing that was not said."""

from datetime import UTC, datetime

import pytest

from unabridged.condense.extractive_condenser import ExtractiveCondenser
from unabridged.condense.grounding_check import invented
from unabridged.condense.llm_condenser import FELL_BACK, LlmCondenser
from unabridged.domain.condensation import CondenseSource
from unabridged.domain.message import Role
from unabridged.models.gguf import GgufModel
from unabridged.tokens.estimate import EstimateTokenizer

AT = datetime(2026, 11, 22, tzinfo=UTC)
COUNT = EstimateTokenizer().count
SAID = (
    (
        "My sister Ingrid moved to Oslo on 3 May. She pays 1,200 euros for three rooms.",
        "That is a fair price for Oslo. How does she like it there?",
    ),
    (
        "She likes the fjord. We decided to visit her in August, with our dog Miso.",
        "Lovely! Remember that dogs need a treatment against tapeworm before Norway.",
    ),
    (
        "I wrote a parser in Rust last week. It reads 40 megabytes in a second.",
        "Impressive. You could try a memory map to make it faster still.",
    ),
)


@pytest.fixture(scope="module")
def model(smollm2):
    model = GgufModel(smollm2, tokens=2_048)
    yield model
    model.close()


@pytest.mark.parametrize("said", SAID)
def test_what_the_embedded_model_writes_is_checked(model, said):
    sources = [
        CondenseSource("e0", n, (Role.USER, Role.ASSISTANT)[n], text, AT)
        for n, text in enumerate(said)
    ]
    extractor = ExtractiveCondenser(COUNT)
    draft = LlmCondenser(model, extractor, COUNT).condense(sources, 45)
    assert draft.tokens <= 45
    text = " ".join(line.text for line in draft.lines)
    assert invented(text, sources) == []
    if draft.by == extractor.identity:
        assert draft.lines == extractor.condense(sources, 45).lines
        assert draft.notes[0].startswith(FELL_BACK)
    else:
        assert draft.by == f"model:{model.model}"
        assert draft.notes == ()
    print(draft.by, draft.notes, text)
