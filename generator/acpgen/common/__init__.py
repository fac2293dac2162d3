"""Helpers shared by all stages: problems, JSON pointers, paths and message formatting."""
