"""What follows the log and can be rebuilt from it."""
