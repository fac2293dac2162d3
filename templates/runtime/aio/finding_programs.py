"""Program search, quoting for batch files, and errors for missing programs.

POSIX systems find any program in PATH. Windows finds only `.exe` files in PATH, but many programs
are batch files, such as `npx.cmd`. Windows runs batch files with cmd.exe, which has its own rules
for splitting and expanding arguments. An argument that isn't quoted according to these rules could
run arbitrary commands.

The functions for Windows accept all information about the system as arguments, so that they can be
tested on any system.
"""

from __future__ import annotations

import errno
import ntpath
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..values.errors import cut, quotation

# The extensions of files that Windows can start, in the order used if PATHEXT is not set.
_STARTABLE = (".com", ".exe", ".bat", ".cmd")
_BATCH = (".bat", ".cmd")
# Characters that, outside quotes, have no special meaning to cmd.exe or to programs.
_PLAIN = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + r"#$*+-./:?@\_"
)

# Characters at which cmd.exe ends the line, even within quotes.
_UNPASSABLE = frozenset("\0\r\n")


def as_started(
    command: Sequence[str | os.PathLike[str]], environment: Mapping[str, str] | None = None
) -> list[str] | str:
    """Replace the program in a command with the file that this Windows system should start.

    The search uses the PATH in `environment`, or this process's PATH if `environment` is None; see
    `windows_command`.
    """
    return windows_command(
        [os.fsdecode(each) for each in command],
        environment=os.environ if environment is None else environment,
        folder=os.getcwd(),
        is_file=os.path.isfile,
    )


def windows_command(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: str,
    is_file: Callable[[str], bool],
) -> list[str] | str:
    """Replace the program in a command with the file that Windows should start.

    Returns:
        The program and its arguments or, for a batch file, a line for cmd.exe. If no file is found,
        the command is returned unchanged, since Windows might still find the program in a system
        directory.

    Raises:
        FileNotFoundError: If the batch file does not exist.
        ValueError: If an argument cannot be passed to a batch file.
    """
    name, *arguments = command
    found = find_on_windows(name, environment=environment, folder=folder, is_file=is_file)
    if not is_batch_file(found or name):
        return [found or name, *arguments]
    if found is None:  # Windows might find the file and pass it unquoted arguments
        raise FileNotFoundError(errno.ENOENT, "no such batch file", name)
    return batch_line(found, arguments)


def find_on_windows(
    name: str, *, environment: Mapping[str, str], folder: str, is_file: Callable[[str], bool]
) -> str | None:
    """Return the path of the file that cmd.exe would start, or None if no file is found.

    Unlike cmd.exe, this function does not search the current directory first. The current directory
    is often a project directory, and its files should not shadow programs.
    """
    extensions = _variable(environment, "PATHEXT").lower().split(";")
    extensions = [each for each in extensions if each in _STARTABLE] or [*_STARTABLE]
    names = [name + extension for extension in extensions]
    if name.lower().endswith(tuple(extensions)):
        names.insert(0, name)
    if ntpath.basename(name) != name:
        folders = [folder]
        names.append(name)
    else:
        entries = (each.strip('"') for each in _variable(environment, "PATH").split(";"))
        folders = [ntpath.join(folder, each) for each in entries if each]
    paths = (ntpath.join(each, file) for each in folders for file in names)
    return next(filter(is_file, paths), None)


def is_batch_file(path: str) -> bool:
    """Return whether Windows runs a file with cmd.exe, ignoring trailing dots and spaces."""
    return path.rstrip(". ").lower().endswith(_BATCH)


def batch_line(script: str, arguments: Iterable[str]) -> str:
    """Return the line that makes cmd.exe run a batch file with arguments.

    Raises:
        ValueError: If an argument cannot be passed.
    """
    words = [_quoted(script)]
    for argument in arguments:
        if not _UNPASSABLE.isdisjoint(argument):
            raise ValueError(
                f"cannot pass the argument {quotation(argument)}, which contains a line break or "
                f"null character, to the batch file {script!r}; start its program directly"
            )
        is_plain = bool(argument) and argument[-1] != "\\" and _PLAIN.issuperset(argument)
        words.append(argument if is_plain else _quoted(argument))
    return " ".join(words)


def _quoted(argument: str) -> str:
    """Quote an argument for both cmd.exe and the program that receives it."""
    parts = argument.split('"')
    # Programs treat a backslash before a quote as special and two quotes in quoted text as a single
    # quote. In cmd.exe, each quote toggles quoting, so the text after a doubled quote stays quoted.
    text = '""'.join(part + "\\" * (len(part) - len(part.rstrip("\\"))) for part in parts)
    # Variables such as `%PATH%` are expanded even within quotes. Inserting `%cd:~,%`, an empty
    # substring of a variable that always exists, prevents this expansion: `%%cd:~,%PATH%%cd:~,%`.
    return '"' + text.replace("%", "%%cd:~,%") + '"'


def not_found(name: str, environment: Mapping[str, str] | None, folder: str) -> FileNotFoundError:
    """Return the error for a program that the system did not find.

    Args:
        name: the name or path of the program in the command.
        environment: the program's environment, or None for the environment of this process.
        folder: the program's working directory.
    """
    from shutil import which  # imported here, since importing it is slow

    path = os.pathsep.join(os.get_exec_path(environment))
    if not os.path.isdir(folder):
        name, reason = folder, "no such directory; pass another `cwd`"
    elif which(os.path.join(folder, name) if os.path.dirname(name) else name, path=path):
        reason = "its interpreter does not exist; check the first line of the script"
    elif not os.path.dirname(name):
        reason = f"no such program in PATH ({cut(path)}); install it or pass its path"
    elif os.path.isabs(name):
        reason = "no such program; check its path"
    else:
        reason = f"no such program in {folder!r}; pass an absolute path"
    return FileNotFoundError(errno.ENOENT, reason, name)


def _variable(environment: Mapping[str, str], name: str) -> str:
    """Return the value of a Windows environment variable, whose name is case-insensitive."""
    return next((value for key, value in environment.items() if key.upper() == name), "")
