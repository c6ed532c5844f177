"""How fast files of other programs are imported."""
