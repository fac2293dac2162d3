"""Has all conversations with the official SDKs and writes them to tests/support/data/vectors.

    python tests/interop/record.py [COMBINATION...]

Which ones there are is in `combinations.py`. The tests read what is there and never write it.
"""

import sys
from importlib import import_module
from pathlib import Path


def main(names: list[str]) -> None:
    """Record the conversations of that name, or all."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    vectors = import_module("interop.vectors")
    for name in names or vectors.RECORDED:
        print(vectors.record(name).name)


if __name__ == "__main__":
    main(sys.argv[1:])
