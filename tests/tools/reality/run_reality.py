"""Play complete turns with real agents and clients, and write RESULTS.toml.

python tests/tools/reality/run_reality.py [NAME...] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path[0:0] = [str(Path(__file__).resolve().parents[3])]

from tests.tools.reality.programs import read_programs  # noqa: E402
from tests.tools.reality.results import (  # noqa: E402
    outdated,
    read_results,
    unexplained,
    write_results,
)
from tests.tools.reality.running import run  # noqa: E402


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="the programs; default: all")
    parser.add_argument("--keep", type=Path, help="the folder for recordings and logs")
    options = parser.parse_args(arguments)
    programs = read_programs()
    keep = options.keep or Path(tempfile.mkdtemp(prefix="reality-"))
    status = 0
    known = [*programs.agents, *programs.clients]
    unknown = set(options.names) - {each.name for each in known}
    if unknown:
        parser.error(f"unknown programs: {', '.join(sorted(unknown))}; see programs.toml")
    for program in known:
        if options.names and program.name not in options.names:
            continue
        measured = run(program, programs, keep)
        # Write the file after each program, so that an interrupted run keeps its results.
        results = {**read_results(), program.name: measured}
        write_results({each.name: results[each.name] for each in known if each.name in results})
        print(f"{program.name} {program.version}")
        findings = unexplained(program, measured)
        for text in findings:
            print(f"  unexplained: {text[:500]}")
        for pattern in outdated(program, measured):
            print(f"  outdated: {pattern}")
            status = 1
        status = 1 if findings else status
    print(f"recordings and logs: {keep}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
