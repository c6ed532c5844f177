"""Throws generated requests at every route under ``/memory``, as its OpenAPI document describes them.

    python -m tests.server.fuzz --cases 5000

A server runs on a port of its own over a home of its own, which holds some conversations. The
cases are shared evenly among the operations, half of them valid and half of them broken on purpose.
In every other case ids in paths are those that a list gave, and no header names another memory:
else nearly all of them would reach nothing.
Counted are answers of 500 and above, and answers that are not as the document says.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter

import requests
import schemathesis
from hypothesis import (
    HealthCheck,
    Phase,
    given,
    seed as seeded,
    settings as shaped,
    strategies as st,
)
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.helpers.talker import Talker
from tests.helpers.web_server import WebServer

from unabridged import config
from unabridged.factory.space_pool import SpacePool
from unabridged.home.api_keys import ApiKeys
from unabridged.server.app import create_app
from unabridged.server.state import Service

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
)
SEED = 20_261_122
SHOWN = 12
REACH = ("x-unabridged-user", "x-unabridged-agent", "x-unabridged-session")
"""Headers by which a request reaches another memory, or none."""
LISTS = {
    "session": "/memory/sessions",
    "exchange": "/memory/exchanges",
    "context": "/memory/exchanges",
    "fact": "/memory/facts",
    "pin": "/memory/pins",
    "requirement": "/memory/requirements",
    "condensation": "/memory/condensations",
    "receipt": "/memory/receipts",
}


class Figures:
    """What came of the cases."""

    def __init__(self):
        self.cases = 0
        self.statuses = Counter()
        self.per_operation = Counter()
        self.failures = {}

    def failed(self, operation, check, told, case):
        self.failures.setdefault((operation, check), (told, case))

    def lines(self):
        yield f"{self.cases} cases over {len(self.per_operation)} operations"
        yield "answers: " + ", ".join(f"{k}: {n}" for k, n in sorted(self.statuses.items()))
        yield f"5xx: {sum(n for k, n in self.statuses.items() if k >= 500)}"
        yield f"not as the document says: {len(self.failures)}"
        for (operation, check), (told, case) in list(self.failures.items())[:SHOWN]:
            yield f"- {operation} {check}: {told[:600]}\n    {case[:900]}"


def fuzz(url, headers, cases, seed=SEED):
    """Throw cases at a server, and give the figures."""
    figures = Figures()
    session = requests.Session()
    session.headers.update(headers)
    document = session.get(f"{url}/memory/openapi.json", timeout=30).json()
    document.pop("security")  # the key goes with every request; who shows none: test_matrix.py
    schema = schemathesis.openapi.from_dict(document)
    operations = [result.ok() for result in schema.get_all_operations()]
    each = max(1, cases // (2 * len(operations)))
    rest = cases - 2 * each * len(operations)
    for number, operation in enumerate(operations):
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            more = each + (max(0, rest) if number == 0 and mode is GenerationMode.POSITIVE else 0)
            _throw(figures, session, url, operation, mode, more, seed + number)
    session.close()
    return figures


def _throw(figures, session, url, operation, mode, most, seed):  # noqa: PLR0917 - one caller
    """One operation in one mode."""
    label = f"{operation.method.upper()} {operation.path}"
    ids = _ids(session, url, operation)

    @seeded(seed)
    @shaped(
        max_examples=most,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), real=st.booleans(), data=st.data())
    def one(case, real, data):
        if real:
            _repair(case, ids, data)
        figures.cases += 1
        figures.per_operation[label] += 1
        try:
            answer = case.call(base_url=url, session=session, timeout=60)
        except requests.RequestException as error:
            figures.failed(label, "no answer", repr(error), case.as_curl_command())
            return
        figures.statuses[answer.status_code] += 1
        # What was broken may be what was mended.
        checks = [c for c in CHECKS if not (real and c is negative_data_rejection)]
        _check(figures, label, case, answer, checks)

    one()


def _repair(case, ids, data):
    """Let a case reach something: ids that there are, in the memory that holds them."""
    for name, known in ids.items():
        if known:
            case.path_parameters[name] = data.draw(st.sampled_from(known))
    for name in [name for name in case.headers if name.lower() in REACH]:
        del case.headers[name]


def _check(figures, label, case, answer, checks):
    """Note every way in which an answer is not as the document says."""
    for check in checks:
        try:
            case.validate_response(answer, checks=[check])
        except BaseException as error:
            if not isinstance(error, (AssertionError, BaseExceptionGroup)):
                raise
            told = "; ".join(str(e) for e in getattr(error, "exceptions", [error]))
            figures.failed(label, check.__name__, told, case.as_curl_command())


def _ids(session, url, operation):
    """Ids that there are, for each parameter of the operation's path."""
    names = [name for name in LISTS if f"{{{name}}}" in operation.path]
    return {
        name: [
            item["id"] for item in session.get(f"{url}{LISTS[name]}", timeout=30).json()["items"]
        ]
        for name in names
    }


def furnish(settings):
    """Give the home something to find."""
    with Talker.open(settings=settings) as memory:
        for n in range(6):
            memory.new_session(f"Talk {n}")
            for k in range(4):
                context = memory.prepare(f"Tell me of topic {n}, part {k}: I live in Ghent.")
                memory.record(context, f"Part {k} of topic {n} is long. " * 8)
        memory.space.pins.add("I like rye bread.")
        memory.facts.add("My cat is called Tom.")
        memory.requirements.add("It must start within 2 seconds.")
        for line in memory.sessions():
            memory.space.condensations.condense(line.session.id, force=True)
        list(memory.maintain(pages=2))
        first = memory.space.log.scan(None, 1)[0]
        memory.space.forgetting.execute(memory.space.forgetting.plan([first.id]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=SEED)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        settings = config.load(home=home, environ={}, upstream="quote")
        furnish(settings)
        app = create_app(Service(settings, SpacePool(settings)))
        headers = {"Authorization": f"Bearer {ApiKeys(settings.home).token()}"}
        with WebServer(app) as server:
            began = time.perf_counter()
            figures = fuzz(server.url, headers, wanted.cases, wanted.seed)
    print("\n".join(figures.lines()))
    print(json.dumps({"seconds": round(time.perf_counter() - began)}))
    sys.exit(bool(figures.failures))


if __name__ == "__main__":
    main()
