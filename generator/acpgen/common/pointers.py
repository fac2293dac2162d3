"""JSON pointers, as defined by RFC 6901."""

from __future__ import annotations


def pointer(*parts: str | int) -> str:
    """Join field names and indexes into an RFC 6901 pointer."""
    return "".join(["/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts])


def pointer_parts(at: str) -> list[str]:
    """Split an RFC 6901 pointer into its parts."""
    return [part.replace("~1", "/").replace("~0", "~") for part in at.split("/")[1:]]


def located(place: str, at: str) -> str:
    """Append a pointer to a location, such as a file. An empty pointer is omitted."""
    return f"{place}#{at}" if at else place
