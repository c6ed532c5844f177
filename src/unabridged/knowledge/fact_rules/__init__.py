"""The rules that extract facts without a model: tables of patterns and of exclusions."""

from unabridged.knowledge.fact_rules.extract import VERSION, draw, extract, understood

__all__ = ["VERSION", "draw", "extract", "understood"]
