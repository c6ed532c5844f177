import tomllib
from importlib import resources

import pytest

from unabridged.budget.allocate import allocate, least_answer, output_limit
from unabridged.budget.tiers import (
    TIER_SHARES,
    ExchangeLimits,
    TierShares,
    divide,
    exchange_limits,
    tier_shares,
)
from unabridged.domain.budget import Budget, Mode, Verbosity
from unabridged.domain.intent import Intent
from unabridged.domain.settings import Settings
from unabridged.errors import PromptTooLargeError, SettingError

W = 100_000


def divided(**changed: object) -> Budget:
    mode = changed.get("mode", Mode.TOOLS)
    shares = {Mode.TOOLS: (3_000, 6_000), Mode.CHAT: (600, 0)}[mode]
    given = {
        "window": W,
        "mode": mode,
        "verbosity": Verbosity.BALANCED,
        "complexity": 0.0,
        "system_tokens": shares[0],
        "tool_tokens": shares[1],
        "message_tokens": 0,
    }
    return allocate(**{**given, **changed})


@pytest.mark.parametrize(
    ("mode", "complexity", "answer", "memory", "reserve"),
    [
        (Mode.TOOLS, 0.1, 17_000, 60_000, 9_000),
        (Mode.TOOLS, 0.8, 31_000, 53_000, 2_000),
        (Mode.CHAT, 0.0, 15_000, 77_400, 2_000),
    ],
)
def test_examples_of_the_design(*, mode, complexity, answer, memory, reserve):
    budget = divided(mode=mode, complexity=complexity)
    assert (budget.answer, budget.memory, budget.reserve) == (answer, memory, reserve)
    assert budget.margin == 5_000
    assert budget.response_percentage == pytest.approx(answer / 1000)
    assert budget.budget_available == memory


@pytest.mark.parametrize(
    ("mode", "verbosity", "share"),
    [
        (Mode.TOOLS, Verbosity.CONCISE, 25),
        (Mode.TOOLS, Verbosity.BALANCED, 35),
        (Mode.TOOLS, Verbosity.DETAILED, 45),
        (Mode.CHAT, Verbosity.CONCISE, 20),
        (Mode.CHAT, Verbosity.BALANCED, 25),
        (Mode.CHAT, Verbosity.DETAILED, 30),
    ],
)
def test_verbosity_moves_the_high_end(mode, verbosity, share):
    budget = divided(mode=mode, verbosity=verbosity, complexity=1.0)
    assert budget.answer == share * 1000


def test_what_system_and_tools_do_not_need_goes_to_memory():
    budget = divided(complexity=0.1, system_tokens=1_000, tool_tokens=0)
    assert (budget.memory, budget.reserve) == (68_000, 9_000)


def test_too_large_a_system_prompt_takes_reserve_first_then_memory():
    some = divided(complexity=0.1, system_tokens=3_000 + 7_000)
    assert (some.memory, some.reserve) == (60_000, 2_000)
    more = divided(complexity=0.1, system_tokens=3_000 + 8_000)
    assert (more.memory, more.reserve) == (59_000, 2_000)


def test_the_message_takes_reserve_first_then_memory():
    some = divided(complexity=0.1, message_tokens=4_000)
    assert (some.memory, some.reserve) == (60_000, 5_000)
    more = divided(complexity=0.1, message_tokens=20_000)
    assert (more.memory, more.reserve) == (47_000, 2_000)


def test_a_huge_message_takes_memory_then_reserve_then_the_answer():
    no_memory = divided(complexity=1.0, message_tokens=50_000)
    assert (no_memory.answer, no_memory.memory, no_memory.reserve) == (35_000, 0, 1_000)
    tight = divided(complexity=1.0, message_tokens=85_000)
    assert (tight.answer, tight.memory, tight.reserve) == (1_000, 0, 0)


def test_max_prompt_tokens_takes_from_memory_and_the_rest_is_unused():
    budget = divided(complexity=0.1, message_tokens=1_000, max_prompt_tokens=16_384)
    assert budget.memory == 16_384 - 10_000
    assert budget.unused == 60_000 - budget.memory
    assert budget.answer == 17_000


