"""A server shared by many processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import urllib.parse
import weakref
from typing import Any, Union

from .errors import server_ended
from .grading import URL
from .problem import Problem
from .program import ServerOptions

#: Runs the server and ends it at the end of standard input, as a server over pipes does by itself. Standard input ends
#: when it is closed, or when the process that holds it ends for any reason.
_KEEPER = """
"$@" </dev/null & server=$!
exec >&-
cat >/dev/null
kill "$server" 2>/dev/null
wait "$server"
"""

#: The time limit for a server to end.
_PATIENCE = 10.0

_servers: weakref.WeakSet[Server] = weakref.WeakSet()


class Server:
    """A server of `judge serve --listen` on this machine, at a free port. It ends with `close`, a `with` block, or this process.

        with Server("columns", jobs=2) as server:
            subprocess.run(command, env={**os.environ, **server.environment()})

    Any process that knows the `url` may use it: `Judge(problem="columns", url=server.url)`. The options are those of `Judge`.
    """

    def __init__(self, problem: Union[str, Problem, None] = None, **options: Any) -> None:
        command = ServerOptions(**options).command("--listen", "127.0.0.1:0", problem=problem)
        self._owner = os.getpid()
        # A problem of Python functions has a folder, which is removed with it.
        self._problem = problem
        self._errors = tempfile.TemporaryFile()
        self._keeper = subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, "judge-server", *command],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        _servers.add(self)
        assert self._keeper.stdout is not None
        try:
            said = json.loads(self._keeper.stdout.readline())
            #: The address, with the token for clients.
            self.url: str = f"{said['listening']}?{urllib.parse.urlencode({'token': said['token']})}"
        except (ValueError, KeyError, TypeError):
            self._errors.seek(0)
            why = self._errors.read()[-8000:].decode("utf-8", "replace").strip()
            self.close()
            raise server_ended("the judge's server does not start", self._keeper.returncode, why) from None
        finally:
            if not hasattr(self, "url"):
                self.close()

    def environment(self) -> dict[str, str]:
        """Returns the environment variable that makes the adapters of this package use the server."""
        return {URL: self.url}

    def close(self) -> None:
        """Ends the server. Running requests are cancelled. Does nothing on a second call or in a child process."""
        if os.getpid() != self._owner:
            return
        self._close_streams()
        try:
            self._keeper.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self._keeper.pid, signal.SIGKILL)
            self._keeper.wait()
        self._errors.close()

    def _close_streams(self) -> None:
        for stream in (self._keeper.stdin, self._keeper.stdout):
            if stream is not None:
                stream.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _after_fork() -> None:
    # A copy of the pipe would keep the server alive after the process that started it.
    for server in list(_servers):
        server._close_streams()
        server._keeper.returncode = 0


os.register_at_fork(after_in_child=_after_fork)
