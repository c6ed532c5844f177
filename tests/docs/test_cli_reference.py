from pathlib import Path

from unabridged.cli.reference import page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"


def test_the_reference_is_what_the_commands_say():
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "run: python -m unabridged.cli.reference > docs/reference/cli.md"
    )
