"""What facts the rules draw from conversations, and what facts answer."""
