"""One space: search, facts, requirements, tools, forgetting and sharing."""
