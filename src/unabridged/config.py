"""Settings from files, environment and arguments; the only reader of the environment."""
