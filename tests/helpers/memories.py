"""Steps that many tests take with a memory."""


def say(memory, text, answer="Noted."):
    """Store a message with its answer, and return the exchange."""
    return memory.record(memory.prepare(text), answer)
