"""Wheel and sdist: what is in them, that they can be rebuilt, and that the wheel works on its own."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from tools.release import dist, release, try_install

CHECKOUT = Path(__file__).parents[2]
NOTICE = (CHECKOUT / "NOTICE").read_text("utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    if shutil.which("git") is None or not (CHECKOUT / ".git").exists():
        pytest.skip("the build takes the tracked files, and this is no git checkout")
    # Raises unless three builds are the same: two of copies, one of the unpacked sdist.
    return dist.build_all(CHECKOUT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def packed(built):
    with zipfile.ZipFile(built["wheel"]) as wheel:
        return wheel.namelist()


@pytest.mark.slow
def test_the_wheel_holds_the_package_alone(packed):
    tops = {name.split("/")[0] for name in packed}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"unabridged"}
    parts = {part.removesuffix(".py") for name in packed for part in Path(name).parts}
    assert parts & {"bench", "bench_command", "evals", "tests", "locomo", "longmemeval"} == set()


@pytest.mark.slow
def test_notice_says_where_every_data_file_is_from(packed):
    listed = set(re.findall(r"[\w./]+", NOTICE))
    folders = tuple(word for word in listed if word.endswith("/"))
    data = [
        name.partition("/")[2]
        for name in packed
        if not name.endswith(".py") and ".dist-info/" not in name
    ]
    assert len(data) > 20
    assert [name for name in data if name not in listed and not name.startswith(folders)] == []


@pytest.mark.slow
def test_the_metadata_can_be_published(built):
    assert list(release.metadata_faults(built["wheel"])) == []


@pytest.mark.slow
def test_what_is_missing_or_too_much_is_reported(built, tmp_path):
    wheel = tmp_path / "poor.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("unabridged/py.typed", "")
        archive.writestr("tests/test_it.py", "")
    faults = list(dist.content_faults(wheel, built["sdist"]))
    assert "The wheel has no NOTICE." in faults
    assert "The wheel has no unabridged/embeddings/data/table.npy." in faults
    assert "tests/test_it.py must not be packed." in faults


@pytest.mark.slow
def test_the_wheel_works_outside_of_the_checkout(built, tmp_path):
    """The short form; `tools/release/try_install.py` does it in empty environments."""
    target = tmp_path / "installed"
    with zipfile.ZipFile(built["wheel"]) as wheel:
        wheel.extractall(target)
    command = [sys.executable, "-c", "from unabridged.cli.main import main; main()"]
    variables = {"PYTHONPATH": str(target)}
    found = subprocess.run(
        [sys.executable, "-c", "import unabridged; print(unabridged.__file__)"],
        env=variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(found.stdout.strip()).is_relative_to(target)
    try_install.use(command, sys.executable, tmp_path, variables)


def test_a_step_that_fails_is_shown(tmp_path):
    failing = [sys.executable, "-c", "import sys; sys.exit('no such thing')"]
    with pytest.raises(SystemExit, match="no such thing"):
        try_install.use(failing, sys.executable, tmp_path)
    silent = [sys.executable, "-c", ""]
    with pytest.raises(SystemExit, match=r"printed no 'unabridged '"):
        try_install.use(silent, sys.executable, tmp_path)


def test_only_pyproject_has_the_version():
    version = dist.version_of(CHECKOUT)
    quoted = re.compile(rf"""["']{re.escape(version)}["']""")
    sources = [*(CHECKOUT / "src").rglob("*.py"), *(CHECKOUT / "bench").rglob("*.py")]
    assert [str(path) for path in sources if quoted.search(path.read_text("utf-8"))] == []


def test_every_extra_that_a_message_names_is_declared():
    places = {"MissingExtraError": 1, "install_command": 0}
    named = set()
    for path in (CHECKOUT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            place = places.get(node.func.id) if is_named_call(node) else None
            if place is not None and isinstance(node.args[place], ast.Constant):
                named.add(node.args[place].value)
    assert named >= {"gguf", "http", "mcp", "server"}
    text = (CHECKOUT / "pyproject.toml").read_text("utf-8")
    assert named <= set(tomllib.loads(text)["project"]["optional-dependencies"])


def is_named_call(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
