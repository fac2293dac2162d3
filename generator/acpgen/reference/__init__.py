"""The reference: a static site about the surfaces and the package, for MkDocs to build."""

from acpgen.reference.site import write_site_sources

__all__ = ["write_site_sources"]
