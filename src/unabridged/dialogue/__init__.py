"""One round with a model: prepare, begin, stream, tools, record."""
