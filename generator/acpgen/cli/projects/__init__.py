"""Commands about projects that use the package."""
