"""The client of a server's memory: the methods of ``Memory`` over HTTP.

from unabridged.client import RemoteMemory

with RemoteMemory("http://127.0.0.1:11435", key=token) as memory:
    context = memory.prepare("Remember that cheese project?")
    memory.record(context, ask_your_model(context.messages))
"""

from unabridged.client.remote import RemoteMemory

__all__ = ["RemoteMemory"]
