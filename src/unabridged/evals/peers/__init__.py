"""Other memories, measured in the same run: one small adapter each, imported only when asked for."""
