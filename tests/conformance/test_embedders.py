"""Every embedder passes one contract."""

import socket

import numpy as np
import pytest

from unabridged.domain.settings import Settings
from unabridged.embeddings.bert import Shape, table_of
from unabridged.embeddings.choose import choose
from unabridged.embeddings.ollama import OllamaEmbedder
from unabridged.embeddings.onnx import OnnxEmbedder
from unabridged.embeddings.openai import OpenAIEmbedder
from unabridged.embeddings.prompts import Prompts
from unabridged.embeddings.transformer import Transformer
from unabridged.testing.embedders import NEAR, TEXTS, EmbedderContract, ServedEmbedderContract
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

NOMIC = "nomic-embed-text"
WIDTH, LAYERS, LONGEST = 64, 2, 48


@pytest.fixture
def nowhere():
    """An address where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    return f"http://127.0.0.1:{port}"


class TestStatic(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        embedder = choose("static", Settings())
        yield embedder
        embedder.close()


class TestOllama(ServedEmbedderContract):
    @pytest.fixture
    def embedder(self):
        entry = OllamaEntry(f"{NOMIC}:latest", trained=512, capabilities=("embedding",))
        with OllamaTestServer(models=[entry]) as server:
            embedder = OllamaEmbedder(NOMIC, server.url)
            yield embedder
            embedder.close()

    @pytest.fixture
    def away(self, nowhere):
        return OllamaEmbedder(NOMIC, nowhere)


class TestOpenAI(ServedEmbedderContract):
    @pytest.fixture
    def embedder(self):
        with OpenAITestServer(models=[OpenAIEntry("text-embedding")], window=512) as server:
            embedder = OpenAIEmbedder("text-embedding", server.base_url)
            yield embedder
            embedder.close()

    @pytest.fixture
    def away(self, nowhere):
        return OpenAIEmbedder("text-embedding", f"{nowhere}/v1")


class TestOpenAIWithListsOnly(ServedEmbedderContract):
    @pytest.fixture
    def embedder(self):
        models = [OpenAIEntry("text-embedding")]
        with OpenAITestServer(models=models, refuses=("encoding_format",)) as server:
            embedder = OpenAIEmbedder("text-embedding", server.base_url)
            yield embedder
            embedder.close()

    @pytest.fixture
    def away(self, nowhere):
        return OpenAIEmbedder("text-embedding", f"{nowhere}/v1")


def tiny():
    """A transformer with weights of chance, whose vocabulary is the contract's words."""
    chance = np.random.default_rng(7)
    words = sorted({word for text in (*TEXTS, NEAR) for word in text.lower().split()})
    signs = [f"{two}{chr(sign)}" for two in ("", "##") for sign in range(33, 127)]
    vocabulary = list(dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *signs, *words]))

    def some(*sizes):
        return chance.normal(0, 0.3, sizes).astype(np.float32)

    weights = {"positions": some(LONGEST, WIDTH) * 0.1}
    names = ["start"]
    for layer in range(LAYERS):
        sizes = {"attend": (3 * WIDTH, WIDTH), "join": (WIDTH, WIDTH)}
        sizes |= {"widen": (2 * WIDTH, WIDTH), "narrow": (WIDTH, 2 * WIDTH)}
        for name, size in sizes.items():
            weights[f"{layer}.{name}"] = some(*size) * 0.3
            weights[f"{layer}.{name}.bias"] = some(size[0]) * 0.1
        names += [f"{layer}.met", f"{layer}.out"]
    for name in names:
        weights[f"{name}.scale"] = np.ones(WIDTH, np.float32)
        weights[f"{name}.shift"] = np.zeros(WIDTH, np.float32)
    rules = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "BertProcessing",
            "sep": ["[SEP]", vocabulary.index("[SEP]")],
            "cls": ["[CLS]", vocabulary.index("[CLS]")],
        },
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {piece: place for place, piece in enumerate(vocabulary)},
        },
    }
    table = table_of(some(len(vocabulary), WIDTH))
    return Transformer(Shape(LAYERS, 4, WIDTH), table, weights, rules, LONGEST)


class TestOnnx(EmbedderContract):
    @pytest.fixture
    def embedder(self, tmp_path):
        tiny().write(tmp_path, Prompts("", "text: ", "question: "))
        embedder = OnnxEmbedder(tmp_path, "tiny")
        yield embedder
        embedder.close()


@pytest.mark.slow
class TestMiniLM(EmbedderContract):
    @pytest.fixture
    def embedder(self, fetched_embedder):
        embedder = OnnxEmbedder(fetched_embedder("minilm"), "minilm")
        yield embedder
        embedder.close()


@pytest.mark.long
class TestE5(EmbedderContract):
    @pytest.fixture
    def embedder(self, fetched_embedder):
        embedder = OnnxEmbedder(fetched_embedder("e5-small"), "e5-small")
        yield embedder
        embedder.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["e5-small", "minilm"])
def test_a_fetched_transformer_knows_what_texts_mean(fetched_embedder, name):
    """Without a word in common: what the weights are for, and that they were read rightly."""
    embedder = OnnxEmbedder(fetched_embedder(name), name)
    said = ["My kitten is sweet.", "The stock market fell.", "We repaired the bicycle."]
    scores = embedder.embed(said) @ embedder.embed_query("Do you like cats?")
    assert int(np.argmax(scores)) == 0
    assert scores[0] > scores[1] + 0.05


@pytest.mark.long
def test_e5_reads_many_languages(fetched_embedder):
    embedder = OnnxEmbedder(fetched_embedder("e5-small"), "e5-small")
    said = ["Meine Katze schläft auf dem Dach.", "我们昨天去了银行。", "Мы починили велосипед."]
    for place, question in enumerate(
        ["Where is the cat?", "Who went to a bank?", "¿La bicicleta?"]
    ):
        assert int(np.argmax(embedder.embed(said) @ embedder.embed_query(question))) == place
