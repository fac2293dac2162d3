"""JSON Schema validation: one library judges quickly, the other tells what is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jsonschema_rs
from jsonschema import Draft202012Validator, ValidationError


class Validator:
    """Validates values; what is valid, as nearly all are, takes a thousandth of the time."""

    def __init__(self, schema: dict[str, Any]) -> None:
        """Prepare for a schema, which is valid itself."""
        self._judge = jsonschema_rs.Draft202012Validator(schema)
        self._explains = Draft202012Validator(schema)

    def errors(self, value: Any) -> Iterable[ValidationError]:
        """What is wrong with a value."""
        return () if self._is_valid(value) else self._explains.iter_errors(value)

    def _is_valid(self, value: Any) -> bool:
        """Whether a value is valid for certain; if not, the other library decides."""
        try:
            return self._judge.is_valid(value)
        except ValueError:  # no JSON: a member's name with a lone surrogate, or a date of TOML
            return False
