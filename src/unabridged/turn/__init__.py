"""A message on its way to an answer: prepare, begin, ask, tools, record."""
