"""The prose of the project: docstrings, comments, messages and documents, without code."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.support.paths import ROOT

# Words and phrases that are foreign to technical English, with patterns.
TICS = {
    "told": r"\b(told|tells? (of|whether|what|who)|tell apart)\b",
    "nobody": r"\b(nobody|somebody)\b",
    "is no X": r"(?<![Tt]here )\b(is|are|was|were) no (?!longer|more)[a-z`]",
    "of its own": r"\bof (its|their|your|one's|our|his) own\b",
    "those that": r"\bthose (that|of|who|which|in|with)\b",
    "one that": r"\b(one|ones) (that|which|who)\b",
    "for ever": r"\bfor ever\b",
    "but for": r"\bbut for\b",
    "that which": r"\b(that|those) (in|of|to|with|for) which\b",
    "as it is": r"\bas (it is|they are|it was|they were)\b(?! \w)",
    "at last": r"\bat last\b",
    "becomes of": r"\b(becomes?|comes|came|become) of\b",
    "and its like": r"\b(and|or) (the|its|their) like\b",
    "take note": r"\b[Tt]ak(e|es|ing) note\b",
    "in vain": r"\bin vain\b",
    "mend": r"\bmend(s|ed|ing)?\b",
    "owe": r"\bow(e|es|ed|ing)\b(?! to)",
    "other side": r"\bother side\b",
    "what as a noun": r"\b(?i:of|in|to|for|with|from|by|about|is|are|and|or|than) what\b",
}
# The first word of a docstring that doesn't describe the function, class or module.
OPENING = re.compile(r"(What|Whether|How|Who|Whom|Where|Which)\b")
OPENS = "docstring opens with What, Whether, How, …"
_PATTERNS = {name: re.compile(pattern) for name, pattern in TICS.items()}
# Generated files, data, and the patterns above.
_OMITTED = (
    *("generated/", "tests/support/goldens/", "tests/support/data/"),
    "tests/project/prose.py",
)
_CODE = re.compile(r"```.*?^ *```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def count_tics() -> dict[str, Counter[str]]:
    """Return the number of occurrences of each tic in each folder."""
    counts: dict[str, Counter[str]] = {}
    for path in _files():
        texts = list(_texts(path))
        # No tic extends over a line break, so that all texts can be searched at the same time.
        prose = "\n".join(_CODE.sub("``", text) for text, _ in texts)
        found = Counter({name: len(tic.findall(prose)) for name, tic in _PATTERNS.items()})
        docstrings = [text for text, is_docstring in texts if is_docstring]
        found[OPENS] = sum(bool(OPENING.match(text)) for text in docstrings)
        counts.setdefault(_folder(path), Counter()).update(found)
    return {folder: counts[folder] for folder in sorted(counts)}


def _files() -> Iterator[Path]:
    """Yield the tracked files that contain prose, relative to the repository."""
    command = ["git", "ls-files", "*.py", "*.md", "*.toml", "*.jinja"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if not name.startswith(_OMITTED) and (ROOT / name).is_file():
            yield Path(name)


def _folder(path: Path) -> str:
    """Return the folder that a file counts toward, at most three levels deep."""
    return "/".join(path.parts[:-1][:3]) or "."


def _texts(path: Path) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a file, each with a flag for docstrings."""
    source = (ROOT / path).read_text("utf-8")
    if path.suffix != ".py":
        yield source, False
        return
    docstrings = set()
    for node in ast.walk(ast.parse(source)):  # which visits definitions before their docstrings
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                docstrings.add(first.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, node in docstrings
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string, False
