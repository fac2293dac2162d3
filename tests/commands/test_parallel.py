"""The processes of `acpgen generate`."""

from __future__ import annotations

import os
import time
from multiprocessing import active_children
from multiprocessing.connection import Connection

import pytest
from acpgen.commands.running.parallel import processes


def fail_while_workers_run() -> None:
    """Raise an error in the context, when one process has ended its work and one has not."""
    with processes(2) as pool:
        pool.submit(time.sleep, 60)
        pool.submit(os.getpid).result()
        raise KeyError("what went wrong")


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_ends_the_workers_and_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pipe is closed twice, however long closing it takes."""

    def close_slowly(connection: Connection) -> None:
        os.close(connection.fileno())
        time.sleep(0.2)

    monkeypatch.setattr(Connection, "_close", close_slowly)
    before = active_children()
    with pytest.raises(KeyError, match="what went wrong"):
        fail_while_workers_run()
    assert active_children() == before


def test_a_process_that_ends_says_so() -> None:
    with processes(1) as pool:
        call = pool.submit(os._exit, 3)
        with pytest.raises(ChildProcessError, match="has ended with status 3, perhaps for lack of"):
            call.result()
