"""The client of our own HTTP interface: the facade of a memory that another process keeps."""
