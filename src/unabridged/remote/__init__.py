"""What reaches beyond this machine, or may: HTTP, and packages of the package registry."""
