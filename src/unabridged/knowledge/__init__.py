"""Facts and requirements drawn from exchanges."""
