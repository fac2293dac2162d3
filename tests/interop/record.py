"""Hold all conversations with the official SDKs and write them to tests/support/data/vectors.

    python tests/interop/record.py [COMBINATION...]

The combinations are in `combinations.py`. The tests read the vectors and never write them.
"""

import sys
from importlib import import_module
from pathlib import Path


def main(names: list[str]) -> None:
    """Record the named conversations, or all of them."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    vectors = import_module("interop.vectors")
    for name in names or vectors.RECORDED:
        print(vectors.record(name).name)


if __name__ == "__main__":
    main(sys.argv[1:])
