"""The formats of imports, one a file; ``table.FORMATS`` lists them."""
