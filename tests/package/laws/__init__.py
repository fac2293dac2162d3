"""Property tests of the laws that every type of every surface must obey."""
