"""How well memory finds the evidence that a question needs, next to plain baselines."""
