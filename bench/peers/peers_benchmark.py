"""``python -m bench peers``: other memories and ourselves, on the same turns with the same vectors.

Every peer runs in a process of its own on one core, embeds with our default embedder (that time
counts), keeps its files in a folder of its own, and reaches nothing outside of this machine.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.core.core_benchmark import machine
from bench.figures.timer import spread
from bench.formats.locomo import load
from bench.peers.peer import KINDS, installed
from bench.scale.scale_benchmark import MEBIBYTE
from unabridged.errors import SettingError

QUIET = {"MEM0_TELEMETRY": "False", "ANONYMIZED_TELEMETRY": "False", "OPENAI_API_KEY": "none"}
"""What keeps peers from sending anything, and from asking for keys that nothing needs."""

Progress = Callable[[str], None]


@dataclass(slots=True)
class Comparison:
    """The outcome of a run.

    Attributes:
        machine: The machine.
        rows: A row for each peer.
        notes: What was left out, and why.
        interrupted: Whether it was interrupted.
    """

    machine: Mapping[str, str]
    rows: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False


def run(data: str | Path, *, progress: Progress, only: Sequence[str] = ()) -> Comparison:
    """Measure every peer that is installed.

    Args:
        data: LoCoMo, as ``transfer.formats.locomo.load`` reads it.
        progress: Told in a few words what continues.
        only: Only these peers; empty for all.

    Raises:
        SettingError: There is no such peer.
        TransferError: The data cannot be read.
    """
    unknown = [name for name in only if name not in KINDS]
    if unknown:
        raise SettingError(f"There is no peer {unknown[0]!r}.", hint=f"Known: {', '.join(KINDS)}.")
    load(data)  # report an error before anything is measured
    comparison = Comparison(machine())
    try:
        for name, kind in KINDS.items():
            if only and name not in only:
                continue
            if not installed(name):
                comparison.notes.append(f"{name} is not installed.")
                continue
            progress(f"Measuring {name} …")
            found = _measured(name, str(Path(data).resolve()))
            if "error" in found:
                comparison.notes.append(f"{name} failed: {found['error']}")
            else:
                comparison.rows.append({**_row(name, found), "note": kind.note})
    except KeyboardInterrupt:
        comparison.interrupted = True
    return comparison


def _measured(name: str, data: str) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory(prefix="unabridged-bench-") as folder,
        tempfile.TemporaryDirectory(prefix="unabridged-bench-") as home,
    ):
        given = json.dumps({"name": name, "data": data, "folder": folder})
        done = subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-m", "bench.peers.peer_process", given],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **QUIET, "HOME": home, "MEM0_DIR": home},  # noqa: TID251 - a child's environment, not a setting of ours
        )
    if done.returncode == 130:  # the child was interrupted, and so were we
        raise KeyboardInterrupt
    if done.returncode != 0:
        return {"error": (done.stderr.strip().splitlines() or ["no word"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _row(name: str, found: Mapping[str, Any]) -> dict[str, Any]:
    search = spread(found["search_ms"])
    resident = found["resident"]
    return {
        "peer": name,
        "turns": found["turns"],
        "questions": found["questions"],
        "ingest turns/s": round(found["ingest"]),
        "search p50 ms": round(search.p50, 2),
        "search p95 ms": round(search.p95, 2),
        **{key: round(value, 4) for key, value in found["recall"].items()},
        "resident MiB": None if resident is None else round(resident / MEBIBYTE, 1),
        "disk bytes/turn": round(found["disk"]),
    }
