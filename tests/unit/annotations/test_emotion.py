from pathlib import Path

import pytest

from unabridged.annotations.emotion import STRONG, EmotionAnalyzer, feel
from unabridged.embeddings.static import StaticEmbedder

LABELLED = Path(__file__).parents[2] / "fixtures" / "feelings" / "messages.tsv"


@pytest.fixture(scope="module")
def feelings():
    return EmotionAnalyzer(StaticEmbedder())


def labelled():
    rows = [line.split("\t") for line in LABELLED.read_text("utf-8").splitlines()[1:]]
    return [(row[0], row[1], row[2]) for row in rows]


def test_strong_messages_are_strong_and_plain_ones_are_not(feelings):
    rows = labelled()
    felt = feelings.feel([text for *_, text in rows])
    found = {"strong": [], "plain": [], "middle": []}
    for (kind, _, _), (_, intensity) in zip(rows, felt, strict=True):
        found[kind].append(intensity)
    assert sum(each > STRONG for each in found["strong"]) >= 22
    assert sum(each < 0.4 for each in found["plain"]) >= 28
    assert not any(each > STRONG for each in found["plain"])
    assert not any(each > STRONG for each in found["middle"])


def test_good_and_bad_lie_on_their_sides(feelings):
    rows = [row for row in labelled() if row[1] != "neither"]
    felt = feelings.feel([text for *_, text in rows])
    right = sum((v > 0.5) == (row[1] == "good") for row, (v, _) in zip(rows, felt, strict=True))
    assert right >= len(rows) - 2


@pytest.mark.parametrize(
    ("text", "valence", "intensity"),
    [
        ("", 0.5, 0.0),
        ("I went to the shop.", 0.5, 0.0),
        ("```\nraise HorribleError()\n```", 0.5, 0.0),
    ],
)
def test_what_says_nothing_feels_like_nothing(text, valence, intensity):
    assert feel(text) == (valence, intensity)


def test_what_turns_strengthens_and_weakens_a_word():
    sad, not_sad = feel("I am sad."), feel("I am not sad.")
    assert sad[0] < 0.5 < not_sad[0]
    assert not_sad[1] < sad[1]
    assert feel("I am so sad.")[1] > sad[1] > feel("I am a bit sad.")[1]
    assert feel("I am sad!!!")[1] > feel("I am sad!")[1] > sad[1]
    assert feel("This is HORRIBLE news for me.")[1] > feel("This is horrible news for me.")[1]


def test_who_speaks_of_himself_feels_more_than_a_report():
    assert feel("My brother died in the war.")[1] > feel("The king died in the war.")[1]


def test_kind_words_do_not_add_up_to_a_strong_feeling(feelings):
    kind = "That's great, good luck, I hope you enjoy it, thank you, dear friend!!!"
    assert feelings.feel([kind])[0][1] <= STRONG


def test_a_turn_of_phrase_counts_as_a_whole():
    assert feel("I'd love to hear more.")[1] < 0.2 < feel("I love you.")[1]
    assert feel("I am over the moon.")[0] > 0.9


def test_the_strongest_sentence_makes_the_intensity(feelings):
    long = "The train left at nine. " * 10
    ((_, plain), (valence, strong)) = feelings.feel([long, long + "I am devastated, she died."])
    assert plain < 0.3
    assert strong > STRONG
    assert valence < 0.5


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("Ich bin so traurig und verzweifelt.", False),
        ("Estoy muy feliz.", True),
        ("Je suis furieux.", False),
        ("我很开心", True),
        ("とても悲しい", False),
        ("😭💔", False),
        ("🎉🥳", True),
    ],
)
def test_languages_and_emoji(text, good):
    valence, intensity = feel(text)
    assert (valence > 0.5) is good
    assert intensity > 0.4


def test_texts_are_felt_each_for_itself(feelings):
    texts = [text for *_, text in labelled()]
    together = feelings.feel(texts)
    assert [feelings.feel([text])[0] for text in texts] == together
    assert all(0 <= v <= 1 and 0 <= a <= 1 for v, a in together)
    assert feelings.feel([]) == []


def test_meaning_counts_where_no_word_of_the_table_stands(feelings):
    text = "They lowered the coffin into the ground."
    assert feel(text)[0] == 0.5
    assert feelings.feel([text])[0][0] < 0.45


@pytest.mark.parametrize(
    ("feeling", "words"),
    [
        ("fear", "afraid scared frightened terrified"),
        ("joy", "happy joyful excited thrilled"),
        ("anger", "angry furious mad rage"),
        ("sadness", "sad sorrowful depressed melancholy"),
        ("surprise", "surprised shocked amazed astonished"),
    ],
)
def test_every_word_of_the_seed_feels_as_it_says(feeling, words):
    """EMM's words for emotions (its step 3.2)."""
    for word in words.split():
        valence, intensity = feel(f"I am {word}.")
        assert intensity > 0.3, word
        if feeling != "surprise":
            assert (valence > 0.5) == (feeling == "joy"), word
