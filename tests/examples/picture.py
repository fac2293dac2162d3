"""A script that draws the picture of an agent at work.

Usage: `python picture.py FILE.svg`. The script runs `editor.py` with `agent_with_tools.py`, types a
scripted conversation, and draws the editor's output.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
WIDTH = 76
FILE = "def add(a, b):\n    return a - b\n"
CHECK = 'run python3 -c "import calc; print(calc.add(2, 2))"'
ALLOW = "1"
TYPED = ["read calc.py", f"write calc.py add = int.__add__ then {CHECK}", ALLOW, ALLOW]
# Matches comments, and font rules that would make browsers load fonts from another server.
LOADED = re.compile(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", re.S)


def conversation() -> str:
    """Run the editor and the agent, and return the editor's colored output."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder).resolve()
        (project / "calc.py").write_text(FILE, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, HERE / "editor.py", sys.executable, HERE / "agent_with_tools.py"],
            cwd=project,
            env={
                **os.environ,
                "AGENT_SESSIONS": str(project / ".sessions"),
                "COLUMNS": str(WIDTH),
                "FORCE_COLOR": "1",
                "TERM": "xterm-256color",
            },
            input="\n".join(TYPED),
            capture_output=True,
            text=True,
            check=True,
        )
    _, _, shown = done.stdout.partition("\n")  # the first line shows the session id
    return shown.replace(str(project), "/project").rstrip().removesuffix(">").rstrip()


def draw(shown: str) -> str:
    """Return an SVG picture of a terminal window that shows colored text."""
    console = Console(width=WIDTH, record=True, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(shown))
    return LOADED.sub("", console.export_svg(title="an agent at work", unique_id="at-work"))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(conversation()), encoding="utf-8")
