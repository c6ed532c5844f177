"""Figures of two checkouts, compared."""

import json
import sys

import pytest

from bench.core.checkout_comparison import run
from unabridged.errors import InputError


def printer(tmp_path, name, figures):
    """Return a command that prints its next figure with each call."""
    left = tmp_path / name
    left.write_text(json.dumps(figures))
    code = (
        "import json, pathlib;"
        f"left = pathlib.Path({str(left)!r});"
        "first, *rest = json.loads(left.read_text());"
        "left.write_text(json.dumps(rest));"
        "rows = [{'name': n, 'size': 10, 'unit': 'ms', 'p50': v} for n, v in first.items()];"
        "print(json.dumps({'rows': rows}))"
    )
    return f'{sys.executable} -c "{code}"'


def test_each_figure_is_the_median_of_its_runs_over_that_of_the_other(tmp_path):
    here = printer(tmp_path, "here", [{"a": 4, "b": 1}, {"a": 9, "b": 1}, {"a": 5, "b": 1}])
    there = printer(tmp_path, "there", [{"a": 10, "c": 1}] * 3)
    (found,) = run(here, there, str(tmp_path), runs=3)
    assert (found.name, found.size, found.p50, found.baseline, found.ratio) == ("a", 10, 5, 10, 0.5)


def test_a_command_without_a_report_is_an_error(tmp_path):
    silent = f"{sys.executable} -c \"raise SystemExit('no such benchmark')\""
    with pytest.raises(InputError, match="no such benchmark"):
        run(silent, silent, str(tmp_path), runs=1)
