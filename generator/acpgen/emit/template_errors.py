"""Errors in templates, reported as problems that specify the template, line and surface."""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem

_SHOWN = 100  # the maximum number of characters quoted from a line
_MARK = re.compile(r"\0(?P<number>\d+):(?P<path>[^\0]*)\0")


@contextmanager
def reported(templates: Path, surface: str) -> Iterator[None]:
    """Convert template errors inside the context to an InputError that identifies the line.

    `surface` is the name of the rendered surface for use in the message.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        place = _place(error, templates)
        if place is None:  # a bug outside the templates, so keep the traceback
            raise
        raise template_error(*place, f"{_named(error)}, when rendering {surface}") from error


def template_error(file: Path, lineno: int, message: str) -> InputError:
    """Return an exception for an error in one line of a template."""
    advice = f"{message}; fix the template"
    return InputError([Problem(display_path(file), "", "template", advice, lineno)])


def check_source(path: Path, source: str) -> None:
    """Raise an InputError if the source of a copied module cannot be parsed."""
    try:
        ast.parse(source)
    except SyntaxError as error:
        message = f"{_named(error)}, in a module that all surfaces share"
        raise template_error(path, error.lineno or 1, message) from error


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text that a template rendered with the given variables."""

    template: jinja2.Template
    names: Mapping[str, Any]
    text: str

    def find_line(self, number: int) -> tuple[Path, int]:
        """Return the file and the line of the template or macro that rendered a line of text."""
        marking = self.template.environment.overlay(extensions=[_LineMarks])
        text = marking.get_template(self.template.name or "").render(self.names)
        after = "\n".join(text.split("\n")[number - 1 :])
        mark = _MARK.search(after)  # the mark of this line or of the next marked line
        if mark is None:
            return Path(self.template.filename or ""), 1
        return Path(mark["path"]), int(mark["number"])


class _LineMarks(Extension):
    """A Jinja extension that marks each line's end with the template's path and the line number."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        for token in stream:
            if token.type != "data":
                yield token
                continue
            *lines, last = token.value.split("\n")
            marked = [
                f"{line}\0{number}:{stream.filename}\0\n"
                for number, line in enumerate(lines, token.lineno)
            ]
            yield Token(token.lineno, token.type, "".join([*marked, last]))


def in_generated(
    error: Exception, parts: Sequence[Rendered], others: Sequence[Path], source: str, module: str
) -> InputError:
    """Return an exception for generated Python that is invalid or uses an undefined name.

    Args:
        error: a `SyntaxError`, or an error with a `name`.
        parts: the parts of the module that templates rendered.
        others: the templates that rendered the rest of the module.
        source: the source of the module.
        module: the name of the module for use in the message.
    """
    for part in parts:
        number = _faulty_line(error, part.text)
        if number:
            line, place = _line(part.text, number), part.find_line(number)
            break
    else:
        line = _line(source, _faulty_line(error, source) or 1)
        place = _find_text(line, others)
    return template_error(*place, f"{_named(error)}, in {module}: {line[:_SHOWN]!r}")


def _faulty_line(error: Exception, source: str) -> int | None:
    """Return the number of the source line that causes an error, or None if no line causes it."""
    if not isinstance(error, SyntaxError):
        match = re.search(rf"\b{re.escape(getattr(error, 'name', ''))}\b", source)
        return source.count("\n", 0, match.start()) + 1 if match else None
    try:
        ast.parse(source)
    except SyntaxError as problem:
        return min(problem.lineno or 1, source.count("\n") + 1)
    return None


def _line(text: str, number: int) -> str:
    return "".join(text.splitlines()[number - 1 : number]).strip()


def _find_text(text: str, templates: Sequence[Path]) -> tuple[Path, int]:
    """Return the location of a line in the templates, or the start of the first template."""
    for path in templates:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip() == text:
                return path, number
    return templates[0], 1


def _place(error: BaseException, templates: Path) -> tuple[Path, int] | None:
    """Return the template and line that raised an error, or None if no template raised it."""
    if isinstance(error, jinja2.TemplateSyntaxError) and error.filename:
        return Path(error.filename), error.lineno
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if Path(frame.filename).is_relative_to(templates):
            return Path(frame.filename), frame.lineno or 1
    cause = error.__cause__ or error.__context__
    return _place(cause, templates) if cause is not None else None


def _named(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"generates invalid Python ({error.msg})"
    return f"{type(error).__name__}: {error}"
