import json

import pytest

from bench.annotations.labelled_messages import load
from unabridged.domain.intent import Intent
from unabridged.errors import BadRecordError, TransferError

WANTED = [(Intent.CASUAL, "hi, you"), (Intent.SUMMARY, "catch me up")]
PAIRS = [("casual", "hi, you"), ("summary", "catch me up")]


@pytest.mark.parametrize(
    "text",
    [
        "intent\ttext\n" + "".join(f"{label}\t{words}\n" for label, words in PAIRS),
        "\ufeffcasual\thi, you\r\n\r\nsummary\tcatch me up\r\n",
        'message,label\n"hi, you",casual\ncatch me up,Summary\n',
        "\n".join(json.dumps({"intent": label, "text": words}) for label, words in PAIRS),
        json.dumps([{"label": label, "query": words} for label, words in PAIRS], indent=1),
        json.dumps({"about": "x", "messages": [{"expected": a, "message": b} for a, b in PAIRS]}),
    ],
    ids=["tsv", "tsv of Windows", "csv", "json lines", "json array", "json object"],
)
def test_every_form_gives_the_same(tmp_path, text):
    path = tmp_path / "messages"
    path.write_bytes(text.encode())
    assert load(path) == WANTED


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("", TransferError, "no labelled message"),
        ("lively\thello\n", BadRecordError, "'lively'"),
        ('{"intent": "casual"}\n', BadRecordError, "no message"),
        ('{"text": "hello"}\n', BadRecordError, "labelled ''"),
        ('{"intent": "casual", "text": "a"}\n{broken\n', BadRecordError, "Line 2 is not JSON"),
    ],
)
def test_what_cannot_be_read_says_where(tmp_path, text, error, said):
    path = tmp_path / "messages"
    path.write_text(text)
    with pytest.raises(error, match=said) as raised:
        load(path)
    assert raised.value.hint


def test_a_file_that_is_not_there_is_a_typed_error(tmp_path):
    with pytest.raises(TransferError, match="missing"):
        load(tmp_path / "missing")
