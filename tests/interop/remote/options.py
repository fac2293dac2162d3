"""Common arguments of the programs of the remote conversation."""

from __future__ import annotations

import ssl
from pathlib import Path


def folder(argument: str) -> Path | None:
    """Return the folder with the certificate; None without TLS."""
    return None if argument == "-" else Path(argument)


def trusting(tls: Path | None) -> ssl.SSLContext | None:
    """Return a context that accepts the certificate of the conversation."""
    return ssl.create_default_context(cafile=tls / "cert.pem") if tls else None
