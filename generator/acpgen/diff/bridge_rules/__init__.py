"""The rules of the bridge: two surfaces and `bridge.toml` in, the content of its tables out.

decisions -> derivation (definitions), methods, promises -> build (both directions)
"""
