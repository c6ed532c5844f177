"""How well intent and feelings are read, against labels that people gave."""
