"""The read path: tiers, assembly, rendering, the ledger."""
