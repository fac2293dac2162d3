"""Our client, which times its calls over a remote transport and prints the times as JSON.

Usage: `remote_ours_client.py COUNT IN_FLIGHT TRANSPORT URL`
"""

import asyncio
import sys
from typing import Any

from acp_bindings.remote import connect_remote
from ours_client import main

count, in_flight, transport, url = sys.argv[1:]
chosen: Any = transport
asyncio.run(
    main(int(count), int(in_flight), lambda client: connect_remote(url, client, transport=chosen))
)
