"""What the server costs: a scripted upstream, a bare relay, a load, each in a process of its own."""
