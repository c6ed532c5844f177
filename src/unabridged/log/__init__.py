"""Following a log: what changed in it, and how far background work has come."""
