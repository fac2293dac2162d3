"""The Jinja environment for all templates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2


def environment(
    folder: Path, *, autoescape: bool = False, finalize: Callable[[Any], Any] | None = None
) -> jinja2.Environment:
    """Return an environment that loads templates from a folder and rejects undefined names.

    Args:
        folder: the folder.
        autoescape: whether to escape values for HTML. Python source needs no escaping, because
            quoting filters process all text from a schema.
        finalize: a function that is applied to each value before it is rendered.
    """
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=autoescape,
        finalize=finalize,
        auto_reload=False,
    )