def test_a_message_above_max_prompt_tokens_is_sent_without_memory():
    budget = divided(message_tokens=20_000, max_prompt_tokens=16_384)
    assert (budget.message, budget.memory) == (20_000, 0)
    assert budget.total == W


@pytest.mark.parametrize(
    ("cap", "most", "memory", "bound"),
    [
        (16_000, None, 16_000, "memory_cap"),
        (60_000, None, 60_000, ""),
        (16_000, 20_000, 10_000, "max_prompt_tokens"),
        (5_000, 20_000, 5_000, "memory_cap"),
        (0, None, 0, "memory_cap"),
    ],
)
def test_memory_cap_holds_memory_down_and_says_so(cap, most, memory, bound):
    free = divided(complexity=0.1, message_tokens=1_000)
    budget = divided(complexity=0.1, message_tokens=1_000, memory_cap=cap, max_prompt_tokens=most)
    assert (budget.memory, budget.bound) == (memory, bound)
    assert budget.unused == free.memory - memory
    assert (budget.answer, budget.reserve) == (free.answer, free.reserve)
    assert budget.total == W


def test_a_smaller_margin_leaves_more():
    assert divided(mode=Mode.CHAT, margin_share=0.01).memory == 80_000


@pytest.mark.parametrize(
    ("sizes", "named", "unnamed"),
    [
        ({"message_tokens": 99_000}, ["shorter message"], ["tools", "system prompt"]),
        ({"system_tokens": 99_000}, ["shorter system prompt"], ["tools", "message"]),
        ({"tool_tokens": 99_000}, ["fewer tools"], ["system prompt", "message"]),
    ],
)
def test_what_cannot_fit_says_what_would_help(sizes, named, unnamed):
    with pytest.raises(PromptTooLargeError) as caught:
        divided(**sizes)
    error = caught.value
    assert error.needed - error.window == error.over > 0
    assert "larger window" in error.hint
    assert all(words in error.hint for words in named)
    assert not any(words in error.hint for words in unnamed)


def test_one_token_decides():
    fits = 100_000 - 9_000 - 5_000 - 256
    assert divided(message_tokens=fits).answer == 256
    with pytest.raises(PromptTooLargeError) as caught:
        divided(message_tokens=fits + 1)
    assert caught.value.over == 1


def test_a_window_too_small_to_talk_in_is_refused():
    with pytest.raises(SettingError) as caught:
        divided(window=511)
    assert "512" in caught.value.hint


@pytest.mark.parametrize(
    ("intent", "semantic"),
    [
        (Intent.VIVID_RECALL, 4_110),
        (Intent.SUMMARY, 1_370),
        (Intent.CONTEXTUAL, 2_740),
        (Intent.CASUAL, 0),
    ],
)
def test_tiers_by_intent(intent, semantic):
    tiers = divide(10_000, intent, facts_tokens_wanted=9_999)
    assert (tiers.immediate, tiers.knowledge, tiers.semantic) == (1_900, 1_250, semantic)


def test_knowledge_takes_what_its_facts_need():
    tiers = divide(10_000, Intent.CONTEXTUAL, facts_tokens_wanted=300)
    assert tiers.knowledge == 300


def test_rich_conversations_recall_more_and_simple_ones_less():
    poor, plain, rich = (
        divide(10_000, Intent.CONTEXTUAL, richness=value).semantic for value in (0.0, 0.5, 1.0)
    )
    assert (poor, plain, rich) == (2_430, 3_240, 4_050)


@pytest.mark.parametrize(
    ("intent", "semantic", "recent"),
    [
        (Intent.VIVID_RECALL, 6_600, 4_400),
        (Intent.SUMMARY, 2_000, 9_000),
        (Intent.CONTEXTUAL, 4_000, 7_000),
        (Intent.CASUAL, 0, 11_000),
    ],
)
def test_the_companions_tiers_at_16_000_tokens_are_the_seeds(intent, semantic, recent):
    text = resources.files("unabridged.profiles").joinpath("companion.toml").read_text("utf-8")
    chosen = tomllib.loads(text)["settings"]
    assert chosen["memory_cap"] == 16_000
    settings = Settings(**{n: v for n, v in chosen.items() if n.endswith("_share")})
    tiers = divide(16_000, intent, facts_tokens_wanted=3_000, shares=tier_shares(settings))
    assert (tiers.immediate, tiers.knowledge) == (3_000, 2_000)
    assert (tiers.semantic, tiers.recent) == (semantic, recent)


