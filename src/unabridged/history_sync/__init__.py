"""A client's whole message list against the stored log: where it is, and what is new."""
