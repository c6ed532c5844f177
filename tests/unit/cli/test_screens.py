import sys

import pytest

from unabridged.cli.chat.plain import PlainScreen, SilentScreen
from unabridged.cli.chat.screen import choose_screen
from unabridged.errors import MissingExtraError


@pytest.fixture
def on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)


@pytest.mark.usefixtures("on_a_terminal")
def test_the_screen_fits_what_is_there():
    assert choose_screen(plain=False, as_json=False).interactive
    assert isinstance(choose_screen(plain=True, as_json=False), PlainScreen)
    assert isinstance(choose_screen(plain=False, as_json=True), SilentScreen)


def test_a_pipe_gets_plain_text():
    assert isinstance(choose_screen(plain=False, as_json=False), PlainScreen)


@pytest.mark.usefixtures("on_a_terminal")
@pytest.mark.parametrize(
    ("module", "package"), [("rich.console", "rich"), ("prompt_toolkit", "prompt_toolkit")]
)
def test_a_missing_extra_is_named_with_what_installs_it(monkeypatch, module, package):
    for name in [name for name in sys.modules if name.startswith("unabridged.cli.chat.")]:
        if name.rpartition(".")[2] in {"terminal", "editor", "markdown"}:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=package) as caught:
        choose_screen(plain=False, as_json=False)
    assert "[chat]'" in caught.value.hint
