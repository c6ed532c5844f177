import pytest

from unabridged.retrieval.ranking_weights import FEW, RECIPES


@pytest.mark.parametrize("recipe", RECIPES.values())
def test_more_is_looked_at_where_more_is_wanted(recipe):
    few, many = recipe.candidates_for(FEW), recipe.candidates_for(FEW + 1)
    assert FEW < few < many
