"""The example of docs/howto/serve.md runs as it is, but for the address."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "serve.md"


def test_the_client_of_openai_is_answered_and_remembered(serving, capsys):
    url = serving(upstream="quote")
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    code = code.replace("http://127.0.0.1:11435", url)
    exec(code, {})
    exec(
        code.replace("My sister's train leaves at 9:40.", "When does my sister's train leave?"), {}
    )
    assert "9:40" in capsys.readouterr().out.splitlines()[-1]
