"""The rules on messages written for these tests: what is stated, and what only looks like it."""

import pytest

from unabridged.knowledge.fact_rules import VERSION, draw, extract


def drawn(text):
    return [(d.subject, d.attribute, d.value) for d in draw(text)]


STATED = [
    ("My name is Ann Lee.", ("user", "name", "Ann Lee")),
    ("Hi, I'm Tom! Nice to meet you.", ("user", "name", "Tom")),
    ("I'm 32 years old and new here.", ("user", "age", "32")),
    ("I just turned 40.", ("user", "age", "40")),
    ("My birthday is on May 3rd.", ("user", "birthday", "May 3rd")),
    ("I live in Berlin with two friends.", ("user", "lives in", "Berlin")),
    ("I recently moved from Rome to Paris.", ("user", "lives in", "Paris")),
    ("I moved to Paris last week.", ("user", "lives in", "Paris")),
    ("i live in berlin", ("user", "lives in", "berlin")),
    ("I used to live in Rome.", ("user", "lived in", "Rome")),
    ("I don't live in Berlin.", ("user", "does not live in", "Berlin")),
    ("I'm married to Tom.", ("user", "partner", "Tom")),
    ("My email is ann@example.org.", ("user", "email", "ann@example.org")),
    ("I'm an engineer at Google.", ("user", "works as", "engineer")),
    ("I'm an engineer at Google.", ("user", "works at", "Google")),
    ("I don't like tea anymore.", ("user", "dislikes", "tea")),
    ("We have two kids.", ("user", "number of kids", "two")),
    ("I've been vegan for 3 years.", ("user", "diet", "vegan")),
    ("My parents live in Kyoto.", ("parents", "lives in", "Kyoto")),
    ("My grandmother died last week.", ("grandmother", "did", "died last week")),
    ("I lost my job.", ("user", "did", "lost my job")),
    ("My cat is 3 years old.", ("cat", "age", "3 years old")),
    ("I weigh 80 kg.", ("user", "weight", "80 kg")),
    ("I'm originally from Ghana.", ("user", "is from", "Ghana")),
    ("I'm a nurse and often tired.", ("user", "works as", "nurse")),
    ("I work as a data scientist.", ("user", "works as", "data scientist")),
    ("I work at Siemens.", ("user", "works at", "Siemens")),
    ("I'm studying marine biology.", ("user", "studies", "marine biology")),
    ("I'm a vegetarian.", ("user", "diet", "vegetarian")),
    ("I'm vegan, so no cheese please.", ("user", "diet", "vegan")),
    ("I'm allergic to peanuts.", ("user", "allergic to", "peanuts")),
    ("I've been diagnosed with asthma.", ("user", "health", "asthma")),
    ("My favorite color is teal.", ("user", "favourite colour", "teal")),
    ("I love hiking.", ("user", "likes", "hiking")),
    ("I hate cilantro.", ("user", "dislikes", "cilantro")),
    ("I don't like crowded places.", ("user", "dislikes", "crowded places")),
    ("I prefer tea to coffee.", ("user", "prefers", "tea to coffee")),
    ("I play the cello.", ("user", "plays", "cello")),
    ("I have a dog named Rex.", ("user", "dog", "Rex")),
    ("I have 3 cats.", ("user", "number of cats", "3")),
    ("I drive a Toyota Corolla.", ("user", "has", "a Toyota Corolla")),
    ("I don't have a car.", ("user", "does not have", "a car")),
    ("I no longer live in Berlin.", ("user", "no longer lives in", "Berlin")),
    ("My sister Anna lives in Oslo.", ("sister Anna", "lives in", "Oslo")),
    ("My mom loves orchids.", ("mom", "likes", "orchids")),
    ("My brother is 19.", ("brother", "age", "19")),
    ("What should I cook for my husband Paul?", ("user", "husband", "Paul")),
    (
        "I graduated from Ohio State in 2015.",
        ("user", "education", "graduated from Ohio State in 2015"),
    ),
    (
        "I visited the Louvre in May.",
        ("user", "did", "visited the Louvre in May"),
    ),
    (
        "I'm flying to Lisbon next week.",
        ("user", "plan", "flying to Lisbon next week"),
    ),
    (
        "I go running every morning.",
        ("user", "habit", "go running every morning"),
    ),
    ("Ich heiße Jana und wohne hier.", ("user", "name", "Jana")),
    ("Ich wohne in Hamburg.", ("user", "lives in", "Hamburg")),
    ("Ich bin 45 Jahre alt.", ("user", "age", "45")),
    ("Ich arbeite als Lehrerin.", ("user", "works as", "Lehrerin")),
    ("Ich mag Käse.", ("user", "likes", "Käse")),
    ("Ich bin allergisch gegen Nüsse.", ("user", "allergic to", "Nüsse")),
    ("Me llamo Pedro.", ("user", "name", "Pedro")),
    ("Vivo en Madrid.", ("user", "lives in", "Madrid")),
    ("Tengo 30 años.", ("user", "age", "30")),
    ("Me gusta el chocolate.", ("user", "likes", "el chocolate")),
    ("Soy alérgica a los cacahuetes.", ("user", "allergic to", "los cacahuetes")),
    ("Je m'appelle Claire.", ("user", "name", "Claire")),
    ("J'habite à Lyon.", ("user", "lives in", "Lyon")),
    ("J'ai 28 ans.", ("user", "age", "28")),
    ("J'aime le fromage.", ("user", "likes", "le fromage")),
    ("Je suis allergique aux noix.", ("user", "allergic to", "noix")),
]


