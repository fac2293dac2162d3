"""Do the slow parts of generating a package once, however many tests need them.

Hundreds of tests generate packages from the same few schemas, and much of the code is the same.
Whatever is remembered here is a pure function of its key.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import black
import pytest
from acpgen.commands import generate
from acpgen.inputs import document
from jsonschema import Draft202012Validator, ValidationError
from support.formatting import VARIABLE, remember_formatted


@contextmanager
def work_done_once(formatted: Path) -> Iterator[None]:
    """Remember formatted source and valid schemas, and generate in this process.

    Args:
        formatted: a folder for formatted source, which the processes of a test run share.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(black, "format_str", remember_formatted(black.format_str, formatted))
        patch.setenv(VARIABLE, str(formatted))
        patch.setattr(document, "Draft202012Validator", remember_valid())
        # New processes would remember nothing.
        patch.setattr(generate, "ProcessPoolExecutor", one_thread)
        yield


def remember_valid() -> type:
    """A validator that remembers the definitions in which the meta-schema found no error."""
    valid: set[str] = set()

    class Remembering:
        META_SCHEMA = Draft202012Validator.META_SCHEMA

        def __init__(self, schema: Any) -> None:
            self._schema = schema

        def iter_errors(self, instance: Any) -> Iterator[ValidationError]:
            texts: dict[str, str] = {}
            if self._schema is self.META_SCHEMA:
                texts = {name: json.dumps(each) for name, each in instance["$defs"].items()}
                new = {name: instance["$defs"][name] for name in texts if texts[name] not in valid}
                instance = {**instance, "$defs": new}
            is_valid = True
            for error in Draft202012Validator(self._schema).iter_errors(instance):
                is_valid = False
                yield error
            if is_valid:
                valid.update(texts.values())

    return Remembering


def one_thread(*arguments: Any, **more: Any) -> Executor:
    """A stand-in for a pool of processes."""
    return ThreadPoolExecutor(1)
