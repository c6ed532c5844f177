import pytest

from unabridged.language.sentences import RULES, sentences


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("Dr. Meyer came at 5 p.m. today. He left.", 2),
        ("我喜欢奶酪。你呢？好！", 3),
        ("これはペンです。それは本です。", 2),
        ("1. first item\n2. second item\n", 2),
        ("Look:\n```\na. b. c.\nd\n```\nDone.", 3),
        ("Pi is 3.14 and e is 2.72. Yes.", 2),
        ("", 0),
    ],
)
@pytest.mark.parametrize("rules", [1, RULES])
def test_sentences_end_where_people_end_them(text, count, rules):
    assert len(sentences(text, rules)) == count
    assert "".join(sentences(text, rules)) == text


@pytest.mark.parametrize(
    "text",
    [
        "I met George W. Bush.|He was nice.",
        "So do I.|Take vitamin C.|Then rest.",
        "Mrs. Lee and Prof. Dr. Okafor came at 5 p.m. and left at 9 p.m.|Nobody minded.",
        "See Fig. 3 and pp. 12 to 14.|No. 5 is alive.|No.|I don't.",
        "i went home. |then i slept.",
        'He said: "I go.|You stay."|Then he left.',
        '"Really?" she asked.|"Yes!"|Good.',
        "Well... maybe not.|Wait...|What?!|Yes.",
        "It was fun.[1]|**It was bold.**|(It was not.)|Fine.",
        "Great! 😀|Next one.",
        "Open main.py. |Then see https://a.b/c.html?d=e.f for v2.0.1 of it.|Done.",
        "Am 3. Mai kam Frau Dr. Weiß z. B. mit Äpfeln usw. und lachte.|Ich kaufte 3.|Dann ging ich.",
        "M. Dupont habite à Paris, etc.|Mme. Curie aussi.",
        "El Sr. García y la Dra. Ruiz llegaron.|¿Y tú?|¡Bien!",
        "Il sig. Rossi arriva, ecc. ecc.|Poi parte.",
        "O Sr. Silva chegou.|Ele saiu.",
        "Dhr. De Vries komt bijv. morgen.|Of niet.",
        "А. С. Пушкин родился в 1799 г. в Москве.|Он писал стихи, прозу и т. д.|Всё.",
        "Ks. Nowak przyszedł ok. 5 osób itd. razem.|Potem wyszedł.",
        "我喜欢奶酪。|你呢？|「好！」|她说。",
        "मैं जाता हूँ।|वह आती है।",
        "هل أنت هنا؟|نعم.|حسنا.",
        "ผมชอบกินข้าว แล้วก็ไปนอน",
        "# A heading\n|- one. |Two.\n|- three\n",
        "a. first\n|b. second\n",
        "\n\nThis line was wrapped by a mail program of the old days and\ngoes on here.|Yes.",
        "One. |[…]|Two |[…]|[…]|and three.|[…]",
        "Dear all,\n\n|milk\n|eggs\n",
    ],
)
def test_every_language_has_its_stops(text):
    expected = [piece.strip() for piece in text.split("|")]
    whole = text.replace("|", "" if any(c in text for c in "。।") else " ").replace("\n ", "\n")
    found = sentences(whole)
    assert [piece.strip() for piece in found] == expected
    assert "".join(found) == whole


def test_what_was_stored_by_the_first_rules_keeps_its_numbers():
    text = "This line was wrapped by a mail program of the old days and\ngoes on. J. R. came."
    assert len(sentences(text, 1)) == 3
    assert len(sentences(text)) == 2
    with pytest.raises(KeyError):
        sentences(text, 99)
