"""Tests of the official SDK's examples, rewritten with this package and run with the originals."""
