"""How long storing, preparing and counting take, next to bare baselines."""
