"""Files that follow the log and can be rebuilt from it."""
