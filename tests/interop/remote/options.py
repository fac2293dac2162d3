"""Command-line arguments shared by the programs of the remote conversation."""

from __future__ import annotations

import ssl
from pathlib import Path


def folder(argument: str) -> Path | None:
    """Return the certificate's folder, or None if TLS is disabled."""
    return None if argument == "-" else Path(argument)


def trusting(tls: Path | None) -> ssl.SSLContext | None:
    """Return an SSL context that trusts the test certificate, or None if TLS is disabled."""
    return ssl.create_default_context(cafile=tls / "cert.pem") if tls else None
