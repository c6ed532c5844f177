"""What follows the log of a space and can be rebuilt from it."""
