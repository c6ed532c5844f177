"""``curl`` against the server, as the documentation of both dialects shows it."""

import json
import subprocess


def _curl(*arguments):
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--no-buffer", "--max-time", "60", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def _post(address, body, *more):
    text = json.dumps(body)
    return _curl(*more, address, "-H", "Content-Type: application/json", "-d", text)


def curl(url, model):
    """Try both dialects, whole and streamed; gives what passed and what failed."""
    said = [{"role": "user", "content": "Hello, my boat is called Petronella."}]
    passed, failed = [], {}

    def step(name, work):
        try:
            held = work()
        except (AssertionError, ValueError, KeyError, subprocess.CalledProcessError) as error:
            failed[name] = f"{type(error).__name__}: {str(error)[:300]}"
        else:
            (passed.append(name) if held else failed.update({name: "not as wanted"}))

    def lines(text):
        return [json.loads(line) for line in text.splitlines()]

    def events(text):
        return [line[6:] for line in text.splitlines() if line.startswith("data: ")]

    step("version", lambda: "version" in json.loads(_curl(f"{url}/api/version")))
    step("tags", lambda: json.loads(_curl(f"{url}/api/tags"))["models"] is not None)
    step("models", lambda: json.loads(_curl(f"{url}/v1/models"))["data"])
    body = {"model": model, "messages": said}
    step(
        "chat in a stream",
        lambda: lines(_post(f"{url}/api/chat", body))[-1]["done"] is True,
    )
    step(
        "chat whole",
        lambda: json.loads(_post(f"{url}/api/chat", {**body, "stream": False}))["message"][
            "content"
        ],
    )
    step(
        "generate",
        lambda: lines(_post(f"{url}/api/generate", {"model": model, "prompt": "Hello."}))[-1][
            "done"
        ],
    )
    step(
        "chat completions whole",
        lambda: json.loads(_post(f"{url}/v1/chat/completions", body))["choices"],
    )
    step(
        "chat completions in a stream",
        lambda: (
            events(_post(f"{url}/v1/chat/completions", {**body, "stream": True}))[-1] == "[DONE]"
        ),
    )
    step(
        "responses",
        lambda: json.loads(_post(f"{url}/v1/responses", {"model": model, "input": "Hi."}))[
            "output"
        ],
    )
    step("health", lambda: _curl(f"{url}/healthz") and _curl(f"{url}/readyz"))
    step(
        "what is no JSON is refused",
        lambda: (
            "error"
            in json.loads(
                _curl(f"{url}/api/chat", "-d", "{", "-H", "Content-Type: application/json")
            )
        ),
    )
    return {"passed": passed, "failed": failed}
