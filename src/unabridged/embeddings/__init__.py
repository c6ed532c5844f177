"""Adapters that turn texts into vectors, one file each. They implement ``ports.Embedder``."""
