"""The write path: record now, enrich and tidy later."""
