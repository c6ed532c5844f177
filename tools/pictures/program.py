"""The command line with a clock that begins at the scene's time.

The first argument is the monotonic time at which the scene began.
"""

import sys
from datetime import datetime, timedelta
from time import monotonic

from tools.pictures.scene import START

from unabridged import clock
from unabridged.cli.main import main

BEGIN = float(sys.argv.pop(1))


def _now(_: clock.SystemClock) -> datetime:
    return datetime.fromisoformat(START) + timedelta(seconds=monotonic() - BEGIN)


if __name__ == "__main__":
    setattr(clock.SystemClock, "now", _now)  # noqa: B010 - a method is replaced on purpose
    main()
