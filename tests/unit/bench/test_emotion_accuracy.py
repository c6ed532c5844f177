from pathlib import Path

import pytest

from bench.annotations.emotion_accuracy import RatedSentence, load, pearson, run
from unabridged.errors import BadRecordError, TransferError

EMOBANK = Path(__file__).parents[4] / "shared" / "data" / "emobank"
RATED = [
    RatedSentence("I am furious and I hate you!", 1.2, 4.6),
    RatedSentence("She died and I cannot stop crying.", 1.1, 4.2),
    RatedSentence("We won, this is amazing!", 4.8, 4.5),
    RatedSentence("The office is on the second floor.", 3.0, 2.0),
    RatedSentence("He reads the paper at the table.", 3.1, 2.1),
    RatedSentence("It was a quiet and pleasant afternoon.", 3.9, 1.8),
]


def test_pearson_is_what_the_formula_says():
    assert pearson([1, 2, 3], [2, 4, 6]) == 1.0
    assert pearson([1, 2, 3], [6, 4, 2]) == -1.0
    assert pearson([1, 2, 3, 4], [1, 3, 2, 4]) == 0.8
    assert pearson([1, 1, 1], [1, 2, 3]) is None


def test_every_way_is_measured():
    rows = {row["way"]: row for row in run(RATED)}
    assert list(rows) == ["marks", "words", "meaning", "both"]
    assert rows["marks"]["valence"] is None
    assert rows["both"]["valence"] > 0.8
    assert rows["both"]["arousal"] > 0.8
    assert 0 < rows["both"]["arousal_error"] < 1
    assert rows["both"]["sentences"] == 6
    assert 0 < rows["both"]["strong"] < 1


def test_sentences_are_read_from_a_file_or_its_folder(tmp_path):
    path = tmp_path / "emobank.csv"
    path.write_text('id,split,V,A,D,text\na,dev,3.5,2.0,3,"Fine, ""thanks""."\n', "utf-8")
    assert load(path) == load(tmp_path) == [RatedSentence('Fine, "thanks".', 3.5, 2.0)]


def test_what_cannot_be_read_is_said(tmp_path):
    path = tmp_path / "x.csv"
    with pytest.raises(TransferError, match="cannot be read"):
        load(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(TransferError, match="no rated sentences"):
        load(path)
    path.write_text("V,A,text\n3,2,ok\nlow,2,bad\n")
    with pytest.raises(BadRecordError, match="Line 3"):
        load(path)


@pytest.mark.data
def test_words_and_meaning_together_beat_each_alone_on_emobank():
    if not EMOBANK.exists():
        pytest.skip("EmoBank does not lie beside the checkout")
    rows = {row["way"]: row for row in run(load(EMOBANK)[::4])}
    assert rows["both"]["valence"] > max(rows["words"]["valence"], rows["meaning"]["valence"])
    assert rows["both"]["valence"] > 0.52
    assert rows["both"]["arousal"] > rows["marks"]["arousal"]
    assert rows["both"]["arousal"] > rows["words"]["arousal"] + 0.05
