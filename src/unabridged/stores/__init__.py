"""Adapters that store spaces."""
