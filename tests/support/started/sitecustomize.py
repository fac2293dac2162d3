"""Imported by every interpreter with this folder on its path, so that it shares formatted source.

See `support.formatting`.
"""

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))

import black
from support.formatting import VARIABLE, remember_formatted

black.format_str = remember_formatted(black.format_str, Path(os.environ[VARIABLE]))
