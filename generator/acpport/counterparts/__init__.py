"""What the SDK has, and what the package has in its place.

`names` reads `official_sdk.toml`, the table that the guide shows, too. `surface` asks the package
itself for the members of its classes and the params of its methods.
"""
