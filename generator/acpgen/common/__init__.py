"""Helpers of every stage: problems, pointers, paths, and text for messages."""
