"""A program: its modules, and the names that they import from each other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import libcst as cst
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem, collecting
from libcst import ParserSyntaxError

from acpport.counterparts.surface import UNSTABLE, Side, Surface
from acpport.reading.inference import Definition, Inference
from acpport.reading.sources import Source, last_name, uses_sdk
from acpport.reading.survey import Survey

# The maximum number of passes over all modules. Each pass follows values through one more function.
_ROUNDS = 20


class Program:
    """A program and its modules that use protocol values.

    Attributes:
        texts: the sources of all modules.
        inference: the known types of the program's variables.
    """

    def __init__(self, texts: Mapping[Path, bytes]) -> None:
        """Read a program.

        Raises:
            InputError: If a module cannot be parsed.
        """
        self.texts = texts
        self._surface = Surface(UNSTABLE)
        self._surveys: dict[Path, Survey] = {}
        self._known: dict[str, Side] = {}
        # The modules that use protocol values. Other modules are used only to look up names.
        self._involved = [path for path, text in texts.items() if uses_sdk(text)]
        self.inference = Inference(self._surface, self._definition)
        problems: list[Problem] = []
        for path in self._involved:
            with collecting(problems):
                self._survey(path)
        if problems:
            raise InputError(problems)
        self._read()

    def _read(self) -> None:
        before: object = None
        for _ in range(_ROUNDS):
            if before == (before := (len(self._involved), len(self._known), self.inference.size)):
                return
            for path in self._involved:
                self._extend(self._survey(path))
            for survey in [self._surveys[path] for path in self._involved]:
                self.inference.read(survey)
            names = "|".join(map(re.escape, self._known)).encode()
            for path, text in self.texts.items():
                is_handed = self._surveys.get(path) in self.inference.handed
                names_handler = bool(names) and re.search(rb"\b(%s)\b" % names, text) is not None
                if path in self._involved:
                    continue
                if is_handed or (names_handler and self._imports_handler(path)):
                    self._involved.append(path)

    @property
    def modules(self) -> dict[Path, Survey]:
        """The modules that use protocol values."""
        return {path: self._surveys[path] for path in self._involved}

    def handed(self) -> list[Path]:
        """Return the modules that don't import the SDK but receive protocol values."""
        handed = [path for path in self._surveys if self._surveys[path] in self.inference.handed]
        return [path for path in self.texts if path in handed and not uses_sdk(self.texts[path])]

    def _survey(self, path: Path) -> Survey:
        survey = self._surveys.get(path)
        # Survey the module again if a base class is now known to be a handler in another module.
        if survey is None or self._known.keys() & survey.unknown_bases:
            self._surveys[path] = survey = Survey(
                _parse(path, self.texts[path]), self._surface, self._known
            )
            self._known |= survey.by_name
        return survey

    def _extend(self, survey: Survey) -> None:
        """Add the base classes of handlers to the handlers, even if other modules define them."""
        for node, side in [*survey.handlers.items()]:
            for base in node.bases:
                found = self._definition(survey, last_name(base.value))
                if found is None:
                    continue
                other, mixin = found
                if isinstance(mixin, cst.ClassDef) and mixin not in other.handlers:
                    other.handlers[mixin] = side
                    other.mixins.add(mixin)
                    if self._path(other) not in self._involved:
                        self._involved.append(self._path(other))

    def _path(self, survey: Survey) -> Path:
        return next(path for path in self._surveys if self._surveys[path] is survey)

    def _imports_handler(self, path: Path) -> bool:
        """Return whether a module imports a handler class."""
        survey = self._survey(path)
        found = (self._definition(survey, name) for name in survey.origins)
        return any(each is not None and each[1] in each[0].handlers for each in found)

    def _definition(self, survey: Survey, name: str) -> Definition | None:
        """Return the program's class or function that a name refers to, if any."""
        if name in survey.definitions:
            return survey, survey.definitions[name]
        module, _, own = survey.origins.get(name, "").rpartition(".")
        path = self._path(survey)
        other = self._module(path, module) if own else None
        if other is None or other == path:
            return None
        return self._definition(self._survey(other), own)

    def _module(self, path: Path, name: str) -> Path | None:
        """Return the module of this program that another module's import refers to, if any."""
        parts = tuple(filter(None, name.split(".")))
        level = len(name) - len(name.lstrip("."))
        for other in self.texts:
            own = other.parent.parts if other.stem == "__init__" else other.with_suffix("").parts
            if 0 < level <= len(path.parents) and own == (*path.parents[level - 1].parts, *parts):
                return other
            if not level and parts and own[-len(parts) :] == parts:
                return other
        return None


def _parse(path: Path, text: bytes) -> Source:
    try:
        return Source(text)
    except ParserSyntaxError as error:
        reason, line = error.message, error.raw_line
    except (SyntaxError, UnicodeDecodeError) as error:  # the module's encoding is unknown or wrong
        reason, line = str(error), 0
    if not uses_sdk(text):  # only its names would be looked up, so an empty module suffices
        return Source(b"")
    message = f"is not valid Python ({reason}); fix the file and run this command again"
    raise InputError([Problem(display_path(path), "", "invalid-python", message, lineno=line)])
