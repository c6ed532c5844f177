"""Categories, importance and emotions of messages."""
