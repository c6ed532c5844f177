"""Words, sentences and names in text. Pure functions over strings."""
