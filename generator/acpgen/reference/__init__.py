"""The reference: IR and the package's docstrings -> the sources of a static site for MkDocs."""

from acpgen.reference.site import write_site_sources

__all__ = ["write_site_sources"]
