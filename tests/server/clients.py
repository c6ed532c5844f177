"""The official clients, opened for a test and closed with it."""

import contextlib

import httpx2
import ollama
import openai
from tests.opened import transport_of


@contextlib.contextmanager
def ollama_client(url):
    client = ollama.Client(host=str(url))
    with contextlib.closing(transport_of(client)):
        yield client


@contextlib.asynccontextmanager
async def async_ollama_client(url):
    client = ollama.AsyncClient(host=str(url))
    try:
        yield client
    finally:
        await transport_of(client).aclose()


def openai_client(url, **more):
    return openai.OpenAI(base_url=f"{url}/v1", api_key="dummy", max_retries=0, **more)


def async_openai_client(url, **more):
    return openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="dummy", max_retries=0, **more)


def http(url, **more):
    return httpx2.Client(base_url=str(url), timeout=30, **more)
