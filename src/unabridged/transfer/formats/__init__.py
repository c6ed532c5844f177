"""Foreign formats on their way in, one a file; ``table.FORMATS`` names them all."""
