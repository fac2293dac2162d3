"""Entry point of the `acpgen` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; report a Ctrl-C during its imports in one line."""
    try:
        from acpgen.cli import process

        process.run()
    except KeyboardInterrupt:  # before `process` can report it
        print("interrupted, nothing written", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
