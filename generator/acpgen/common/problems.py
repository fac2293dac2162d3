"""Input problems, which are collected and reported together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from acpgen.common.display import printable
from acpgen.common.pointers import located


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A single problem with the input."""

    file: str  # the path as the user wrote it
    pointer: str  # an RFC 6901 pointer into the file, or an empty string for the whole document
    code: str  # a short stable name, such as `unknown-keyword`
    message: str  # the problem and its fix, on one line
    lineno: int = 0  # the line number in files without pointers, such as templates, or 0

    def line(self, level: str = "error") -> str:
        """Return the problem as one line of text. `level` is `error` or `note`."""
        message = " ".join(self.message.split())
        place = f"{self.file}:{self.lineno}" if self.lineno else located(self.file, self.pointer)
        return printable(f"{level}[{self.code}]: {place}: {message}")

    def as_json(self) -> dict[str, str | int]:
        """Return the problem as JSON data."""
        members = {"code": self.code, "file": self.file, "pointer": self.pointer}
        line = {"line": self.lineno} if self.lineno else {}
        return {**members, "message": self.message, **line}

    def relabelled(self, folder: Path, name: str) -> Problem:
        """Return the problem, with the original path instead of the path of a temporary copy.

        Args:
            folder: the temporary copy (a folder or a file). Other paths are left unchanged.
            name: the path of the original, as the user wrote it.
        """
        if not self.file or not Path(self.file).absolute().is_relative_to(folder.absolute()):
            return self
        inside = Path(self.file).absolute().relative_to(folder.absolute())
        path = f"{name.rstrip('/')}/{inside.as_posix()}"
        return replace(self, file=name if inside == Path() else path)


class InputError(Exception):
    """Raised when the input cannot be used, with a list of all problems found."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(problems)
        self.problems = sorted(set(problems))

    def __str__(self) -> str:
        return "\n".join(problem.line() for problem in self.problems)


@contextmanager
def collecting(problems: list[Problem]) -> Iterator[None]:
    """Catch an InputError raised inside the context and append its problems to a list."""
    try:
        yield
    except InputError as error:
        problems += error.problems


@contextmanager
def relabelled(folder: Path, name: str) -> Iterator[None]:
    """Relabel the problems raised inside the context; see `Problem.relabelled`."""
    try:
        yield
    except InputError as error:
        raise InputError(
            [problem.relabelled(folder, name) for problem in error.problems]
        ) from error
