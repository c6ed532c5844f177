"""Recall and condensing give the figures that were recorded, to the third digit."""

import json

import pytest
from tests.golden.figures import DATA, FIGURES, measured


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the public data do not lie beside the checkout")
def test_the_figures_are_as_recorded():
    assert measured() == json.loads(FIGURES.read_text("utf-8"))
