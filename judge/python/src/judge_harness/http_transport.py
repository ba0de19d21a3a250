"""A running server, over HTTP: `judge serve --listen`."""

from __future__ import annotations

import collections
import http.client
import itertools
import socket
import threading
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Mapping, Optional

from .errors import EvaluationCancelled, InvalidRequest, JudgeError, JudgeFault, ServerDied
from .wire import Call, Listener, decode, encode, result_of

#: The maximum number of concurrent HTTP requests of one process. More are queued.
_HTTP_THREADS = 64


class Http:
    """A running server, over HTTP. Each concurrent request has its own connection, which is kept for later ones."""

    def __init__(self, url: str, token: Optional[str]) -> None:
        expected = InvalidRequest(f"expected a URL such as http://127.0.0.1:8000/rpc, found `{url}`")
        try:
            parts = urllib.parse.urlsplit(url)
            port = parts.port or 80
        except ValueError as error:
            raise expected from error
        if parts.scheme != "http" or parts.hostname is None:
            raise expected
        self._address = (parts.hostname, port)
        self._path = parts.path if parts.path not in ("", "/") else "/rpc"
        token = token or urllib.parse.parse_qs(parts.query).get("token", [None])[0]
        self._headers = {"Content-Type": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._idle: collections.deque[http.client.HTTPConnection] = collections.deque()
        self._busy: dict[Call, http.client.HTTPConnection] = {}
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._threads = ThreadPoolExecutor(_HTTP_THREADS, "judge-http")
        self._open = True

    def call(self, method: str, params: Mapping[str, Any], listener: Optional[Listener] = None) -> Call:
        del listener  # There are no notifications over HTTP.
        call = Call(lambda: self._hang_up(call))
        body = encode({"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params})

        def run() -> None:
            try:
                call.finish(result_of(self._post(body, call)))
            except BaseException as error:
                call.finish(error)

        try:
            self._threads.submit(run)
        except RuntimeError:
            call.finish(EvaluationCancelled("the judge was closed"))
        return call

    def is_open(self) -> bool:
        return self._open

    def close(self) -> None:
        self._open = False
        self._threads.shutdown(wait=False)
        with self._lock:
            idle, busy = list(self._idle), list(self._busy.values())
            self._idle.clear()
        for connection in busy:
            _shut_down(connection)
        for connection in idle:
            connection.close()

    def abandon(self) -> None:
        for connection in [*self._idle, *self._busy.values()]:
            if connection.sock is not None:
                connection.sock.close()

    def _hang_up(self, call: Call) -> None:
        """Closes the connection of a waiting call. The server then cancels the request."""
        call.finish(EvaluationCancelled("the evaluation was cancelled"))
        with self._lock:
            connection = self._busy.pop(call, None)
        if connection is not None:
            _shut_down(connection)

    def _post(self, body: bytes, call: Call) -> Any:
        """Sends one request. Replaces a kept connection that the server has closed in the meantime."""
        while True:
            with self._lock:
                if call.future.done():
                    return None
                kept = self._idle.pop() if self._idle else None
                connection = kept or http.client.HTTPConnection(*self._address)
                self._busy[call] = connection
            try:
                connection.request("POST", self._path, body, self._headers)
                response = connection.getresponse()
                text = response.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                closed = isinstance(error, (http.client.RemoteDisconnected, ConnectionError))
                if kept is not None and closed and self._open:
                    continue
                raise self._unreachable(error) from error
            finally:
                with self._lock:
                    mine = self._busy.pop(call, None) is not None
            break
        if mine and self._open and not response.will_close:
            self._idle.append(connection)
        else:
            connection.close()
        if response.status != 200:
            said = text.decode("utf-8", "replace").strip()[:500]
            raise InvalidRequest(f"the server at {self._at()} answers {response.status} {response.reason}: {said}")
        try:
            return decode(text)
        except ValueError as error:
            raise JudgeFault(f"the answer of the server at {self._at()} is no JSON: {error}") from error

    def _at(self) -> str:
        return "{}:{}".format(*self._address)

    def _unreachable(self, error: BaseException) -> JudgeError:
        if not self._open:
            return EvaluationCancelled("the judge was closed before the evaluation ended")
        return ServerDied(f"the server at {self._at()} does not answer: {error}", "judge serve --listen 127.0.0.1:PORT")


def _shut_down(connection: http.client.HTTPConnection) -> None:
    """Ends a connection that a thread is waiting on."""
    if connection.sock is not None:
        try:
            connection.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
