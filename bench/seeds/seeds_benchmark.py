"""``python -m bench seeds``: one seed after the other, each in its own profile."""

import importlib
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bench.core.core_benchmark import machine
from bench.seeds.metric import SeedMetric, SeedReport
from bench.seeds.seed_setup import SeedRun
from unabridged.errors import SettingError

SEEDS: Mapping[str, str] = MappingProxyType(
    {
        "workspace": "WorkspaceAI",
        "companion": "WhisperEngine",
        "agent": "Dana",
        "requirements": "ReqVIBE",
        "story": "EMM",
    }
)
"""The seed by profile."""
INTENT = Path("tests/fixtures/intent")
"""The folder of labelled messages in a checkout."""


def run(
    *,
    only: Sequence[str] = (),
    data: str | Path | None = None,
    intent: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
    scale: float = 1.0,
) -> SeedReport:
    """Measure what the seeds ask for.

    Args:
        only: Only these profiles.
        data: A folder with any of ``longmemeval``, ``locomo`` and ``crd3``; None for none.
        intent: A folder with labelled messages (``*.tsv``); None for the checkout's, where it is.
        progress: Told in a few words what continues.
        scale: 1 for the figures; less to try it with smaller memories.

    Raises:
        SettingError: There is no such profile.
        TransferError: The data cannot be read.
    """
    unknown = [name for name in only if name not in SEEDS]
    if unknown:
        raise SettingError(
            f"No seed belongs to the profile {unknown[0]!r}.",
            hint=f"Choose from: {', '.join(SEEDS)}.",
        )
    labelled = Path(intent) if intent else INTENT
    found: list[SeedMetric] = []
    for name in only or SEEDS:
        with tempfile.TemporaryDirectory(prefix=f"unabridged-{name}-") as home:
            course = SeedRun(
                Path(home),
                progress or (lambda _: None),
                Path(data) if data else None,
                labelled if labelled.exists() else None,
                scale,
            )
            module: Any = importlib.import_module(f"bench.seeds.{name}")
            found += module.measure(course)
    return SeedReport(machine() | {"load": f"{os.getloadavg()[0]:.2f}"}, tuple(found))
