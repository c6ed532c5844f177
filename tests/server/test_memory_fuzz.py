"""The short form of ``python -m tests.server.fuzz``: some hundred generated requests."""

import pytest
from tests.helpers.examples import examples
from tests.server.fuzz import furnish, fuzz

from unabridged import config


@pytest.mark.slow
def test_no_generated_request_is_answered_otherwise_than_the_document_says(serving, tmp_path):
    furnish(config.load(home=tmp_path / "home", environ={}, upstream="quote"))
    url = serving(upstream="quote")
    cases = examples(320)
    figures = fuzz(str(url), url.bearer, cases)
    assert figures.cases >= cases * 15 // 16
    assert len(figures.per_operation) == len({r.path + str(r.methods) for r in _routes(url)})
    assert sum(n for status, n in figures.statuses.items() if status < 300) > cases // 7
    assert not figures.failures, "\n".join(figures.lines())


def _routes(url):
    return [
        r
        for r in url.app.routes
        if getattr(r, "include_in_schema", False)
        and r.path.startswith("/memory/")
        and "openapi" not in r.path
    ]
