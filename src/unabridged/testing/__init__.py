"""Contract suites, shipped for those who write adapters."""
