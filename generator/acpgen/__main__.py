"""Entry point of the `acpgen` command."""

from __future__ import annotations

import io
import sys
import traceback
from importlib.util import find_spec

REQUIRED = (
    "typer",
    "rich",
    "jinja2",
    "jsonschema",
    "jsonschema_rs",
    "black",
    "datamodel_code_generator",
    "libcst",
)


def main() -> None:
    """Run the command line, or say what to install if the `generator` extra is missing."""
    missing = [name for name in REQUIRED if find_spec(name) is None]
    if missing:
        print(
            f"acpgen needs {', '.join(missing)}: pip install 'acp-bindings[generator]',"
            " or '.[generator]' in a checkout",
            file=sys.stderr,
        )
        raise SystemExit(2)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # escape what the encoding lacks
            stream.reconfigure(errors="backslashreplace")
    from acpgen.cli import interruption

    try:
        from acpgen.cli.app import app

        app()
    except (Exception, KeyboardInterrupt) as error:
        if interruption.led_to(error):
            interruption.end()
        # A bug; exit code 1 would mean `stale` or `changed`.
        traceback.print_exc()
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