@pytest.mark.parametrize(
    ("text", "wanted"), STATED, ids=[f"{text} {wanted[1]}" for text, wanted in STATED]
)
def test_what_is_stated_is_drawn_word_for_word(text, wanted):
    assert wanted in drawn(text)
    assert all(d.quote in text for d in draw(text))


NOT_STATED = [
    "If I had a dog named Rex, I would walk more.",
    "I would like to live in Berlin.",
    "I wish I lived in Paris.",
    "Maybe I live in Berlin.",
    "Do I live in Berlin?",
    "Should I tell them that I live in Berlin?",
    'He said "I live in Berlin and I love cats."',
    "My friend says I live in Berlin too much.",
    "Pretend you are a doctor. I am a nurse.",
    "```\nI live in Berlin.\n```",
    "> I live in Berlin.",
    "Translate the following text:\nI live in Berlin. My name is Ann.",
    "Imagine that I live in Berlin.",
    "I have a question.",
    "I have a feeling that this is wrong.",
    "I love your idea.",
    "I love that!",
    "I hate myself for not being there.",
    "I love the idea.",
    "I'm 5 minutes late.",
    "The book I bought last month is good.",
    "Write a story in which I live in Berlin.",
    "Ann: I live in Berlin.\nBob: I live in Rome.\nAnn: Oh.",
    "I might be allergic to nuts.",
    "Explain it like I'm 5.",
    "Wenn ich in Hamburg wohne, brauche ich ein Fahrrad.",
    "I'm a big believer in this.",
    "I'm Happy.",
    "I won't give up, Gina.",
    "I really want to do yoga every day.",
    "I'm running a bit behind today.",
    "That is where I usually hold my tension.",
    "Let's play: I am a knight and I live in a castle.",
    "In my dream I live in Paris.",
]


@pytest.mark.parametrize("text", NOT_STATED)
def test_what_only_looks_like_it_is_not_drawn(text):
    assert drawn(text) == []


def test_a_question_states_what_stands_before_it_and_its_reason():
    assert ("user", "lives in", "Berlin") in drawn("I live in Berlin, do you know a good cafe?")
    assert ("user", "diet", "vegan") in drawn("Can you find a cafe, since I'm vegan?")
    assert drawn("Do you know a cafe if I live in Berlin?") == []


def test_a_correction_says_so():
    (found,) = draw("Actually, I live in Bonn.")
    assert found.corrects
    (found,) = draw("I live in Bonn.")
    assert not found.corrects


def test_two_persons_talk_names_who_speaks():
    (found,) = draw("Caroline: I love hiking.")
    assert (found.subject, found.text) == ("Caroline", "Caroline: I love hiking")
    (found,) = draw("Caroline: My sister Eve lives in Rome.")[1:] or [None]
    assert found.subject == "Caroline's sister Eve"


def test_a_title_keeps_its_quotation_marks():
    (found,) = draw('I\'m currently reading "Dune", it is long.')
    assert found.quote == 'I\'m currently reading "Dune"'
    assert found.value == "Dune"


def test_only_the_user_is_believed(talk):
    exchange = talk.say("Thanks!", answer="I live in Berlin. My name is Bot.")
    assert extract(exchange) == []
    (found,) = extract(talk.say("I live in Berlin."))
    assert (found.by, found.quote) == (VERSION, "I live in Berlin")


def test_long_pasted_text_is_passed_over():
    pasted = "I live in Berlin. " * 120
    assert draw("Summarize this:\n" + pasted) == []
    assert draw("\n".join(f"line {n} of my log, I live in Rome." for n in range(20))) == []


@pytest.mark.parametrize("size", [1_000, 20_000])
def test_hostile_lengths_end(size):
    for text in ("I " * size, "I have a " + "very " * size, "my " * size + "Ann", "I" + "'" * size):
        draw(text)


def test_a_pet_with_its_name_is_one_fact():
    (found,) = draw("I have a dog named Rex.")
    assert (found.attribute, found.text) == ("dog", "I have a dog named Rex")
