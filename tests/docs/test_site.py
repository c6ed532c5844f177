"""The docs site: links are moved with the pages, and the built site needs nothing from elsewhere."""

import inspect
import json
import os
import pkgutil
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from tools.docs import build, check

import unabridged

CHECKOUT = Path(__file__).parents[2]
BUILDER = CHECKOUT / ".venv" / "docs" / ("Scripts" if os.name == "nt" else "bin") / "python"

PAGES = {
    "README.md": "index.md",
    "docs/guide.md": "guide.md",
    "docs/adr/README.md": "adr/README.md",
}


def moved(text, source="README.md"):
    return build.moved_links(text, source, PAGES, CHECKOUT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a](docs/guide.md)", "[a](guide.md)"),
        ("[a](docs/guide.md#b)", "[a](guide.md#b)"),
        ("[`a`](docs/adr/)", "[`a`](adr/README.md)"),
        ("[a](https://example.org/x.md)", "[a](https://example.org/x.md)"),
        ("[a](#b)", "[a](#b)"),
        ("see [the licence](LICENSE).", "see the licence."),
        ("[a](docs/nothing.md)", "[a](docs/nothing.md)"),
        ("```md\n[a](docs/guide.md)\n```", "```md\n[a](docs/guide.md)\n```"),
        ("```python theirs\nx = [1][0]\n```", "```python\nx = [1][0]\n```"),
        ("[a](docs/guide.md) [b](LICENSE)", "[a](guide.md) b"),
    ],
)
def test_links_fit_the_site(before, after):
    assert moved(before) == after


def test_links_of_a_page_below_docs():
    assert moved("[up](../README.md)", "docs/guide.md") == "[up](index.md)"
    assert moved("[up](../../README.md)", "docs/adr/README.md") == "[up](../index.md)"


def test_pictures_move_too(tmp_path):
    (tmp_path / "docs" / "images").mkdir(parents=True)
    (tmp_path / "docs" / "images" / "why.svg").write_text("<svg/>")
    text = '![a](docs/images/why.svg) <img src="docs/images/why.svg">'
    (tmp_path / "README.md").write_text(text)
    build.write_pages(tmp_path, tmp_path / "site")
    moved_text = (tmp_path / "site" / "index.md").read_text()
    assert moved_text == '![a](images/why.svg) <img src="images/why.svg">'
    assert (tmp_path / "site" / "images" / "why.svg").exists()


def test_the_navigation_lists_folders(tmp_path):
    (tmp_path / "adr").mkdir()
    for name in ("README.md", "0002-b.md", "0001-a.md"):
        (tmp_path / "adr" / name).touch()
    text = build.configuration(tmp_path)
    assert text.index("adr/README.md") < text.index("adr/0001-a.md") < text.index("adr/0002-b.md")
    assert tomllib.loads(text)["project"]["theme"]["font"] is False


def named_in_the_reference():
    text = (CHECKOUT / "docs" / "reference" / "api.md").read_text("utf-8")
    return re.findall(r"^::: (\S+)$", text, re.MULTILINE)


@pytest.mark.parametrize("name", named_in_the_reference())
def test_the_reference_names_what_is_there(name):
    assert pkgutil.resolve_name(name).__doc__


def test_the_reference_has_every_public_name():
    named = [pkgutil.resolve_name(name) for name in named_in_the_reference()]
    inside = {value for each in named if inspect.ismodule(each) for value in vars(each).values()
              if inspect.isclass(value)}  # fmt: skip
    public = [getattr(unabridged, name) for name in unabridged.__all__]
    classes = [each for each in public if inspect.isclass(each)]
    assert len(classes) >= 5
    assert [each for each in classes if each not in named and each not in inside] == []


GOOD = (
    '<html><body id="top"><a href="https://example.org/">out</a><a href="b.html#part">b</a>'
    '<script src="a.js"></script></body></html>'
)


@pytest.fixture
def site(tmp_path):
    (tmp_path / "a.html").write_text(GOOD)
    (tmp_path / "b.html").write_text('<h2 id="part">Part</h2>')
    (tmp_path / "a.js").touch()
    items = [{"location": "a.html"}, {"location": "b.html#part"}]
    (tmp_path / "search.json").write_text(json.dumps({"items": items}))
    return tmp_path


def test_a_sound_site_has_no_faults(site):
    assert list(check.faults(site)) == []


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ('<script src="https://cdn.example/x.js"></script>', "loads https://cdn.example/x.js"),
        ('<img src="//cdn.example/x.png">', "loads //cdn.example/x.png"),
        ('<link rel="preconnect" href="https://fonts.example">', "loads https://fonts.example"),
        ('<p style="background: url(https://cdn.example/x)">', "loads https://cdn.example/x"),
        ('<a href="none.html">x</a>', "no none.html"),
        ('<a href="b.html#gone">x</a>', "no b.html#gone"),
        ('<a href="#gone">x</a>', "no #gone"),
        ('<img src="none.svg">', "no none.svg"),
    ],
)
def test_faults_of_a_site(site, part, fault):
    (site / "a.html").write_text(GOOD.replace("</body>", f"{part}</body>"))
    check.read_page.cache_clear()
    assert any(fault in found for found in check.faults(site))


def test_styles_from_elsewhere_and_pages_that_search_misses(site):
    (site / "x.css").write_text("@import 'https://fonts.example/a.css'; a{b:url( data:x )}")
    (site / "c.html").write_text("<p>c")
    found = list(check.faults(site))
    assert found == [
        "x.css loads https://fonts.example/a.css",
        "the search does not know c.html",
    ]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    if not BUILDER.exists():
        pytest.skip("the docs site is not installed: make docs")
    target = tmp_path_factory.mktemp("docs")
    ran = subprocess.run(
        [BUILDER, CHECKOUT / "tools" / "docs" / "build.py", "--to", target / "made"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return target / "made" / "site"


@pytest.mark.slow
def test_the_built_site_has_no_faults(built):
    assert list(check.faults(built)) == []


@pytest.mark.slow
def test_the_built_site_has_every_page_and_the_api(built):
    pages = set(build.site_pages(CHECKOUT).values())
    missing = [
        page
        for page in pages
        if page.endswith(".md")
        and not (built / page.replace("README.md", "index.md")).with_suffix(".html").exists()
    ]
    assert missing == []
    anchors = check.read_page(built / "reference" / "api.html").anchors
    for name in (
        "memory.Memory.prepare",
        "aio.AsyncMemory.prepare",
        "aio.AsyncReply.text",
        "client.remote.RemoteMemory.search",
        "domain.context.Context.messages",
        "errors.HeadMovedError",
    ):
        assert f"unabridged.{name}" in anchors
    index = json.loads((built / "search.json").read_text("utf-8"))
    assert any("tombstone" in item["text"] for item in index["items"])
