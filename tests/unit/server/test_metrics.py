import threading

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.helpers.talker import Talker

from unabridged.domain.chat import Usage
from unabridged.errors import StoreBusyError
from unabridged.server.metrics import STAGES, Metrics


def value(metrics, name, **labels):
    found = metrics.registry.get_sample_value(name, labels)
    return 0.0 if found is None else found


def test_two_servers_in_one_process_count_apart():
    one, other = Metrics(), Metrics()
    one.dropped()
    assert value(one, "unabridged_background_dropped_total") == 1
    assert value(other, "unabridged_background_dropped_total") == 0


def test_a_stage_is_counted_also_where_it_fails():
    metrics = Metrics()
    with metrics.stage("prepare"):
        pass
    with pytest.raises(RuntimeError), metrics.stage("prepare"):
        raise RuntimeError
    metrics.took("whole", 2.0)
    assert value(metrics, "unabridged_stage_seconds_count", stage="prepare") == 2
    assert value(metrics, "unabridged_stage_seconds_sum", stage="whole") == 2.0


def test_every_stage_is_there_before_it_was_passed_and_no_other_may_come():
    metrics = Metrics()
    for stage in STAGES:
        assert (
            metrics.registry.get_sample_value("unabridged_stage_seconds_count", {"stage": stage})
            == 0
        )
    with pytest.raises(ValueError, match="unknown stage"):
        metrics.took("ann's stage", 1.0)


def test_a_context_counts_its_ledger():
    metrics = Metrics()
    with Talker.open(ephemeral=True, upstream="quote") as memory:
        first = memory.prepare("My dog is called Rex.")
        memory.record(first, "A fine name.")
        memory.record(memory.prepare("And my cat is called Tom."), "Noted.")
        memory.new_session()
        context = memory.prepare("What is my dog called?")
    metrics.context(first)
    metrics.context(context)
    parts = {p: first.ledger.parts.get(p, 0) + n for p, n in context.ledger.parts.items()}
    for part, tokens in parts.items():
        assert value(metrics, "unabridged_context_tokens_total", part=part) == tokens
    assert value(metrics, "unabridged_recalled_items_count") == 2
    assert value(metrics, "unabridged_recalled_items_sum") >= 1
    assert value(metrics, "unabridged_recalled_tokens_sum") == sum(
        row.tokens for row in context.ledger.rows
        if row.tier == "semantic" and row.decision != "left out"
    )  # fmt: skip


def test_what_the_upstream_does_not_say_is_not_counted():
    metrics = Metrics()
    metrics.usage(Usage(prompt=100, answer=None, cached=60))
    assert value(metrics, "unabridged_upstream_tokens_total", kind="prompt") == 100
    assert value(metrics, "unabridged_upstream_tokens_total", kind="cached") == 60
    assert (
        metrics.registry.get_sample_value("unabridged_upstream_tokens_total", {"kind": "answer"})
        is None
    )


def test_no_word_of_anybody_becomes_a_label():
    metrics = Metrics()
    metrics.memory_failed(StoreBusyError("zoe/secret is locked"))
    metrics.answered("BREW-zoe", "/memory/sessions/{id}", 200, 0.1)
    text = metrics.text().decode()
    assert 'kind="StoreBusyError"' in text
    assert 'method="other"' in text
    assert "zoe" not in text


def test_threads_count_together_and_prometheus_can_read_it():
    metrics = Metrics()

    def work():
        for _ in range(500):
            metrics.took("record", 0.001)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert value(metrics, "unabridged_stage_seconds_count", stage="record") == 2000
    families = {family.name for family in text_string_to_metric_families(metrics.text().decode())}
    assert {"unabridged_stage_seconds", "unabridged_streams_open", "process_open_fds"} <= families


def test_what_is_looked_up_is_looked_up_when_it_is_read():
    metrics, waiting = Metrics(), [1, 2, 3]
    metrics.watch(queue=lambda: len(waiting), spaces=lambda: 7)
    assert value(metrics, "unabridged_background_queue") == 3
    waiting.clear()
    assert value(metrics, "unabridged_background_queue") == 0
    assert value(metrics, "unabridged_spaces_open") == 7
