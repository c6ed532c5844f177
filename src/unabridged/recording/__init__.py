"""The write path: from messages to stored exchanges."""
