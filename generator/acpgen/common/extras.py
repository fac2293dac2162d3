"""The distribution's extras, which install the dependencies of commands."""

from __future__ import annotations


def install_command(extra: str) -> str:
    """Return the command that installs an extra, for a checkout and for the published package."""
    return f"`pip install '.[{extra}]'` in a checkout, or `pip install 'acp-bindings[{extra}]'`"
