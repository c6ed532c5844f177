import json
from datetime import UTC, datetime
from sys import getrefcount

import pytest

from unabridged.budget.calibration import LEAST_MARGIN, TEMPLATE, Calibration
from unabridged.budget.count import IMAGE_TOKENS, Counter
from unabridged.domain.chat import ToolSpec
from unabridged.domain.message import Image, Message, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.tokens.tiktoken import TiktokenTokenizer

AT = datetime(2026, 1, 1, tzinfo=UTC)


def message(*parts, **fields):
    return Message("m", Role.USER, parts, AT, **fields)


def learned(counts, reported, times=20):
    found = Calibration(tokenizer="estimate-2")
    for _ in range(times):
        found = found.learn(counts, reported)
    return found


def test_nothing_learned_changes_nothing():
    fresh = Calibration()
    assert fresh.neutral
    assert fresh.apply({"latin": 10.2, "marks": 1.0}) == 12
    assert fresh.margin_share() == 0.05


def test_it_learns_what_a_prompt_costs():
    counts = {"latin": 900.0, "cjk": 600.0, TEMPLATE: 40.0}
    found = learned(counts, 1_150)
    assert found.predict(counts) == pytest.approx(1_150, rel=0.01)
    assert 1_150 <= found.apply(counts) <= 1_150 * 1.04
    assert found.ratios["cjk"] < found.ratios["latin"]
    assert found.margin_share() < 0.05


def test_classes_are_told_apart_by_different_prompts():
    found = Calibration()
    for share in (0.1, 0.9, 0.3, 0.7, 0.5) * 4:
        counts = {"latin": 1_000 * share, "cjk": 1_000 * (1 - share)}
        found = found.learn(counts, round(counts["latin"] * 0.95 + counts["cjk"] * 0.5))
    assert found.ratios["latin"] == pytest.approx(0.95, abs=0.03)
    assert found.ratios["cjk"] == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("reported", [0, -5, 60, 5_000])
def test_impossible_reports_are_ignored(reported):
    counts = {"latin": 1_000.0}
    found = learned(counts, 950).learn(counts, reported)
    assert found.ratios == learned(counts, 950).ratios
    assert found.ignored == 1


def test_one_odd_report_moves_little():
    counts = {"latin": 1_000.0}
    found = learned(counts, 950)
    assert found.learn(counts, 700).predict(counts) == pytest.approx(950, rel=0.05)


def test_ratios_stay_within_their_bounds():
    found = Calibration()
    for _ in range(30):
        found = found.learn({"latin": 10.0, "hangul": 1_000.0}, 160)
    assert 0.15 <= found.ratios["hangul"] <= 0.2
    assert 0.65 <= found.ratios["latin"] <= 1.5


def test_the_margin_grows_back_when_counts_go_wrong():
    counts = {"latin": 1_000.0}
    steady = learned(counts, 950, times=30)
    assert steady.margin_share() == LEAST_MARGIN
    shaken = steady
    for reported in (1_050, 900, 1_040):
        shaken = shaken.learn(counts, reported)
    assert shaken.margin_share() > 0.03


def test_under_an_exact_tokenizer_only_the_template_is_learned():
    found = Calibration(tokenizer="t", exact=True)
    for _ in range(10):
        found = found.learn({"latin": 1_000.0, TEMPLATE: 50.0}, 1_080)
    assert "latin" not in found.ratios
    assert found.ratios[TEMPLATE] == pytest.approx(1.6, abs=0.1)
    assert found.neutral


def test_the_template_may_be_given_apart():
    one = Calibration().learn({"latin": 500.0}, 560, template=40)
    other = Calibration().learn({"latin": 500.0, TEMPLATE: 40.0}, 560)
    assert one == other


def test_it_survives_a_record():
    found = learned({"latin": 900.0, "emoji": 80.0}, 950)
    body = json.loads(json.dumps(found.to_body()))
    assert Calibration.from_body(body) == found


@pytest.mark.parametrize("body", [{}, {"ratios": 3}, {**Calibration().to_body(), "ratios": None}])
def test_a_body_that_is_none_is_refused(body):
    with pytest.raises(ValueError, match="no calibration"):
        Calibration.from_body(body)


def test_what_was_learned_under_another_tokenizer_is_passed_over():
    found = learned({"latin": 1_000.0}, 800)
    counter = Counter(TiktokenTokenizer(), found)
    assert counter.calibration.reports == 0
    assert Counter(EstimateTokenizer(), found).calibration is found


def test_parts_of_a_message():
    counter = Counter(EstimateTokenizer())
    words = counter.text("hello there")
    assert counter.parts(message(Text("hello there"))) == words
    assert counter.parts(message(Text("hello there"), Reasoning("long " * 99))) == words
    assert counter.parts(message(Image("data:image/png;base64,AAAA"))) == IMAGE_TOKENS
    call = counter.parts(message(ToolCall("1", "search", '{"query": "hello there"}')))
    assert call > counter.text('{"query": "hello there"}')
    result = counter.parts(message(ToolResult("1", "search", "hello there")))
    assert result > words


def test_counting_holds_no_words():
    counter, words = Counter(EstimateTokenizer()), AT.strftime("a secret of %Y")
    before = getrefcount(words)
    first = counter.parts(message(Text(words)))
    assert counter.parts(message(Text(words))) == first
    assert getrefcount(words) == before


def test_a_prompt_is_the_sum_of_what_is_in_it():
    counter = Counter(EstimateTokenizer())
    tool = ToolSpec("now", "The time.", {"type": "object", "properties": {}})
    both = [message(Text("hello there")), message(Text("Grüße aus 北京"))]
    parts = sum(map(counter.message, both)) + counter.tool(tool) + 3
    assert counter.prompt(both, [tool]) == parts
    assert counter.message(both[0]) == counter.parts(both[0]) + 5
    assert sum(counter.by_script(both, [tool]).values()) == pytest.approx(parts, abs=3)


def test_a_message_costs_five_tokens_beside_its_words_and_a_prompt_three():
    """What ChatML and Llama 3 take around a message; ReqVIBE took four."""
    counter = Counter(EstimateTokenizer())
    one, words = message(Text("hello there")), EstimateTokenizer().count("hello there")
    assert counter.message(one) == words + 5
    assert counter.prompt([one, one]) == 2 * (words + 5) + 3


def test_a_stored_count_holds_under_the_same_tokenizer_only():
    counter = Counter(EstimateTokenizer())
    stored = message(Text("hello there"), tokens=77, tokenizer="estimate-2")
    assert counter.parts(stored) == 77
    foreign = message(Text("hello there"), tokens=77, tokenizer="tiktoken-o200k_base")
    assert counter.parts(foreign) == counter.text("hello there")
    assert counter.plain(stored) == counter.text("hello there")


def test_a_stored_count_gives_way_to_what_was_learned():
    counts = Counter(EstimateTokenizer()).by_script([message(Text("你好" * 500))])
    cheap = Calibration(tokenizer="estimate-2")
    for _ in range(12):
        cheap = cheap.learn(counts, round(sum(counts.values()) / 2))
    counter = Counter(EstimateTokenizer(), cheap)
    stored = message(Text("你好" * 100), tokens=384, tokenizer="estimate-2")
    assert counter.parts(stored) < 240


def test_a_schema_that_is_no_json_is_named():
    counter = Counter(EstimateTokenizer())
    with pytest.raises(TypeError, match="set"):
        counter.tool(ToolSpec("x", "y", {"enum": {1, 2}}))