def test_settings_that_nobody_changed_give_the_usual_shares():
    assert tier_shares(Settings()) == TIER_SHARES


def test_limits_of_one_exchange():
    limits = exchange_limits(10_000)
    assert (limits.whole, limits.user, limits.assistant) == (2_500, 1_000, 1_500)


def test_the_callers_limit_is_passed_on_and_unknown_hosted_caps_send_none():
    assert output_limit(window=8_192, prompt=4_000, margin=400) == 3_792
    assert output_limit(window=8_192, prompt=4_000, margin=400, cap=2_048) == 2_048
    assert output_limit(window=8_192, prompt=4_000, margin=400, hosted=True) is None
    assert output_limit(window=8_192, prompt=4_000, margin=400, cap=2_048, hosted=True) == 2_048
    assert output_limit(window=8_192, prompt=4_000, margin=400, asked=77, hosted=True) == 77


def test_the_hint_names_what_is_over_its_share():
    def hint(**sizes):
        with pytest.raises(PromptTooLargeError) as caught:
            divided(**sizes)
        return caught.value.hint

    end = ". Nothing was sent and nothing was cut."
    assert hint(message_tokens=25_001, system_tokens=70_000, tool_tokens=6_001) == (
        "What would help: a larger window, or a shorter system prompt, or fewer tools, or a shorter "
        f"message, or the same in several messages{end}"
    )
    assert hint(message_tokens=25_000, system_tokens=3_000, tool_tokens=80_000) == (
        f"What would help: a larger window, or fewer tools{end}"
    )
    assert hint(message_tokens=100_000) == (
        f"What would help: a larger window, or a shorter message, or the same in several messages{end}"
    )


@pytest.mark.parametrize(
    ("history", "margin"), [(0, 5_000), (85_744, 5_000), (85_745, 4_999), (90_743, 1), (90_744, 0)]
)
def test_the_margin_yields_to_a_clients_request(history, margin):
    budget = divided(history_tokens=history)
    assert (budget.margin, budget.total) == (margin, W)
    assert (budget.answer >= 256) is True


def test_small_windows_ask_for_a_tenth_as_an_answer():
    assert [least_answer(w) for w in (512, 1_004, 2_560, 9_999)] == [51, 100, 256, 256]
    assert type(least_answer(1_004)) is int


def test_shares_that_were_chosen_are_used_each_for_its_part():
    chosen = Settings(
        immediate_share=0.2, knowledge_share=0.1, vivid_share=0.5, summary_share=0.3,
        contextual_share=0.4,
    )  # fmt: skip
    shares = tier_shares(chosen)
    assert shares == TierShares(
        immediate=0.2, knowledge=0.1, vivid=0.5, summary=0.3, contextual=0.4
    )


def test_tiers_and_limits_are_whole_tokens_and_no_facts_take_none():
    tiers = divide(1_003, Intent.VIVID_RECALL)
    assert (tiers.immediate, tiers.knowledge, tiers.semantic, tiers.recent) == (191, 0, 487, 325)
    assert divide(1_003, Intent.SUMMARY, facts_tokens_wanted=-3).knowledge == 0
    most = divide(1_003, Intent.SUMMARY, facts_tokens_wanted=999, richness=-9.0)
    assert (most.knowledge, most.semantic) == (125, round(0.2 * 0.75 * 687))
    assert divide(1_003, Intent.SUMMARY, richness=9.0).semantic == round(0.2 * 1.25 * 812)
    limits = exchange_limits(1_003)
    parts = (most.immediate, most.knowledge, limits.whole, limits.user, limits.assistant)
    assert {type(part) for part in parts} == {int}
    assert (limits.whole, limits.user, limits.assistant) == (250, 100, 150)
    assert exchange_limits(1_001).allows(100, 150)
    assert not ExchangeLimits(249, 100, 150).allows(100, 150)
