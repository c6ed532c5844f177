"""What `unabridged connect` prints works as it is printed, against a running server."""

import shutil
import subprocess
import sys

import pytest
from tests.helpers.talker import talking

from unabridged.cli.client_configs import NO_KEY, ServerAddress, client_of, filled
from unabridged.domain.scope import Scope


@pytest.fixture
def server(serving):
    url = serving(upstream="quote")

    def held():
        with talking(url.service.pool, Scope()) as memory:
            return [e.user.text for c in memory.space.log.transcripts() for e in c.exchanges]

    made = ServerAddress(str(url), str(url.settings.home), "quote", NO_KEY, "", "", "unabridged")
    return made, held


@pytest.mark.parametrize("name", ["openai-python", "ollama-python"])
def test_the_program_runs_as_it_is_printed(server, name):
    made, held = server
    text = filled(client_of(name), made)
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()
    assert held() == ["What did I tell you about my plans?"]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not here")
def test_the_command_runs_as_it_is_printed(server):
    made, held = server
    text = filled(client_of("curl"), made)
    ran = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert '"done":true' in ran.stdout
    assert held() == ["What did I tell you?"]
