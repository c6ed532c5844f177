"""What the pictures show: the exported conversations, the words typed, and the times."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

COLUMNS, ROWS = 84, 30
START = "2026-06-14T10:00:00+00:00"
"""The time at which the scene begins."""
EXPORT_NAME = "conversations.json"


@dataclass(frozen=True)
class Step:
    """One line to type, and how long its result stays on the screen."""

    line: str
    seconds: float
    clear: bool = False
    shot: str = ""
    """The name of a picture of the screen after this step."""


STEPS = (
    Step(f"unabridged import {EXPORT_NAME}", 3.5),
    Step("unabridged chat --new", 2.0, clear=True),
    Step("When does Marta's train leave, and from where?", 4.0),
    Step("/why", 7.0, clear=True, shot="why"),
    Step("/quit", 1.5),
)
"""The recording. `cast.svg` is made of all of it, `why.svg` of the marked screen."""

CONVERSATIONS = (
    (
        "Marta's visit",
        "2026-05-12T18:20:00+00:00",
        (
            (
                "My sister Marta visits me in June. Her train leaves Porto Campanhã at 9:40 on Friday.",
                "Noted: Marta takes the 9:40 from Porto Campanhã on Friday. "
                "Allow twenty minutes to change platforms.",
            ),
            (
                "She does not eat nuts. What could I cook?",
                "A risotto with asparagus needs no nuts, and it is in season.",
            ),
        ),
    ),
    (
        "A cheese for the picnic",
        "2026-05-20T09:05:00+00:00",
        (
            (
                "Which cheese goes with figs? We liked the soft one from Azeitão.",
                "Take the Azeitão again: it is soft, and figs balance its salt.",
            ),
        ),
    ),
    (
        "Bicycle repair",
        "2026-06-02T19:45:00+00:00",
        (
            (
                "My bicycle's chain slips on the smallest gear.",
                "The chain is probably worn. Measure it: replace it at 0.75 % stretch.",
            ),
        ),
    ),
)


def write_export(path: Path) -> None:
    """Write the conversations as ChatGPT exports them."""
    export = []
    for number, (title, start, exchanges) in enumerate(CONVERSATIONS):
        at = datetime.fromisoformat(start).timestamp()
        texts = [
            (role, text)
            for pair in exchanges
            for role, text in zip(("user", "assistant"), pair, strict=True)
        ]
        ids = [f"c{number}-m{index}" for index in range(len(texts))]
        mapping: dict[str, object] = {}
        for index, (role, text) in enumerate(texts):
            mapping[ids[index]] = {
                "id": ids[index],
                "parent": ids[index - 1] if index else None,
                "children": ids[index + 1 : index + 2],
                "message": {
                    "id": ids[index],
                    "author": {"role": role},
                    "create_time": at + 20 * index,
                    "content": {"content_type": "text", "parts": [text]},
                    "recipient": "all",
                },
            }
        export.append(
            {
                "id": f"c{number}",
                "title": title,
                "create_time": at,
                "update_time": at + 20 * len(texts),
                "mapping": mapping,
                "current_node": ids[-1],
            }
        )
    path.write_text(json.dumps(export), "utf-8")
