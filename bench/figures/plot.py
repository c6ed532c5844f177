"""Bars of figures as an SVG picture: a group for each measure, a bar for each system.

Written directly in SVG 1.1 (w3.org/TR/SVG11), so that no plotting package is needed.
"""

from collections.abc import Mapping, Sequence
from html import escape

COLOURS = ("#2b6cb0", "#c9cdd4", "#8f98a8")
"""Of ours and of the baselines; distinguishable in grey."""
_INK, _FAINT, _FONT = "#1f2933", "#e4e7eb", "system-ui, sans-serif"
_LEFT, _TOP, _HIGH, _BELOW = 44, 62, 260, 46
_BAR, _GAP = 20, 22

Shown = Mapping[str, tuple[float, float]]
"""Measure to a figure of 0 to 1 and its standard error."""


def bars(title: str, systems: Mapping[str, Shown], measures: Sequence[str]) -> str:
    """Draw figures of 0 to 1.

    Args:
        title: The title.
        systems: Name to its figures, ours first; a measure that a system lacks has no bar.
        measures: Which are shown, in order.

    Returns:
        The picture, as SVG.
    """
    group = _BAR * len(systems) + _GAP
    wide = max(_LEFT + group * len(measures) + _GAP, 420)
    high = _TOP + _HIGH + _BELOW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}"'
        f' height="{high}" font-family="{_FONT}" font-size="11" fill="{_INK}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
        _text(_LEFT, 22, title, size=14),
        *_legend(list(systems)),
        *_scale(wide),
    ]
    for place, measure in enumerate(measures):
        left = _LEFT + _GAP / 2 + place * group
        for number, shown in enumerate(systems.values()):
            if measure in shown:
                colour = COLOURS[number % len(COLOURS)]
                parts += _bar(left + number * _BAR, shown[measure], colour)
        middle = left + _BAR * len(systems) / 2
        parts.append(_text(middle, _TOP + _HIGH + 18, _short(measure), anchor="middle"))
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _bar(left: float, figure: tuple[float, float], colour: str) -> list[str]:
    value, error = figure
    top = _y(value)
    middle = left + _BAR / 2
    up, down = _y(min(1.0, value + error)), _y(max(0.0, value - error))
    return [
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{_BAR - 2}" height="{_y(0) - top:.1f}"'
        f' fill="{colour}"/>',
        f'<path d="M{middle - 1:.1f} {up:.1f}V{down:.1f}" stroke="{_INK}" stroke-width="1"/>',
        _text(middle - 1, up - 4, f"{value:.2f}".removeprefix("0"), size=9, anchor="middle"),
    ]


def _legend(names: Sequence[str]) -> list[str]:
    parts = []
    left = float(_LEFT)
    for number, name in enumerate(names):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(f'<rect x="{left}" y="33" width="10" height="10" fill="{colour}"/>')
        parts.append(_text(left + 15, 42, name))
        left += 15 + 7 * len(name) + 20
    return parts


def _scale(wide: int) -> list[str]:
    parts = []
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{wide - 8}" stroke="{_FAINT}"/>')
        parts.append(_text(_LEFT - 6, y + 4, f"{tenth / 10:.1f}", anchor="end"))
    return parts


def _y(value: float) -> float:
    return _TOP + _HIGH * (1 - value)


def _short(measure: str) -> str:
    name, _, at = measure.partition("@")
    thousands = at[:-3] + "k" if at.endswith("000") else at
    if name in {"coverage", "verbatim"}:
        return f"{name[:3]}. {thousands}"
    return f"{name}@{at}" if at else name.upper()


def _text(x: float, y: float, words: str, *, size: int = 11, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">'
        f"{escape(words)}</text>"
    )
