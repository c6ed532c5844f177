"""What the wheel holds: the package and its metadata, and no benchmark."""

from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

CHECKOUT = Path(__file__).parents[2]


def test_the_wheel_holds_the_package_alone():
    builder = WheelBuilder(str(CHECKOUT))
    names = sorted(each.distribution_path for each in builder.recurse_included_files())
    assert "unabridged/cli/main.py" in names
    assert [name for name in names if not name.startswith("unabridged/")] == []
    parts = {part.removesuffix(".py") for name in names for part in Path(name).parts}
    assert parts & {"bench", "bench_command", "evals", "tests", "locomo", "longmemeval"} == set()
