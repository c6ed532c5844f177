"""What text consists of: words, sentences, names. Pure functions over strings."""
