"""Search, prepare, record and import in stores of up to a million exchanges."""
