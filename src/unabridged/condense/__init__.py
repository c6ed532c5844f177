"""Making old exchanges smaller without inventing."""
