"""Every embedder passes one contract."""

import json
import socket

import numpy as np
import pytest
from tests.unit.embeddings.graph import Graph

from unabridged.domain.settings import Settings
from unabridged.embeddings.choose_embedder import choose
from unabridged.embeddings.ollama import OllamaEmbedder
from unabridged.embeddings.onnx import OnnxEmbedder
from unabridged.embeddings.openai import OpenAIEmbedder
from unabridged.testing.embedders import NEAR, TEXTS, EmbedderContract, ServedEmbedderContract
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

NOMIC = "nomic-embed-text"
WIDTH, LONGEST = 64, 48
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
E5 = "intfloat/multilingual-e5-small"


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


def write_tiny(folder):
    """Write a transformer whose tokens have vectors of chance and whose words are the contract's."""
    chance = np.random.default_rng(7)
    words = sorted({word for text in (*TEXTS, NEAR) for word in text.lower().split()})
    signs = [f"{two}{chr(sign)}" for two in ("", "##") for sign in range(33, 127)]
    vocabulary = list(dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *signs, *words]))
    graph = Graph("tiny")
    ids = graph.input("input_ids", "int64", ("texts", "length"))
    table = chance.normal(0, 0.3, (len(vocabulary), WIDTH)).astype(np.float32)
    found = graph.node("Gather", graph.constant(table), ids)
    graph.output(
        graph.node("Identity", found, output="last_hidden_state"), ("texts", "length", WIDTH)
    )
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
    (folder / "model.onnx").write_bytes(b"".join(graph.write()))
    stated = {
        "tokenizer.json": rules,
        "config_sentence_transformers.json": {
            "prompts": {"query": "question: ", "passage": "text: "}
        },
        "sentence_bert_config.json": {"max_seq_length": LONGEST},
    }
    for name, value in stated.items():
        (folder / name).write_text(json.dumps(value), "utf-8")


class TestOnnx(EmbedderContract):
    @pytest.fixture
    def embedder(self, tmp_path):
        write_tiny(tmp_path)
        embedder = OnnxEmbedder(tmp_path, "tiny")
        yield embedder
        embedder.close()


@pytest.mark.slow
class TestMiniLM(EmbedderContract):
    @pytest.fixture
    def embedder(self, fetched_embedder):
        embedder = OnnxEmbedder(fetched_embedder(MINILM), MINILM)
        yield embedder
        embedder.close()


@pytest.mark.long
class TestE5(EmbedderContract):
    @pytest.fixture
    def embedder(self, fetched_embedder):
        embedder = OnnxEmbedder(fetched_embedder(E5), E5)
        yield embedder
        embedder.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", [E5, MINILM])
def test_a_fetched_transformer_knows_what_texts_mean(fetched_embedder, name):
    """Without a word in common: what the weights are for, and that they were read rightly."""
    embedder = OnnxEmbedder(fetched_embedder(name), name)
    said = ["My kitten is sweet.", "The stock market fell.", "We repaired the bicycle."]
    scores = embedder.embed(said) @ embedder.embed_query("Do you like cats?")
    assert int(np.argmax(scores)) == 0
    assert scores[0] > scores[1] + 0.05


@pytest.mark.long
def test_e5_reads_many_languages(fetched_embedder):
    embedder = OnnxEmbedder(fetched_embedder(E5), E5)
    said = ["Meine Katze schläft auf dem Dach.", "我们昨天去了银行。", "Мы починили велосипед."]
    for place, question in enumerate(
        ["Where is the cat?", "Who went to a bank?", "¿La bicicleta?"]
    ):
        assert int(np.argmax(embedder.embed(said) @ embedder.embed_query(question))) == place
