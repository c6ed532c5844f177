import pytest

from unabridged.budget.complexity import complexity
from unabridged.domain.budget import Mode

SEED = (
    "Analyze this code file, explain the architecture, identify issues, "
    "and suggest detailed improvements"
)
SEED_TEST = "Analyze this code, explain architecture, and suggest improvements"


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    "text", ["hi", "Hi!", "hello", "", " ", "ok", "thanks", "你好", "merci !", "👍"]
)
def test_greetings_ask_for_little(text, mode):
    assert complexity(text, mode) <= 0.1


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    "text",
    [
        SEED,
        "Analysiere diesen Code, erkläre die Architektur, finde Probleme und schlage "
        "detaillierte Verbesserungen vor",
        "Analyse ce code, explique l'architecture et propose des améliorations détaillées",
        "Analiza este código, explica la arquitectura y sugiere mejoras detalladas",
        "请分析这段代码，解释架构，指出问题，并提出详细的改进建议",
        "このコードを分析し、アーキテクチャを説明し、詳細な改善を提案してください",
    ],
)
def test_the_seeds_example_asks_for_much_in_every_language(text, mode):
    assert 0.7 <= complexity(text, mode) <= 1


@pytest.mark.parametrize("mode", Mode)
def test_the_seeds_test_message_asks_for_more_than_hi(mode):
    assert complexity(SEED_TEST, mode) > 0.5 > complexity("hi", mode)


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("What is the capital of France?", "Why is Paris the capital of France?"),
        ("Explain TCP briefly", "Explain TCP in depth"),
        ("Explain TCP", "Explain TCP and compare it with UDP"),
        ("Who? ", "Who? When? Where?"),
        ("Write a test", "Write:\n- a test\n- a fixture\n- a mock\n"),
        ("Fix it", "Fix it\n```\nx = 1\n```"),
        ("word " * 5, "word " * 200),
    ],
)
def test_what_raises_the_score(less, more):
    assert complexity(less, Mode.CHAT) < complexity(more, Mode.CHAT)


def test_tools_mode_asks_for_more_but_not_in_a_greeting():
    assert complexity("write a parser", Mode.TOOLS) > complexity("write a parser", Mode.CHAT)
    assert complexity("hi", Mode.TOOLS) == complexity("hi", Mode.CHAT)


def test_a_request_at_the_end_of_a_long_paste_is_seen():
    paste = "lorem ipsum dolor " * 6_000
    asked = complexity(paste + SEED, Mode.CHAT)
    assert asked > complexity(paste, Mode.CHAT)


@pytest.mark.parametrize("text", ["\ud800", "\x00", "?" * 10_000, "a" * 200_000, "写" * 9_999])
def test_odd_text_still_has_a_score(text):
    assert 0 <= complexity(text, Mode.TOOLS) <= 1
