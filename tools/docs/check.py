"""Check a built site: links lead somewhere, and a browser loads nothing from elsewhere.

Usage: python tools/docs/check.py FOLDER
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "use": ("href", "xlink:href"),
    "video": ("src", "poster"),
}
"""Elements, and their attributes whose address a browser loads by itself."""

LOADED_LINKS = {"dns-prefetch", "icon", "manifest", "modulepreload", "preconnect", "preload"}
LOADED_LINKS |= {"prefetch", "stylesheet"}
_CSS_ADDRESS = re.compile(r"""(?:url\(\s*|@import\s+)["']?([^"')\s]+)""")
_NOT_FILES = ("data:", "blob:", "mailto:")


class Page(HTMLParser):
    """The addresses of one page.

    Attributes:
        loaded: Addresses that a browser loads by itself.
        linked: Addresses that a reader can go to.
        anchors: Ids that a link can lead to.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Collect what a tag names."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.loaded += [_first(given[name]) for name in LOADED.get(tag, ()) if name in given]
        self.loaded += _CSS_ADDRESS.findall(given.get("style", ""))
        if tag == "link" and LOADED_LINKS & set(given.get("rel", "").split()):
            self.loaded.append(given.get("href", ""))
        if tag == "a" and "href" in given:
            self.linked.append(given["href"])


def _first(value: str) -> str:
    return value.split(",", maxsplit=1)[0].split(maxsplit=1)[0] if value.strip() else value


@cache
def read_page(path: Path) -> Page:
    """Return a page of the site."""
    return Page(path.read_text("utf-8"))


def is_foreign(address: str) -> bool:
    """Return whether an address is outside the site."""
    return bool(urlsplit(address).netloc)


def faults(site: Path) -> Iterator[str]:
    """Yield everything that is wrong with a site."""
    pages = sorted(site.rglob("*.html"))
    for page in pages:
        place = page.relative_to(site).as_posix()
        found = read_page(page)
        yield from (f"{place} loads {each}" for each in found.loaded if is_foreign(each))
        inside = [each for each in (*found.loaded, *found.linked) if not is_foreign(each)]
        yield from (f"{place}: no {each}" for each in inside if not _leads(site, page, each))
    for sheet in sorted(site.rglob("*.css")):
        named = _CSS_ADDRESS.findall(sheet.read_text("utf-8"))
        yield from (f"{sheet.name} loads {each}" for each in named if is_foreign(each))
    yield from _search_faults(site, {page.relative_to(site).as_posix() for page in pages})


def _leads(site: Path, page: Path, address: str) -> bool:
    if not address or address.startswith(_NOT_FILES):
        return True
    parts = urlsplit(address)
    aim = (
        (site / parts.path.lstrip("/")) if parts.path.startswith("/") else page.parent / parts.path
    )
    aim = page if not parts.path else aim.resolve()
    aim = aim / "index.html" if aim.is_dir() else aim
    if not aim.is_file() or not aim.is_relative_to(site):
        return False
    anchor = unquote(parts.fragment)
    return not anchor or aim.suffix != ".html" or anchor in read_page(aim).anchors


def _search_faults(site: Path, pages: set[str]) -> Iterator[str]:
    index = json.loads((site / "search.json").read_text("utf-8"))
    found = {item["location"].partition("#")[0] for item in index["items"]}
    yield from (f"the search does not know {page}" for page in sorted(pages - found - {"404.html"}))


def main(folder: str) -> int:
    """Print the faults of a site, and return 1 if there are any."""
    found = list(faults(Path(folder).resolve()))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"Checked {folder}: {len(found)} faults.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
