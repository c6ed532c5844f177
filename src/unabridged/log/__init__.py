"""Read the log in order: pages and cursors."""
