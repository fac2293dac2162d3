"""Generates v2 when it is imported, which a preloaded interpreter does once for all its programs.

What they generate then takes the templates as compiled and most source as formatted.
"""

from __future__ import annotations

from acpgen.commands.generate import generate

generate(None, ["v2"])
