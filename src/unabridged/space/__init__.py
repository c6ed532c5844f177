"""A space of memory: a stateless engine over one store, shared by any number of threads."""
