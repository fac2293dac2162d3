"""JSON Schema validation with a fast library and a library that explains errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jsonschema_rs
from jsonschema import Draft202012Validator, ValidationError


class Validator:
    """A validator that uses a fast library to find invalid values, and another to explain errors.

    Most values are valid, so usually only the fast library is needed. It checks a value in about a
    thousandth of the time that the other library takes.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        """Compile a schema, which must be valid."""
        self._judge = jsonschema_rs.Draft202012Validator(schema)
        self._explains = Draft202012Validator(schema)

    def errors(self, value: Any) -> Iterable[ValidationError]:
        """Return the validation errors for a value."""
        try:
            if self._judge.is_valid(value):
                return ()
        except ValueError:  # not a JSON value, such as a TOML date or a key with a lone surrogate
            pass
        return self._explains.iter_errors(value)
