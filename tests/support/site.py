"""The pages of a built site, as browsers parse them."""

from __future__ import annotations

from pathlib import Path

import lxml.html


class Page:
    """The ids, links, loaded files, tags and text of a page."""

    def __init__(self, path: Path) -> None:
        root = lxml.html.document_fromstring(path.read_text(encoding="utf-8"))
        elements = [each for each in root.iter() if isinstance(each.tag, str)]
        assert not [name for each in elements for name in each.attrib if name.startswith("on")]
        self.tags = [each.tag for each in elements]
        self.ids = {each.attrib["id"] for each in elements if each.get("id")}
        addresses = [(each, each.get("href") or each.get("src")) for each in elements]
        self.links = [address for _, address in addresses if address]
        self.loaded = [
            address
            for each, address in addresses
            if address and (each.tag == "link" or each.get("src"))
        ]
        self.text = " ".join(root.text_content().split())


def read(folder: Path) -> dict[str, Page]:
    """Return the pages of a site, by path."""
    return {
        path.relative_to(folder).as_posix(): Page(path)
        for path in folder.rglob("*.html")
        if path.name != "404.html"
    }
