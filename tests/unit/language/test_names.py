import pytest

from unabridged.language.calendar import dates_in
from unabridged.language.names import names_in, numbers_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Yesterday Alice met Bob Smith in New York.", {"alice", "bob smith", "new york"}),
        ("Running is fun. The sea is near. It rains.", set()),
        ("I like Ada. Ada ran home.", {"ada"}),
        ("Dr. Meyer's cat sat with Jean-Luc.", {"meyer", "jean-luc"}),
        ("Caroline: Hi Melanie!", {"caroline", "melanie"}),
        ("The Bank of America uses PostgreSQL and NASA data.", {"bank of america", "postgresql", "nasa"}),
        ('I read "the old man" on Friday in May.', {"the old man"}),
        ("Then I told Tom's mom what I'd seen.", {"tom"}),
        ("Ich trinke mit dem Hund einen Kaffee und ich bin in Berlin bei Herr Schmidt.", {"berlin", "herr schmidt"}),
        ("Вчера Анна Петрова поехала в Москву.", {"анна петрова", "москву"}),
        ("田中さんは「君の名は」を見た。王小明先生", {"田中", "君の名は", "王小明"}),
        ("THIS IS ALL WRONG", set()),
        ("", set()),
    ],
)  # fmt: skip
def test_names(text, names):
    assert names_in(text) == names


def test_a_word_at_the_beginning_alone_is_no_name():
    assert names_in("Rowan went home.") == set()


def test_numbers_have_one_form():
    assert numbers_in("3,500 apples, $20.50, 1.234.567, 12,5 and 07") == {
        "3500", "20.5", "1234567", "12.5", "7",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("on May 8, 2023 at 7 pm", {"2023-05-08", "19:00"}),
        ("8th of May 2023, 19:30", {"2023-05-08", "19:30"}),
        ("2023-05-08 and 5/8/2023 and 8.5.2023", {"2023-05-08"}),
        ("am 3. Mai um 8 Uhr", {"05-03", "08:00"}),
        ("le 14 juillet 1789, mardi", {"1789-07-14", "tuesday"}),
        ("el 3 de enero de 2020", {"2020-01-03"}),
        ("в пятницу 8 мая 2023 г.", {"2023-05-08", "friday"}),
        ("2023年5月8日星期一", {"2023-05-08", "monday"}),
        ("every Friday in August", {"friday", "08"}),
        ("you may march on", set()),
        ("12 noon of 45/99/2020", set()),
    ],
)
def test_dates_have_one_form(text, dates):
    assert dates_in(text) == dates
