"""Plans and executes forgetting, with journal and receipts."""
