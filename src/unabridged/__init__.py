"""Conversation memory that never cuts a message, loses nothing and accounts for every token."""
