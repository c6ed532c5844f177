"""A short form of ``tests.faults.rekeying``."""

import json
import subprocess
import sys

from unabridged.stores.sqlite.connection import can_encrypt


def test_a_kill_while_a_home_is_encrypted_or_its_key_changed_loses_nothing():
    assert can_encrypt()
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.rekeying", "--count", "8"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    figures = json.loads(ran.stdout)
    assert ran.returncode == 0, ran.stderr
    assert figures["kills"] == 8
    assert (figures["lost"], figures["unreadable"], figures["words_left"]) == (0, 0, 0)
