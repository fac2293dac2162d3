"""The laws of the bindings, as property tests over every type of every surface."""
