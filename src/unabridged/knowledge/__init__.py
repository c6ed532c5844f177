"""Facts and requirements learned from exchanges."""
