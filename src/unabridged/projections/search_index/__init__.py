"""The search index of a space: follows the log, outside its transactions, and is rebuilt from it."""
