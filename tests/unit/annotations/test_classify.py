import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from unabridged.annotations.classify import RuleClassifier
from unabridged.annotations.schemes import SCHEMES, scheme_from
from unabridged.domain.message import Role
from unabridged.embeddings.static import StaticEmbedder

LABELLED = Path(__file__).parents[2] / "fixtures" / "categories"

# The test conversation of the seed (EMM, phase 4).
SEED = {
    "standard": """
        I walk down the hallway.
        I open the door.
        I look around.
        I pick up the torch.
        I continue forward.
    """,
    "world_building": """
        The castle was built 500 years ago.
        It uses ancient dwarven architecture.
        The stones are imported from the northern mountains.
        Local legends speak of hidden passages.
    """,
    "character_focused": """
        My name is Aldric, son of Theron.
        I trained as a paladin in the Silver Order.
        My sacred oath binds me to protect the innocent.
        I carry my father's blessed sword.
        My greatest fear is failing those who depend on me.
    """,
    "story_critical": """
        The Dark Lord has returned to threaten the realm.
        Only the Sword of Dawn can defeat him.
        You are the chosen hero of the prophecy.
    """,
}


@pytest.fixture(scope="module")
def embedder():
    return StaticEmbedder()


def labelled(scheme, split):
    lines = (LABELLED / f"{scheme}.tsv").read_text("utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return [(Role(r[1]), r[3].replace("\\n", "\n"), r[2]) for r in rows if r[0] == split]


def read(classifier, *texts, role=Role.USER):
    return [r.category if r else None for r in classifier.classify([(role, t) for t in texts])]


def test_the_seeds_messages_are_read_as_it_says(embedder):
    texts = [(t.strip(), name) for name, some in SEED.items() for t in some.strip().splitlines()]
    found = read(RuleClassifier(SCHEMES["story"], embedder), *(text for text, _ in texts))
    assert len(texts) == 17
    assert [(t, r) for (t, name), r in zip(texts, found, strict=True) if r != name] == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("examples", "least"), [(True, 0.85), (False, 0.8)])
def test_most_messages_are_read_as_a_person_labelled_them(scheme, examples, least, embedder):
    classifier = RuleClassifier(SCHEMES[scheme], embedder if examples else None)
    for split in ("dev", "heldout"):
        rows = labelled(scheme, split)
        found = classifier.classify([(role, text) for role, text, _ in rows])
        right = sum(r.category == row[2] for r, row in zip(found, rows, strict=True))
        assert right / len(rows) >= least


def test_important_categories_are_more_important(embedder):
    for name, made in SCHEMES.items():
        found = defaultdict(list)
        rows = labelled(name, "dev") + labelled(name, "heldout")
        for reading, row in zip(
            RuleClassifier(made, embedder).classify([row[:2] for row in rows]), rows, strict=True
        ):
            assert 0 <= reading.importance <= 1
            found[row[2]].append(reading.importance)
        means = {
            each.name: sum(found[each.name]) / len(found[each.name]) for each in made.categories
        }
        assert means[made.categories[0].name] > means[made.fallback] + 0.3


def test_a_message_is_read_the_same_whatever_stands_beside_it(embedder):
    classifier = RuleClassifier(SCHEMES["assistant"], embedder)
    texts = [(role, text) for role, text, _ in labelled("assistant", "dev")]
    together = classifier.classify(texts)
    assert [classifier.classify([each])[0] for each in texts] == together
    assert classifier.classify(texts[::-1])[::-1] == together


def test_nothing_hangs_on_threads_or_on_the_order_of_sets():
    code = (
        "from unabridged.annotations.classify import RuleClassifier\n"
        "from unabridged.annotations.schemes import SCHEMES\n"
        "from unabridged.embeddings.static import StaticEmbedder\n"
        "texts = [('user', 'I was so happy when Ida moved to Oslo.'), ('assistant', 'Great news!')]\n"
        "print(RuleClassifier(SCHEMES['companion'], StaticEmbedder()).classify(texts))\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, threads in (("1", "1"), ("2", "2"))
    }
    assert len(said) == 1


def test_who_speaks_is_no_part_of_what_is_said():
    classifier = RuleClassifier(SCHEMES["assistant"])
    assert read(classifier, "Maria Lopez: Thanks!", "Sam: I live in Graz.") == [
        "small_talk", "personal_fact",
    ]  # fmt: skip


def test_without_words_there_is_no_reading(embedder):
    assert read(RuleClassifier(SCHEMES["assistant"], embedder), "", "  \n ", "Hello!") == [
        None, None, "small_talk",
    ]  # fmt: skip
    assert RuleClassifier(SCHEMES["assistant"], embedder).classify([]) == []


def test_what_matters_in_a_long_message_is_not_blurred(embedder):
    classifier = RuleClassifier(SCHEMES["assistant"], embedder)
    chat = "Hello there! Nice to talk to you again. "
    assert read(classifier, chat + "We decided to move the launch to March.") == ["decision"]
    assert read(classifier, chat) == ["small_talk"]


def test_what_others_say_is_less_easily_about_the_user(embedder):
    classifier = RuleClassifier(SCHEMES["assistant"], embedder)
    advice = (
        "Rent in that part of town is high. You should be able to find a flat with a garden further "
        "out. The bus takes twenty minutes, and the tram is faster."
    )
    assert read(classifier, advice, role=Role.ASSISTANT) == ["information"]


def test_who_judged_is_said(embedder):
    (reading,) = RuleClassifier(SCHEMES["story"]).classify([(Role.USER, "I nod.")])
    assert reading.by == "rules:1"
    (reading,) = RuleClassifier(SCHEMES["story"], embedder).classify([(Role.USER, "I nod.")])
    assert reading.by == f"rules:1/{embedder.identity}"
    assert set(reading.scores) == {each.name for each in SCHEMES["story"].categories}
    assert all(0 <= score <= 1 for score in reading.scores.values())


def test_a_scheme_of_ones_own_works_by_its_words():
    made = scheme_from(
        {
            "name": "garden",
            "fallback": "talk",
            "categories": {"sowing": {"keep": 0.9, "cues": ["sowed"]}, "talk": {"keep": 0.1}},
        }
    )
    assert read(RuleClassifier(made), "Yesterday I sowed beans.", "It rained.") == [
        "sowing",
        "talk",
    ]


def test_languages(embedder):
    classifier = RuleClassifier(SCHEMES["assistant"], embedder)
    found = read(
        classifier,
        "Wir haben beschlossen, im Mai umzuziehen.",
        "Ich wohne in Wien und arbeite als Köchin.",
        "Hemos decidido vender el coche.",
        "J'habite à Lyon avec mon mari.",
        "我住在上海。",
        "今天天气怎么样？",
        "ありがとう！",
    )
    assert found == [
        "decision", "personal_fact", "decision", "personal_fact", "personal_fact", "question",
        "small_talk",
    ]  # fmt: skip
