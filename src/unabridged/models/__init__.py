"""Model servers, one adapter each."""
