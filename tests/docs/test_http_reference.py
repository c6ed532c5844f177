from pathlib import Path

from unabridged.server.routes.http_reference import page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "http.md"


def test_the_reference_is_what_the_document_says():
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "run: python -m unabridged.server.routes.http_reference > docs/reference/http.md"
    )
