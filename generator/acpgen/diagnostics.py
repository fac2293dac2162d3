"""What can be wrong with the input: problems are values, collected and reported together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing wrong with the input.

    Attributes:
        file: the file it is in, as the user named it.
        pointer: RFC 6901 pointer into that file; empty for the whole document.
        code: a short stable name, such as `unknown-keyword`.
        message: what is wrong and what to do about it, in one line.
    """

    file: str
    pointer: str
    code: str
    message: str

    def line(self, level: str = "error") -> str:
        """The problem as one line of text; `level` is `error` or `note`."""
        message = " ".join(self.message.split())
        return printable(f"{level} {self.code} at {self.file}#{self.pointer}: {message}")

    def relabelled(self, place: Path, name: str) -> Problem:
        """The problem, with a file below a place that is only there for a while named otherwise.

        Args:
            name: what the user calls the place.
        """
        if not self.file or not Path(self.file).absolute().is_relative_to(place.absolute()):
            return self
        inside = Path(self.file).absolute().relative_to(place.absolute())
        path = f"{name.rstrip('/')}/{inside.as_posix()}"
        return replace(self, file=name if inside == Path() else path)


class InputError(Exception):
    """Raised when the input cannot be used; holds every problem found."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(problems)
        self.problems = sorted(set(problems))

    def __str__(self) -> str:
        return "\n".join(problem.line() for problem in self.problems)


@contextmanager
def relabelled(place: Path, name: str) -> Iterator[None]:
    """Have problems name a place as the user does, see `Problem.called`."""
    try:
        yield
    except InputError as error:
        raise InputError([each.relabelled(place, name) for each in error.problems]) from error


def printable(text: str) -> str:
    """Text without line breaks and other control characters, which are spelled out."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def display_path(path: Path) -> str:
    """A path for people: relative where it lies below the working directory."""
    absolute = path.absolute()
    return str(absolute.relative_to(Path.cwd()) if absolute.is_relative_to(Path.cwd()) else path)


def pointer(*parts: str | int) -> str:
    """Join member names and indexes into an RFC 6901 pointer."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
