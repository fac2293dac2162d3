"""Derives the bridge's tables from two surfaces and `bridge.toml`.

The modules are used in this order:

decisions -> derivation (definitions), methods, promises -> build (both directions)
"""
