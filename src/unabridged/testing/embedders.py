"""The contract that every ``Embedder`` passes.

Inherit ``EmbedderContract`` in a test class and define the fixture ``embedder``. For an embedder
that uses a server, inherit ``ServedEmbedderContract`` and define the fixture ``away`` too: an
embedder whose server does not run. Needs pytest.
"""

import numpy as np
import pytest

from unabridged.errors import UpstreamAwayError
from unabridged.ports import Embedder

TEXTS = (
    "The cat sleeps on the warm roof of the house.",
    "Interest rates rose again, and the bank raised its fees.",
    "def get_user_id(row): return row['id']  # 42",
    "Zeile\u2028mit Umlauten: äöü, ß; 海 🌊",
)
NEAR = "Where does the cat sleep, on the roof or in the house?"
"""A question that is nearest to the first of the texts."""
_LONG = "The sea and the sky and the sand and the wind and the waves. " * 300


class EmbedderContract:
    """The contract of every embedder."""

    tolerance = 1e-4
    """The largest difference of a number when a text is embedded again."""

    def test_it_says_what_it_is(self, embedder: Embedder) -> None:
        """Identity and dimension exist and do not change by embedding."""
        before = (embedder.identity, embedder.dimension)
        assert embedder.identity
        assert embedder.dimension > 1
        assert isinstance(embedder.instant, bool)
        embedder.embed(TEXTS)
        assert (embedder.identity, embedder.dimension) == before

    def test_vectors_have_shape_and_length(self, embedder: Embedder) -> None:
        """Each text gets a row of length 1, in 32 bits."""
        made = embedder.embed(TEXTS)
        assert made.shape == (len(TEXTS), embedder.dimension)
        assert made.dtype == np.float32
        assert np.linalg.norm(made, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-4)
        asked = embedder.embed_query(NEAR)
        assert asked.shape == (embedder.dimension,)
        assert asked.dtype == np.float32
        assert float(np.linalg.norm(asked)) == pytest.approx(1, abs=1e-4)

    def test_a_text_has_its_vector_whatever_stands_beside_it(self, embedder: Embedder) -> None:
        """Order, neighbours and their lengths change nothing."""
        alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
        beside = embedder.embed([_LONG, *TEXTS, "", TEXTS[0]])
        assert beside[1 : 1 + len(TEXTS)] == pytest.approx(alone, abs=self.tolerance)
        assert beside[-1] == pytest.approx(alone[0], abs=self.tolerance)
        assert embedder.embed(TEXTS[::-1])[::-1] == pytest.approx(alone, abs=self.tolerance)

    def test_different_texts_have_different_vectors(self, embedder: Embedder) -> None:
        """No two texts have the same vector."""
        made = embedder.embed(TEXTS)
        likeness = made @ made.T - np.eye(len(TEXTS))
        assert likeness.max() < 0.999

    def test_a_question_is_nearest_to_what_it_is_about(self, embedder: Embedder) -> None:
        """Inner products of questions and texts can be compared."""
        assert int(np.argmax(embedder.embed(TEXTS) @ embedder.embed_query(NEAR))) == 0

    def test_nothing_gives_nothing(self, embedder: Embedder) -> None:
        """No texts give no rows; blank texts give zeros."""
        assert embedder.embed([]).shape == (0, embedder.dimension)
        assert not embedder.embed(["", " \n\t"]).any()
        assert embedder.embed(["", ""]).shape == (2, embedder.dimension)
        assert not embedder.embed_query("").any()
        assert embedder.embed(["", TEXTS[0]])[1].any()

    def test_the_end_of_a_long_text_counts(self, embedder: Embedder) -> None:
        """Nothing is cut off: the last words change the vector."""
        ends = ("the cat sleeps on the roof " * 200, "banks raised their interest fees " * 200)
        first, second = embedder.embed([_LONG + end for end in ends])
        assert float(first @ second) < 0.9999
        assert float(np.linalg.norm(first)) == pytest.approx(1, abs=1e-4)

    def test_many_texts_come_in_order(self, embedder: Embedder) -> None:
        """More texts than one batch holds."""
        texts = [f"{TEXTS[place % 4]} Number {place}." for place in range(150)]
        made = embedder.embed(texts)
        assert made.shape == (150, embedder.dimension)
        for place in (0, 63, 64, 149):
            alone = embedder.embed([texts[place]])[0]
            assert made[place] == pytest.approx(alone, abs=self.tolerance)

    def test_what_is_known_is_a_share(self, embedder: Embedder) -> None:
        """``known`` is from 0 to 1, and English is known."""
        for text in (*TEXTS, "", "ꙮꙮꙮ"):
            assert 0 <= embedder.known(text) <= 1
        assert embedder.known(TEXTS[0]) > 0.8

    def test_closing_twice_does_nothing(self, embedder: Embedder) -> None:
        """A second close is no error."""
        embedder.embed(TEXTS[:1])
        embedder.close()
        embedder.close()


class ServedEmbedderContract(EmbedderContract):
    """The contract of an embedder that uses a server."""

    def test_a_server_that_is_away_is_a_typed_error(self, away: Embedder) -> None:
        """Without an answer, the error says so and has a hint."""
        with pytest.raises(UpstreamAwayError) as caught:
            away.embed(TEXTS)
        assert caught.value.hint
        with pytest.raises(UpstreamAwayError):
            away.embed_query(NEAR)
        away.close()
