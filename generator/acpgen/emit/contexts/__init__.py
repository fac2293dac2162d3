"""Queries about a surface, for use by templates."""
