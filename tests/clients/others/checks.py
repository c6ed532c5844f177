"""What the scripts of the longer group share: steps that say whether they passed.

They run in an environment of their own (requirements/clients.txt), where neither this project nor
its tests are installed: each is started as a program, with the addresses in its environment, and
prints one line of JSON.
"""

import asyncio
import inspect
import json
import os
import sys
import traceback

OPENAI = os.environ.get("CHECK_OPENAI", "")
OLLAMA = os.environ.get("CHECK_OLLAMA", "")
MODEL = os.environ.get("CHECK_MODEL", "")
HELLO = "Hello, my boat is called Petronella."
STEPS = []


def step(work):
    """Take a function as a step; its name says what is tried."""
    STEPS.append(work)
    return work


def main():
    """Run every step, and print what came of them."""
    passed, failed = [], {}
    for work in STEPS:
        try:
            made = work()
            if inspect.isawaitable(made):
                asyncio.run(_await(made))
            passed.append(work.__name__)
        except Exception as error:  # noqa: BLE001 - whatever a foreign client raises is the finding
            where = traceback.extract_tb(error.__traceback__)[-1]
            failed[work.__name__] = f"{type(error).__name__}: {str(error)[:300]} ({where.name})"
    print(json.dumps({"passed": passed, "failed": failed}))
    return len(failed)


async def _await(made):
    return await made


def run():
    """Run the steps of a script."""
    sys.exit(main())
