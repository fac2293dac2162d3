"""The guide about extensions: its commands and its program do what it prints."""

from __future__ import annotations

import re
from pathlib import Path

from support.guides import only_block, python


def test_the_extension_of_the_guide_speaks(tmp_path: Path) -> None:
    schema, program, printed = (
        only_block("extending.md", language) for language in ("json", "python", "text")
    )
    assert len((schema + program).splitlines()) < 60
    (tmp_path / "acme.schema.json").write_text(schema, encoding="utf-8")
    (tmp_path / "talk.py").write_text(program, encoding="utf-8")
    [command] = re.findall(r"^\$ (acpgen .*)$", only_block("extending.md", "console"), re.M)
    python(tmp_path, ["-m", *command.split()])
    assert python(tmp_path, ["talk.py"]) == printed
