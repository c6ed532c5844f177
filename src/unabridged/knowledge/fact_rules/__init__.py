"""The rules by which facts are drawn without a model: tables of patterns, and what they must not meet."""

from unabridged.knowledge.fact_rules.extract import VERSION, draw, extract, understood

__all__ = ["VERSION", "draw", "extract", "understood"]
