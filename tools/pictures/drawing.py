"""Draw screens of a terminal as SVG: one screen, or a recording that repeats without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from unicodedata import east_asian_width

CELL_WIDTH, LINE_HEIGHT, FONT_SIZE = 8, 18, 13
PADDING, BAR_HEIGHT = 16, 30
FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
BACKGROUND, FOREGROUND, BAR = "#101418", "#d7dce2", "#1b2127"
BUTTONS = ("#ff5f57", "#febc2e", "#28c840")
PALETTE = (
    "#3b4048 #ef6b73 #8ccf7e #e5c76b #67b0e8 #c47fd5 #6cbfbf #d7dce2 "
    "#6b7480 #ff858c #a6e098 #f4d67a #85c4f5 #d79be6 #8ed8d8 #ffffff"
).split()
ESCAPE = re.compile(r"\x1b\[([\d;:]*)m|\x1b[()][A-Z0-9]|\x0f|\x0e")


@dataclass(frozen=True)
class Style:
    """Colours and weight of a character."""

    color: str = ""
    background: str = ""
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False


@dataclass(frozen=True)
class Run:
    """Characters of one style that are next to each other."""

    column: int
    width: int
    text: str
    style: Style


FLAGS = {
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"reverse": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"reverse": False},
    39: {"color": ""},
    49: {"background": ""},
}


def styled(style: Style, codes: list[int]) -> Style:
    """Return the style after the numbers of one SGR escape."""
    rest = iter(codes or [0])
    for code in rest:
        if code == 0:
            style = Style()
        elif code in FLAGS:
            style = replace(style, **FLAGS[code])  # type: ignore[arg-type]
        elif code in (38, 48):
            color = _extended(rest)
            style = replace(style, color=color) if code == 38 else replace(style, background=color)
        else:
            style = _basic(style, code)
    return style


def _basic(style: Style, code: int) -> Style:
    tens, number = divmod(code, 10)
    if number > 7 or tens not in (3, 4, 9, 10):
        return style
    color = PALETTE[number + (8 if tens > 4 else 0)]
    is_background = tens in (4, 10)
    return replace(style, background=color) if is_background else replace(style, color=color)


def _extended(rest: Iterator[int]) -> str:
    if next(rest) == 2:
        return "#{:02x}{:02x}{:02x}".format(*(next(rest) for _ in range(3)))
    number = next(rest)
    if number < 16:
        return PALETTE[number]
    if number >= 232:
        return "#{0:02x}{0:02x}{0:02x}".format(8 + 10 * (number - 232))
    levels = (0, 95, 135, 175, 215, 255)
    red, green, blue = (number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6
    return f"#{levels[red]:02x}{levels[green]:02x}{levels[blue]:02x}"


def runs(line: str) -> list[Run]:
    """Return the runs of a line with escape codes, without blank ones that show nothing."""
    cells: list[tuple[int, str, Style]] = []
    style, column, at = Style(), 0, 0
    for match in [*ESCAPE.finditer(line), None]:
        for char in line[at : match.start() if match else len(line)]:
            cells.append((column, char, style))
            column += 2 if east_asian_width(char) in "WF" else 1
        if match:
            at = match.end()
            if match[1] is not None:
                style = styled(style, [int(n) for n in re.split("[;:]", match[1]) if n])
    return [run for style, group in groupby(cells, key=lambda cell: cell[2])
            for run in _parted(list(group), style)]  # fmt: skip


def _parted(cells: list[tuple[int, str, Style]], style: Style) -> Iterator[Run]:
    # Viewers draw several spaces as one, so a run ends where two of them are next to each other.
    text = "".join(char for _, char, _ in cells)
    whole = style.background or style.reverse
    for match in re.finditer(r".+" if whole else r"\S+(?: \S+)*", text):
        first, last = cells[match.start()][0], cells[match.end() - 1]
        width = last[0] + (2 if east_asian_width(last[1]) in "WF" else 1) - first
        yield Run(first, width, match[0], style)


def plain(line: str) -> str:
    """Return a line without escape codes."""
    return ESCAPE.sub("", line).rstrip()


def draw_line(line: str) -> str:
    """Return the SVG of one line, at the top left corner."""
    return "".join(_draw(run) for run in runs(line))


def _draw(run: Run) -> str:
    style = run.style
    color, background = style.color or FOREGROUND, style.background
    if style.reverse:
        color, background = background or BACKGROUND, color
    x, width = run.column * CELL_WIDTH, run.width * CELL_WIDTH
    marks = "".join(
        (
            f' fill="{color}"' if color != FOREGROUND else "",
            ' class="b"' if style.bold else "",
            ' opacity=".6"' if style.dim else "",
            ' font-style="italic"' if style.italic else "",
            ' text-decoration="underline"' if style.underline else "",
        )
    )
    box = f'<rect x="{x}" width="{width}" height="{LINE_HEIGHT}" fill="{background}"/>'
    text = (
        f'<text x="{x}" y="13" textLength="{width}"{marks}>{escape(run.text, quote=False)}</text>'
    )
    return (box if background else "") + (text if run.text.strip() else "")


def _page(body: Iterable[str], columns: int, rows: int, title: str, description: str) -> str:
    width = columns * CELL_WIDTH + 2 * PADDING
    height = rows * LINE_HEIGHT + BAR_HEIGHT + 2 * PADDING
    buttons = "".join(
        f'<circle cx="{18 + 18 * n}" cy="15" r="5.5" fill="{color}"/>'
        for n, color in enumerate(BUTTONS)
    )
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" aria-labelledby="t d">',
            f'<title id="t">{escape(title)}</title><desc id="d">{escape(description)}</desc>',
            f"<style>text{{font:{FONT_SIZE}px {FONTS}}}.b{{font-weight:700}}</style>",
            f'<rect width="{width}" height="{height}" rx="10" fill="{BACKGROUND}"/>',
            f'<path d="M0 {BAR_HEIGHT}V10A10 10 0 0 1 10 0H{width - 10}A10 10 0 0 1 {width} 10'
            f'V{BAR_HEIGHT}Z" fill="{BAR}"/>{buttons}',
            f'<g fill="{FOREGROUND}" transform="translate({PADDING} {BAR_HEIGHT + PADDING - 4})">',
            *body,
            "</g></svg>\n",
        )
    )


def draw_screen(screen: tuple[str, ...], columns: int, title: str) -> str:
    """Return a picture of one screen, as high as its last line with text."""
    lines = list(screen)
    while lines and not plain(lines[-1]):
        lines.pop()
    body = (
        f'<g transform="translate(0 {row * LINE_HEIGHT})">{drawn}</g>'
        for row, line in enumerate(lines)
        if (drawn := draw_line(line))
    )
    return _page(body, columns, len(lines), title, "\n".join(map(plain, lines)))


def draw_recording(
    frames: list[tuple[tuple[str, ...], float]], columns: int, rows: int, title: str, said: str
) -> str:
    """Return an animated picture: each line of each row is visible while a frame shows it.

    A viewer without animation shows the screen that stayed longest.
    """
    total = sum(seconds for _, seconds in frames)
    starts = [0.0]
    for _, seconds in frames:
        starts.append(starts[-1] + seconds)
    longest = max(range(len(frames)), key=lambda n: frames[n][1])
    body = []
    for row in range(rows):
        shown = [screen[row] if row < len(screen) else "" for screen, _ in frames]
        number = 0
        for line, group in groupby(shown):
            first, number = number, number + len(list(group))
            if drawn := draw_line(line):
                visible = first <= longest < number
                span = (starts[first] / total, starts[number] / total)
                body.append(_timed(drawn, row, span, total, visible=visible))
    return _page(body, columns, rows, title, said)


def _timed(drawn: str, row: int, span: tuple[float, float], total: float, *, visible: bool) -> str:
    start, end = (f"{value:.4f}".rstrip("0").rstrip(".") for value in span)
    place = f'<g transform="translate(0 {row * LINE_HEIGHT})" opacity="{int(visible)}">'
    if (start, end) == ("0", "1"):
        return place.replace('"0">', '"1">') + drawn + "</g>"
    values, times = ["0", "1", "0"], ["0", start, end]
    if start == "0":
        values, times = ["1", "0"], ["0", end]
    if end == "1":
        values, times = values[:-1], times[:-1]
    animate = (
        f'<animate attributeName="opacity" calcMode="discrete" values="{";".join(values)}" '
        f'keyTimes="{";".join(times)}" dur="{total:.1f}s" repeatCount="indefinite"/>'
    )
    return place + drawn + animate + "</g>"
