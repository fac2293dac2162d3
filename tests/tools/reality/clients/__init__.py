"""Programs with the libraries of other clients; each runs in the environment of its library."""
