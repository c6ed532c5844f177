import pytest

from unabridged.errors import UnabridgedError


@pytest.fixture(scope="session")
def smollm2(request):
    """The small model's file, fetched once into pytest's own cache folder."""
    from unabridged.models import gguf
    from unabridged.models.smollm2 import fetch

    if not gguf.installed():
        pytest.skip("xllamacpp is not installed")
    try:
        return fetch(request.config.cache.mkdir("unabridged"))
    except UnabridgedError as error:
        pytest.skip(f"the small model cannot be fetched: {error}")
