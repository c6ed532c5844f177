"""Other memories, measured in the same run: one adapter each, imported when it is asked for."""
