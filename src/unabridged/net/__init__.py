"""HTTP client and relay."""
