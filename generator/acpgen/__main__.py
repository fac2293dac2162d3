"""Entry point of the `acpgen` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command, without printing a traceback if Ctrl-C interrupts the imports."""
    try:
        from acpgen.cli import process

        process.run()
    except KeyboardInterrupt:  # too early for `process` to handle Ctrl-C
        print("interrupted, nothing written", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
