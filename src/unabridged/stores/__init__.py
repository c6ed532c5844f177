"""Where spaces are kept, one adapter each."""
