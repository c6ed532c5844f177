"""What the server costs a stream: a scripted upstream, a bare relay and a load generator."""
