"""The server: the dialects of Ollama and OpenAI with memory, and memory itself over HTTP.

``async`` lives here only. A handler reads a request, asks the facade in a thread, and passes on
what the upstream says.
"""
