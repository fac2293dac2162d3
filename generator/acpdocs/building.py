"""The sources of the site -> the site, with Zensical, and a search that lists exact names first."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

_TAG = re.compile(r"<[^>]*>")
_MODULE = re.compile(r"\w+(\.\w+)+")
# The folders of surfaces.
_PROTOCOL = re.compile(r"v\d")
_SURFACE = re.compile(r"<small>.*?</small>")


class BuildError(Exception):
    """Zensical refused the sources; the message is its output."""


def build_site(folder: Path) -> Path:
    """Build `site` from the `zensical.toml` and `docs` in a folder, without its cache.

    Returns:
        The folder of the site.

    Raises:
        BuildError: something is wrong with the sources, such as a link that leads nowhere.
    """
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    run = subprocess.run(
        [*command, "--config-file", str(folder / "zensical.toml")],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode or "No issues found" not in run.stdout + run.stderr:
        raise BuildError(run.stdout + run.stderr)
    site = folder / "site"
    index = site / "search.json"
    search = json.loads(index.read_text(encoding="utf-8"))
    search["items"] = names_first(search["items"])
    index.write_text(json.dumps(search, ensure_ascii=False), encoding="utf-8")
    return site


def names_first(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put the entries of the search into an order in which exact names come first.

    Zensical finds all titles that begin with what is typed. It compares the positions of the match
    in the title, in the path and in the text; entries that agree in all three keep their order.
    Here the name is at the same position in all entries, and shorter names come before longer ones;
    of equal names, classes before attributes, and those of the protocol before those of the runtime
    and of samples.
    """

    def rank(item: dict[str, Any]) -> tuple[int, bool, bool]:
        name = _name(item)
        return len(name), name[:1].islower(), _PROTOCOL.match(item["location"]) is None

    return sorted(map(_with_name, items), key=rank)


def _with_name(item: dict[str, Any]) -> dict[str, Any]:
    """An entry whose text begins with its name, below the path of its page."""
    *above, page = item["path"] or [""]
    # The name of a module consists of words that can be looked for, too.
    is_shown = "#" in item["location"] and not _MODULE.fullmatch(page)
    return {
        **item,
        "path": [*above, page] if is_shown else above,
        "text": f"<b>{_name(item)}</b> {item['text']}",
    }


def _name(item: dict[str, Any]) -> str:
    """The title without the surface and without markup."""
    return _TAG.sub("", _SURFACE.sub("", item["title"])).strip()
