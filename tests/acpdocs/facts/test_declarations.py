"""Tests that the declarations on type pages match the package."""

from __future__ import annotations

import importlib
from dataclasses import fields
from typing import Annotated, get_origin

from acpdocs.content import SurfacePages

from tests.acpdocs.reference import at, each_surface, on_one_worker
from tests.support.site import Page

pytestmark = on_one_worker


@each_surface
def test_declarations_are_those_of_the_package(
    name: str, pages: dict[str, SurfacePages], site: dict[str, Page]
) -> None:
    module = importlib.import_module(f"acp_bindings.{name}.types")
    classes = 0
    for page in pages[name].types:
        form, code = getattr(module, page.name), page.signature.code
        head, is_alias, alias = code.partition(": TypeAlias = ")
        if is_alias:
            assert head == page.name
            plain = form.__origin__ if get_origin(form) is Annotated else form
            assert eval(alias, vars(module)) == plain
        else:
            lines = [line.strip().partition(" = ")[0] for line in code.split("\n")[1:]]
            types = {field.name: str(field.type).replace("'", '"') for field in fields(form)}
            assert lines == [f"{member}: {type_}" for member, type_ in types.items()]
            classes += 1
        _, _, after = site[at(page)].text.partition(" ".join(code.split()))
        assert after.strip().startswith(page.description[0].replace("`", "")[:20])
    assert 100 < classes < len(pages[name].types)
