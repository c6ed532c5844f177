"""The commands, one file each; `cli.main` imports a file when its command is called."""
