"""The embedded model and its tokenizer pass the contracts that all others pass."""

from pathlib import Path

import pytest

from unabridged.errors import SettingError
from unabridged.models.gguf import GgufModel
from unabridged.testing.models import WINDOW, ChatModelContract
from unabridged.testing.tokenizers import SAMPLES, TokenizerContract
from unabridged.tokens.gguf import GgufTokenizer


@pytest.fixture(scope="module")
def embedded(smollm2: Path):
    model = GgufModel(smollm2, tokens=WINDOW)
    yield model
    model.close()


class TestModel(ChatModelContract):
    calls_tools = False  # 135 million parameters call a tool now and then, not dependably

    @pytest.fixture
    def model(self, embedded):
        return embedded


class TestTokenizer(TokenizerContract):
    @pytest.fixture(autouse=True)
    def _model(self, smollm2):
        self.path = str(smollm2)
        self.opened: list[GgufTokenizer] = []
        yield
        for one in self.opened:
            one.close()

    def tokenizer(self):
        self.opened.append(GgufTokenizer(self.path))
        return self.opened[-1]

    def test_known_counts(self):
        assert self.tokenizer().count("Hello world") == 2
        assert self.tokenizer().count(SAMPLES["chinese"]) > 15


def test_a_file_that_is_no_model_is_named(tmp_path: Path):
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"no model")
    tokenizer = GgufTokenizer(str(path))
    with pytest.raises(SettingError) as caught:
        tokenizer.count("hello")
    assert caught.value.hint
