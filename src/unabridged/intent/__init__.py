"""Intent: what a message asks of memory."""
