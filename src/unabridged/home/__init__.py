"""Files of a home: backups, keys, recovery and checks."""
