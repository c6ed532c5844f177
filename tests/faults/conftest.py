"""Disks that are really small or really end, for the tests of what then happens."""

import shutil
import subprocess

import pytest


@pytest.fixture
def mounted():
    """Give a function that makes a folder a disk of its own, of a size as tmpfs takes it."""
    made = []

    def mount(folder, size):
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
        if (
            not shutil.which("mount")
            or subprocess.run(command, capture_output=True, check=False).returncode
        ):
            pytest.skip("this user may not mount a small disk")
        made.append(folder)
        return folder

    yield mount
    for folder in reversed(made):
        subprocess.run(["umount", str(folder)], check=True)
