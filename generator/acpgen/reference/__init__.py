"""The reference: IR and the package's docstrings -> a static site."""

from acpgen.reference.site import write_site_sources

__all__ = ["write_site_sources"]
