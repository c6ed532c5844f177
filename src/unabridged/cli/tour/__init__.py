"""The guided tour: a script of steps as data, a stage to play it on, and the guide who shows it."""
