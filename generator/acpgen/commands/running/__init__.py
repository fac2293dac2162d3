"""Processes that work in parallel, and Ctrl-C while they do."""
