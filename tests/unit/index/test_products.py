import numpy as np

from unabridged.index.products import MOST, product, products_of


def whole(*shape: int) -> np.ndarray:
    drawn = np.random.default_rng(7).integers(-127, 128, shape)
    return drawn.astype(np.float32)


def test_a_product_in_pieces_is_the_product() -> None:
    rows, columns = whole(3_001, 64), whole(64, 31)
    assert rows.size * columns.shape[1] > MOST
    assert (product(rows, columns) == np.einsum("ij,jk->ik", rows, columns)).all()


def test_columns_beyond_the_bound_are_multiplied_row_by_row() -> None:
    rows, columns = whole(3, 64), whole(64, 1 + MOST // 64)
    assert (product(rows, columns) == np.einsum("ij,jk->ik", rows, columns)).all()


def test_nothing_times_something_is_nothing() -> None:
    assert product(whole(0, 64), whole(64, 3)).shape == (0, 3)
    assert product(whole(5, 64), whole(64, 0)).shape == (5, 0)
    assert products_of(whole(4, 0)).tolist() == np.zeros((4, 4)).tolist()


def test_each_row_with_each() -> None:
    rows = whole(20, 2_000)
    found = products_of(rows)
    assert found.dtype == np.float64
    assert (found == np.einsum("ij,kj->ik", rows, rows, dtype=np.float64)).all()
