import pytest
from hypothesis import given, settings, strategies as st
from tests.helpers.examples import examples

from unabridged.budget.allocate import allocate, least_answer, output_limit
from unabridged.budget.tiers import TIER_SHARES, TierShares, divide, exchange_limits
from unabridged.domain.budget import Mode, Verbosity
from unabridged.domain.intent import Intent
from unabridged.errors import PromptTooLargeError

WINDOWS = st.integers(512, 2_000_000)
SIZES = st.one_of(st.integers(0, 2_000), st.integers(0, 2_500_000))
SHARES = ("immediate", "knowledge", "vivid", "summary", "contextual")
PARTS = ("system", "tools", "message", "history", "answer", "memory", "margin", "reserve", "unused")


@settings(max_examples=examples(500))
@given(
    window=WINDOWS,
    mode=st.sampled_from(Mode),
    verbosity=st.sampled_from(Verbosity),
    complexity=st.floats(-1, 2),
    system=SIZES,
    tools=SIZES,
    message=SIZES,
    margin=st.floats(0.01, 0.05),
    most=st.none() | st.integers(0, 100_000),
    cap=st.none() | st.integers(0, 100_000),
)
def test_parts_add_up_or_the_error_says_by_how_much(
    *, window, mode, verbosity, complexity, system, tools, message, margin, most, cap
):
    def divided():
        return allocate(
            window=window,
            mode=mode,
            verbosity=verbosity,
            complexity=complexity,
            system_tokens=system,
            tool_tokens=tools,
            message_tokens=message,
            margin_share=margin,
            max_prompt_tokens=most,
            memory_cap=cap,
        )

    needed = system + tools + message + round(margin * window) + least_answer(window)
    if needed > window:
        with pytest.raises(PromptTooLargeError) as caught:
            divided()
        assert (caught.value.needed, caught.value.window) == (needed, window)
        assert "larger window" in caught.value.hint
        return
    budget = divided()
    parts = [getattr(budget, name) for name in PARTS]
    assert sum(parts) == budget.total == window
    assert all(type(part) is int and part >= 0 for part in parts)
    assert (budget.system, budget.tools, budget.message) == (system, tools, message)
    assert budget.answer >= least_answer(window)
    assert 0 <= budget.complexity <= 1
    if most is not None and budget.memory:
        assert system + tools + message + budget.memory <= most
    if cap is not None:
        assert budget.memory <= cap
    assert (budget.unused > 0) is bool(budget.bound)
    if budget.bound == "memory_cap":
        assert budget.memory == cap
    elif not budget.bound:
        most = cap = None
        assert divided() == budget


@settings(max_examples=examples(500))
@given(
    window=WINDOWS,
    mode=st.sampled_from(Mode),
    complexity=st.floats(0, 1),
    system=SIZES,
    tools=SIZES,
    message=SIZES,
    history=SIZES,
    margin=st.floats(0.01, 0.05),
    most=st.none() | st.integers(0, 100_000),
    cap=st.none() | st.integers(0, 100_000),
)
def test_a_clients_request_is_divided_exactly_and_bounds_are_for_what_memory_adds(
    *, window, mode, complexity, system, tools, message, history, margin, most, cap
):
    def divided():
        return allocate(
            window=window,
            mode=mode,
            verbosity=Verbosity.BALANCED,
            complexity=complexity,
            system_tokens=system,
            tool_tokens=tools,
            message_tokens=message,
            history_tokens=history,
            margin_share=margin,
            max_prompt_tokens=most,
            memory_cap=cap,
        )

    sent = system + tools + message + history
    if sent + least_answer(window) > window:
        with pytest.raises(PromptTooLargeError):
            divided()
        return
    budget = divided()
    parts = [getattr(budget, name) for name in PARTS]
    assert sum(parts) == budget.total == window
    assert all(type(part) is int and part >= 0 for part in parts)
    assert (budget.system, budget.tools, budget.message, budget.history) == (
        system,
        tools,
        message,
        history,
    )
    assert budget.answer >= least_answer(window)
    wanted = round(margin * window)
    assert budget.margin == wanted or sent + budget.margin + least_answer(window) == window
    for bound in (most, cap):
        assert bound is None or budget.memory <= bound
    assert (budget.unused > 0) is bool(budget.bound)


@given(window=WINDOWS, mode=st.sampled_from(Mode), low=st.floats(0, 1), high=st.floats(0, 1))
def test_more_complexity_never_means_a_smaller_answer(window, mode, low, high):
    low, high = sorted((low, high))
    simple, complex_ = (
        allocate(
            window=window,
            mode=mode,
            verbosity=Verbosity.BALANCED,
            complexity=score,
            system_tokens=0,
            tool_tokens=0,
            message_tokens=10,
        )
        for score in (low, high)
    )
    assert simple.answer <= complex_.answer
    assert simple.memory >= complex_.memory


@settings(max_examples=examples(500))
@given(
    memory=st.integers(0, 2_000_000),
    intent=st.sampled_from(Intent),
    facts=st.integers(-5, 300_000),
    richness=st.floats(-1, 2),
    shares=st.just(TIER_SHARES) | st.builds(TierShares, **dict.fromkeys(SHARES, st.floats(0, 1))),
)
def test_tiers_add_up_to_memory(memory, intent, facts, richness, shares):
    tiers = divide(memory, intent, facts_tokens_wanted=facts, richness=richness, shares=shares)
    parts = (tiers.immediate, tiers.knowledge, tiers.semantic, tiers.recent)
    assert sum(parts) == memory == tiers.memory
    assert min(parts) >= 0
    assert tiers.knowledge <= memory * shares.knowledge
    assert abs(tiers.immediate - memory * shares.immediate) <= 0.5
    if intent is Intent.CASUAL:
        assert tiers.semantic == 0


@given(memory=st.integers(0, 2_000_000))
def test_limits_of_an_exchange_stay_inside_memory(memory):
    limits = exchange_limits(memory)
    assert limits.user + limits.assistant <= limits.whole + 1
    assert limits.allows(limits.user, limits.whole - limits.user) is (
        limits.whole - limits.user <= limits.assistant
    )
    assert not limits.allows(limits.user + 1, 0)
    assert not limits.allows(0, limits.assistant + 1)


@given(window=WINDOWS, prompt=SIZES, margin=SIZES, cap=st.none() | st.integers(1, 200_000))
def test_answer_limit_fits_the_window_and_the_cap(window, prompt, margin, cap):
    limit = output_limit(window=window, prompt=prompt, margin=margin, cap=cap)
    assert limit is not None
    assert limit >= 1
    assert limit == 1 or limit + prompt + margin <= window
    assert cap is None or limit <= cap
