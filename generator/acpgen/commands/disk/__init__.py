"""Packages on disk: their files, their locks, and the inputs that they follow from."""
