"""The server: the dialects of Ollama and OpenAI with memory, and memory itself over HTTP.

``async`` lives here only. A handler reads a request, calls the memory in a thread, and passes on
the upstream's answer.
"""
