"""The write path: messages to stored exchanges."""
