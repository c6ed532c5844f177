"""Contract suites and protocol servers, shipped for those who write adapters."""
