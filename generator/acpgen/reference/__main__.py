"""`python -m acpgen.reference FOLDER`: write the sources of the reference to a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from acpgen.build.surface import understand
from acpgen.reference.pages.guides import sample_extension
from acpgen.reference.site import write_site_sources


def main(arguments: list[str]) -> int:
    """Write `mkdocs.yml` and `docs`; return the exit code."""
    if len(arguments) != 1:
        print("usage: python -m acpgen.reference FOLDER", file=sys.stderr)
        return 2
    surfaces, _ = understand(None, [])
    pages = write_site_sources(surfaces, Path(arguments[0]), sample=sample_extension())
    print(f"{arguments[0]}: {len(pages)} pages about {len(surfaces)} surfaces")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
