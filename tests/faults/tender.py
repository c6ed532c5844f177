"""A process that tends a space and says how far it came. Run by the fault tests.

Usage: tender.py HOME
"""

import sys

from tests.helpers.talker import Talker

from unabridged.domain.settings import Settings
from unabridged.models.scripted import ScriptedModel


def main():
    """Tend everything; print each step after it is stored."""
    settings = Settings(home=sys.argv[1], condense_tokens=2000, facts="rules")
    with Talker.open(settings=settings, upstream=ScriptedModel()) as memory:
        print("opened", flush=True)
        for step in memory.maintain():
            print(step.stage, step.done, flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main()
