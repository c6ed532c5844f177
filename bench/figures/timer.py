"""Timing in one place: how long calls take, in milliseconds."""

from collections.abc import Callable, Iterable
from statistics import median, quantiles
from time import perf_counter
from typing import Any, NamedTuple, ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Spread(NamedTuple):
    """A distribution in two figures."""

    p50: float
    p95: float


def spread(values: Iterable[float]) -> Spread:
    """Return median and 95th percentile, rounded to a thousandth."""
    held = sorted(values)
    high = quantiles(held, n=20, method="inclusive")[-1] if len(held) > 1 else held[0]
    return Spread(round(median(held), 4), round(high, 4))


def timed(
    call: Callable[Given, Result], *given: Given.args, **named: Given.kwargs
) -> tuple[float, Result]:
    """Return the milliseconds that a call took, and its result."""
    began = perf_counter()
    result = call(*given, **named)
    return (perf_counter() - began) * 1000, result


def each(call: Callable[..., Any], inputs: Iterable[Any]) -> Spread:
    """Time a call on every input, one warming call before."""
    held = list(inputs)
    call(held[0])
    return spread(timed(call, given)[0] for given in held)
