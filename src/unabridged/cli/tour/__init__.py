"""The guided tour: a script of steps, a stage to run them on, and a guide to show them."""
