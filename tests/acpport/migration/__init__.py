"""Tests of the official SDK's examples, migrated to this package and paired with the originals."""
