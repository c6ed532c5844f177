"""The release script: what it writes, what it refuses, and that a dry run changes nothing."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tools.release import release

CHECKOUT = Path(__file__).parents[2]
PROJECT = '[project]\nname = "unabridged"\nversion = "0.1.0"\n'
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n"


@pytest.fixture
def checkout(tmp_path):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "CHANGELOG.md").write_text(CHANGELOG)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "user.name", "Ann")
    git(folder, "config", "user.email", "ann@example.com")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "Begin")
    return folder


def git(folder, *words):
    ran = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


@pytest.fixture
def quick(monkeypatch):
    """Leave out what test_wheel.py tries: building, checking and installing."""
    built = []

    def build_all(tree, target):
        built.append((tree / "pyproject.toml").read_text())
        return {"wheel": CHECKOUT / "LICENSE"}

    monkeypatch.setattr(release, "build_all", build_all)
    monkeypatch.setattr(release, "_check", lambda files: None)
    monkeypatch.setattr(release, "try_wheel", lambda wheel, python: "works")
    return built


def test_a_release_sets_the_version_cuts_the_changelog_and_tags(checkout, quick, tmp_path):
    release.make(checkout, "0.2.0", dry_run=False, target=tmp_path)
    assert 'version = "0.2.0"' in (checkout / "pyproject.toml").read_text()
    assert 'version = "0.2.0"' in quick[0]
    changelog = (checkout / "CHANGELOG.md").read_text()
    assert changelog.index("[Unreleased]") < changelog.index("## [0.2.0] - 20")
    assert changelog.index("## [0.2.0]") < changelog.index("- A thing.")
    assert git(checkout, "describe", "--exact-match") == "v0.2.0"
    assert git(checkout, "status", "--porcelain") == ""
    assert git(checkout, "worktree", "list").count("\n") == 0


def test_a_dry_run_changes_nothing(checkout, quick, tmp_path):
    before = git(checkout, "rev-parse", "HEAD")
    release.make(checkout, "0.2.0", dry_run=True, target=tmp_path)
    assert quick
    assert git(checkout, "rev-parse", "HEAD") == before
    assert git(checkout, "tag") == git(checkout, "status", "--porcelain") == ""


def test_a_failed_build_changes_nothing(checkout, monkeypatch, tmp_path):
    def build_all(tree, target):
        raise SystemExit("Two builds differ.")

    monkeypatch.setattr(release, "build_all", build_all)
    before = git(checkout, "rev-parse", "HEAD")
    with pytest.raises(SystemExit):
        release.make(checkout, "0.2.0", dry_run=False, target=tmp_path)
    assert git(checkout, "rev-parse", "HEAD") == before
    assert git(checkout, "worktree", "list").count("\n") == 0


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("next", "Invalid version"),
        ("0.02.0", "Write the version as 0.2.0"),
        ("0.0.9", "is not newer"),
    ],
)
def test_versions_that_are_refused(checkout, version, reason):
    with pytest.raises(release.ReleaseError, match=reason):
        release.refuse(checkout, version)


def test_a_version_that_is_tagged_and_changes_are_refused(checkout):
    (checkout / "new.txt").write_text("x")
    with pytest.raises(release.ReleaseError, match="not committed"):
        release.refuse(checkout, "0.2.0")
    git(checkout, "tag", "v0.2.0")
    with pytest.raises(release.ReleaseError, match="is there already"):
        release.refuse(checkout, "0.2.0")


def test_the_first_release_may_have_the_version_that_is_there(checkout):
    release.refuse(checkout, "0.1.0")
    git(checkout, "tag", "v0.0.5")
    with pytest.raises(release.ReleaseError, match="is not newer"):
        release.refuse(checkout, "0.1.0")


def test_a_changelog_without_news_is_refused():
    empty = "## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- Old.\n"
    with pytest.raises(release.ReleaseError, match="nothing under"):
        release.cut_changelog(empty, "0.2.0", "2026-02-01")


def test_our_own_files_can_be_released():
    project = (CHECKOUT / "pyproject.toml").read_text("utf-8")
    assert 'version = "9.9.9"' in release.with_version(project, "9.9.9")
    changelog = (CHECKOUT / "CHANGELOG.md").read_text("utf-8")
    assert release.NEWEST in changelog
