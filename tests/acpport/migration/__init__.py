"""The official SDK's examples, rewritten and run against the originals."""
