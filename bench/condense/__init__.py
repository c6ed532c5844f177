"""What condensing keeps, next to simple baselines, on public data with summaries."""
