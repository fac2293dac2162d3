"""The front page: the first part of README.md, with links to the site's pages."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path

from acpgen.common import paths

README = paths.ROOT / "README.md"
# The front page contains the README up to this comment.
_END = "<!-- The front page of the site ends here. -->"
_GUIDES = "templates/reference/guides/"
_IMAGE = re.compile(r"!\[([^\]]+)\]\(([^)]+)\)")
_LINK = re.compile(r"(\[[^\]]+\])\(([^)]+)\)")


@dataclass(frozen=True, slots=True)
class FrontPage:
    """The content of the front page.

    Attributes:
        title: the name of the project.
        lead: the Markdown below the title.
        sections: the headings of the other sections, each with its Markdown.
        pictures: the image files, by their path in `docs`.
    """

    title: str
    lead: str
    sections: tuple[tuple[str, str], ...]
    pictures: dict[str, Path]


def front_page() -> FrontPage:
    """Read the front page from the README."""
    shown, mark, _ = README.read_text(encoding="utf-8").partition(_END)
    assert mark, "the README must mark the end of the front page"
    text = _LINK.sub(_link, _IMAGE.sub(_image, shown))
    first, *others = re.split(r"^#{1,2} ", text, flags=re.M)[1:]
    title, _, lead = first.partition("\n")
    headed = (other.partition("\n") for other in others)
    return FrontPage(
        title=title,
        lead=lead.strip(),
        sections=tuple((heading, text.strip()) for heading, _, text in headed),
        pictures={_picture(path): README.parent / path for _, path in _IMAGE.findall(shown)},
    )


def _image(image: re.Match[str]) -> str:
    return f'<img alt="{html.escape(image[1])}" src="{_picture(image[2])}">'


def _picture(path: str) -> str:
    return f"pictures/{Path(path).name.lower()}"


def _link(link: re.Match[str]) -> str:
    text, target = link.groups()
    if target.startswith("https://"):
        return link[0]
    if target.startswith(_GUIDES):
        return f"{text}({target.removeprefix('templates/reference/')})"
    return text.strip("[]")  # the file is not part of the site
