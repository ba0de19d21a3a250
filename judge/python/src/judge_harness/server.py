"""A server that many processes share."""

from __future__ import annotations

import json
import subprocess
import tempfile
import urllib.parse
from types import TracebackType
from typing import Any, Optional, Union

from .client import serve_command
from .errors import ServerDied
from .grading import URL
from .problem import Problem


class Server:
    """A server of `judge serve --listen` on this machine, with a free port. It ends with `close` or a `with` block.

        with Server("columns", jobs=2) as server:
            subprocess.run(command, env={**os.environ, **server.environment()})

    Any process of this user that knows the `url` may use it: `Judge(problem="columns", url=server.url)`. The options are those
    of `Judge`.
    """

    def __init__(self, problem: Union[str, Problem, None] = None, **options: Any) -> None:
        command = serve_command("--listen", "127.0.0.1:0", problem=problem, **options)
        self._errors = tempfile.TemporaryFile()
        # Its standard input is a pipe that this process alone holds: the server ends with it.
        self._server = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        assert self._server.stdout is not None
        line = self._server.stdout.readline()
        try:
            said = json.loads(line)
            #: The address, with the token that lets a client in.
            self.url: str = f"{said['listening']}?{urllib.parse.urlencode({'token': said['token']})}"
        except (ValueError, KeyError, TypeError):
            self._server.kill()
            self._server.wait()
            self._errors.seek(0)
            why = self._errors.read()[-8000:].decode("utf-8", "replace").strip()
            self.close()
            raise ServerDied(f"the judge's server does not start:\n{why}") from None

    def environment(self) -> dict[str, str]:
        """Returns the variable that tells the adapters of this package to use the server."""
        return {URL: self.url}

    def close(self) -> None:
        """Ends the server. What runs is cancelled. A second call does nothing."""
        self._server.terminate()
        try:
            self._server.wait(10)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        for stream in (self._server.stdin, self._server.stdout, self._errors):
            if stream is not None:
                stream.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()
