"""Build the docs site: copy the pages to a folder, then run Zensical there.

Usage: python tools/docs/build.py [--to FOLDER] [--pages-only]
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
HERE = Path(__file__).parent
TOP_PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
"""Pages outside docs/, and their names in the site."""

PICTURES = {".gif", ".png", ".svg", ".webp"}
_LINK = re.compile(r"(?P<text>(?<!!)\[(?:`[^`]*`|[^\[\]`])*\])\((?P<to>[^()\s]+)\)")
_PICTURE = re.compile(r'(?P<before>!\[[^\]]*\]\(|\b(?:src|srcset)=")(?P<to>[^()"\s]+)')
_FENCE = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
_MARKED_FENCE = re.compile(r"^(```\w+) [^\n={]*$", re.MULTILINE)
"""A language and a mark for our tests; Zensical takes it for no code block."""
_NAV_FOLDER = re.compile(r'^(?P<indent> *)"(?P<folder>[\w/-]+)/\*",$', re.MULTILINE)


def site_pages(checkout: Path) -> dict[str, str]:
    """Map each page and picture of the repository to its place in the site."""
    found = {name: to for name, to in TOP_PAGES.items() if (checkout / name).exists()}
    for path in sorted((checkout / "docs").rglob("*")):
        if path.suffix == ".md" or path.suffix in PICTURES:
            place = path.relative_to(checkout).as_posix()
            found[place] = place.removeprefix("docs/")
    if "docs/index.md" in found:
        found.pop("README.md", None)
    return found


def write_pages(checkout: Path, target: Path) -> None:
    """Copy every page and picture into the folder, and point links at the copies."""
    pages = site_pages(checkout)
    for source, place in pages.items():
        copy = target / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        if copy.suffix == ".md":
            text = (checkout / source).read_text("utf-8")
            copy.write_text(moved_links(text, source, pages, checkout), "utf-8")
        else:
            shutil.copyfile(checkout / source, copy)


def moved_links(text: str, source: str, pages: dict[str, str], checkout: Path) -> str:
    """Return a page whose links fit the site.

    A link to a file that the site does not have becomes its text. A link to nothing stays, so that
    the strict build reports it.
    """

    def place_of(link: str) -> str | None:
        path, hash_, anchor = link.partition("#")
        if not path or ":" in path:
            return link
        aim = os.path.normpath(Path(source).parent / path).replace(os.sep, "/")
        if aim in pages:
            start = Path(pages[source]).parent
            return os.path.relpath(pages[aim], start).replace(os.sep, "/") + hash_ + anchor
        if f"{aim}/README.md" in pages:
            return place_of(f"{path.rstrip('/')}/README.md{hash_}{anchor}")
        return None if (checkout / aim).exists() else link

    def linked(found: re.Match[str]) -> str:
        place = place_of(found["to"])
        return found["text"][1:-1] if place is None else f"{found['text']}({place})"

    def shown(found: re.Match[str]) -> str:
        return found["before"] + (place_of(found["to"]) or found["to"])

    parts = _FENCE.split(text)
    for number in range(len(parts)):
        if number % 2:  # a code block
            parts[number] = _MARKED_FENCE.sub(r"\1", parts[number], count=1)
            continue
        parts[number] = _PICTURE.sub(shown, _LINK.sub(linked, parts[number]))
    return "".join(parts)


def configuration(pages: Path) -> str:
    """Return Zensical's configuration, with each ``"folder/*"`` of the navigation listed out."""

    def listed(found: re.Match[str]) -> str:
        return "\n".join(f'{found["indent"]}"{name}",' for name in _names(pages, found["folder"]))

    return _NAV_FOLDER.sub(listed, (HERE / "zensical.toml").read_text("utf-8"))


def _names(pages: Path, folder: str) -> Iterator[str]:
    found = sorted(path.name for path in (pages / folder).glob("*.md"))
    for name in sorted(found, key=lambda each: each != "README.md"):
        yield f"{folder}/{name}"


def build(target: Path) -> int:
    """Build the site in strict mode, and return Zensical's exit code."""
    program = Path(sys.executable).with_name("zensical")
    ran = subprocess.run([program, "build", "--strict", "--clean"], cwd=target, check=False)
    return ran.returncode


def main() -> int:
    """Build what the arguments name."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--to", type=Path, default=CHECKOUT / "build" / "docs", metavar="FOLDER")
    parser.add_argument("--pages-only", action="store_true", help="copy the pages, build nothing")
    asked = parser.parse_args()
    shutil.rmtree(asked.to, ignore_errors=True)
    pages = asked.to / "pages"
    write_pages(CHECKOUT, pages)
    shutil.copyfile(HERE / "griffe_wrappers.py", asked.to / "griffe_wrappers.py")
    text = configuration(pages).replace("@SOURCE@", (CHECKOUT / "src").as_posix())
    (asked.to / "zensical.toml").write_text(text, "utf-8")
    return 0 if asked.pages_only else build(asked.to)


if __name__ == "__main__":
    sys.exit(main())
