"""`python -m acpdocs FOLDER`: write and build the reference in a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from acpgen.analysis.surface import understand

from acpdocs.pages.guides import sample_extension
from acpdocs.site import write_site_sources
from acpdocs.zensical.building import BuildError, build_site


def main(arguments: list[str]) -> int:
    """Write `zensical.toml` and `docs`, build `site`; return the exit code."""
    if len(arguments) != 1:
        print("usage: python -m acpdocs FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    surfaces, _ = understand(None, [])
    pages = write_site_sources(surfaces, folder, sample=sample_extension())
    try:
        site = build_site(folder, [surface.name for surface in surfaces])
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{site / 'index.html'}: {len(pages)} pages about {len(surfaces)} surfaces")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
