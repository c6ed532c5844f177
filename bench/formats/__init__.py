"""The formats of public data sets that only benchmarks read."""
