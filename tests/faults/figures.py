"""What every program of this folder shares: its arguments, and how it tells its figures."""

import argparse
import json
from time import perf_counter


def arguments(about: str | None, count: int, **more: str) -> argparse.Namespace:
    """Read ``--count``, ``--seed`` and ``--store``.

    Args:
        about: The program's docstring.
        count: The default of ``--count``: the long form's.
        **more: Other options, with their defaults.
    """
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", choices=["sqlite", "files"], default="sqlite")
    for name, value in more.items():
        parser.add_argument(f"--{name}", default=value)
    return parser.parse_args()


def tell(fault: str, chosen: argparse.Namespace, begun: float, *, failed: bool, **figures) -> int:
    """Print one line of figures; give the exit status."""
    line = {"fault": fault, "store": chosen.store, "seed": chosen.seed, "ok": not failed, **figures}
    line["seconds"] = round(perf_counter() - begun, 1)
    print(json.dumps(line), flush=True)
    return int(failed)


def skip(fault: str, chosen: argparse.Namespace, reason: str) -> int:
    """Say why nothing was done."""
    print(json.dumps({"fault": fault, "store": chosen.store, "skipped": reason}), flush=True)
    return 0
