"""The programs that ``unabridged connect`` prints for libraries, run as they are printed."""

import re
import subprocess
import tempfile

from unabridged.cli.client_configs import NO_KEY, ServerAddress, clients, filled

PLACES = {"litellm": "programs", "openai-agents": "programs", "pydantic-ai": "programs"}
"""In which environment a library is, if not in ``clients``."""


def libraries(venv, node, url, model):
    """Run each printed program; give what passed and what failed.

    Args:
        venv: The environment that holds ``clients`` and ``programs``.
        node: Node.js.
        url: The server.
        model: Its model.
    """
    passed, failed = [], {}
    address = ServerAddress(url, "", model, NO_KEY, "", "", "unabridged")
    for name, client in clients().items():
        text = filled(client, address)
        if client.form == "python":
            python = venv / PLACES.get(name, "clients") / "bin" / "python"
            argv, folder = [str(python), "-c", text], tempfile.gettempdir()
        elif client.form == "javascript":
            argv, folder = [node, "--input-type=module", "-e", text], venv / "clients" / "npm"
        else:
            continue
        done = subprocess.run(
            argv, cwd=folder, capture_output=True, text=True, timeout=120, check=False
        )
        if done.returncode == 0 and re.search(r"\w", done.stdout):
            passed.append(name)
        else:
            failed[name] = done.stderr[-300:]
    return {"passed": passed, "failed": failed}
