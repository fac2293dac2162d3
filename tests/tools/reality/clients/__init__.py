"""Programs that use client libraries of others; each runs in the environment of its library."""
