"""Queries of the templates about a surface."""
