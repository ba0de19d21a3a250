"""A server that this process starts and communicates with over standard streams."""

from __future__ import annotations

import collections
import itertools
import logging
import subprocess
import threading
from typing import Any, Callable, Mapping, Optional, Sequence

from .errors import EvaluationCancelled, JudgeError, JudgeFault, ProgramNotFound, server_ended
from .wire import Call, Listener, decode, encode, result_of

#: The length of the server's standard error that an error shows.
_STDERR = 8_000

#: The time limit for a server to end after its standard input is closed, and again after SIGTERM.
_PATIENCE = 10.0


class Pipe:
    """A server as a child of this process. It ends when its standard input is closed, at the latest with this process."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            # Its own session, so that Ctrl-C in a terminal only reaches this process, which decides what to do.
            self._server = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise ProgramNotFound(f"{command[0]} cannot be started: {error.strerror}") from error
        self._write_lock = threading.Lock()
        self._lock = threading.Lock()
        self._calls: dict[int, tuple[Call, Optional[Listener]]] = {}
        self._ids = itertools.count(1)
        self._ended: Optional[JudgeError] = None
        self._stderr: collections.deque[bytes] = collections.deque()
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._read_errors, self._read)]
        for thread in self._threads:
            thread.start()

    def call(self, method: str, params: Mapping[str, Any], listener: Optional[Listener] = None) -> Call:
        call_id = next(self._ids)
        call = Call(lambda: self._forget(call_id))
        line = encode({"jsonrpc": "2.0", "id": call_id, "method": method, "params": params})
        with self._lock:
            if self._ended is not None:
                call.finish(self._ended)
                return call
            self._calls[call_id] = (call, listener)
        self._write(line)
        return call

    def is_open(self) -> bool:
        return self._ended is None

    def close(self) -> None:
        self._end(EvaluationCancelled("the judge was closed before the evaluation ended"))
        stdin = self._server.stdin
        assert stdin is not None
        with self._write_lock:
            stdin.close()
        self._wait_or(self._server.terminate)
        self._wait_or(self._server.kill)
        self._server.wait()
        for thread in self._threads:
            thread.join(_PATIENCE)
        self._close_outputs()

    def abandon(self) -> None:
        # A copy of the pipe would keep the server alive after the process that started it.
        self._server.returncode = 0
        if self._server.stdin is not None:
            self._server.stdin.close()
        self._close_outputs()

    def _wait_or(self, end: Callable[[], None]) -> None:
        try:
            self._server.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            end()

    def _close_outputs(self) -> None:
        for stream in (self._server.stdout, self._server.stderr):
            if stream is not None:
                stream.close()

    def _forget(self, call_id: int) -> None:
        """Cancels a call: its future fails at once, and the server stops working on it."""
        with self._lock:
            call, _ = self._calls.pop(call_id, (None, None))
        if call is not None:
            call.finish(EvaluationCancelled("the evaluation was cancelled"))
            self._write(encode({"jsonrpc": "2.0", "method": "cancel", "params": {"id": call_id}}))

    def _write(self, message: bytes) -> None:
        line = memoryview(message + b"\n")
        stdin = self._server.stdin
        assert stdin is not None
        try:
            with self._write_lock:
                while line:
                    line = line[stdin.write(line) :]
        except (OSError, ValueError):
            pass  # The server has ended. The thread that reads its output reports the reason to all callers.

    def _read(self) -> None:
        """Passes each line from the server to the call that waits for it."""
        stdout = self._server.stdout
        assert stdout is not None
        rest = bytearray()
        try:
            while chunk := stdout.read(1 << 16):
                end = chunk.rfind(b"\n") + 1
                if not end:
                    rest += chunk
                    continue
                lines = bytes(rest) + chunk[:end]
                rest = bytearray(chunk[end:])
                for line in lines.splitlines():
                    self._receive(decode(line))
        except (OSError, ValueError) as error:
            self._end(JudgeFault(f"the server's output is no JSON-RPC: {error}"))
        self._end_with_stderr()

    def _receive(self, message: Any) -> None:
        if not isinstance(message, dict):
            raise ValueError(f"expected an object, found {str(message)[:100]}")
        if "method" in message:
            params = message.get("params") or {}
            with self._lock:
                waiting = self._calls.get(params.get("id", 0))
            if waiting is not None and waiting[1] is not None:
                try:
                    waiting[1](params)
                except Exception:
                    # An error in a caller's progress function must not lose the results of all.
                    logging.getLogger(__name__).exception("a callback for progress failed")
            return
        number = message.get("id")
        with self._lock:
            # Without an id, the server could not read a request, and nobody knows which: none may wait forever.
            answered = list(self._calls) if number is None else [number]
            calls = [self._calls.pop(number)[0] for number in answered if number in self._calls]
        for call in calls:
            call.finish(result_of(message))

    def _read_errors(self) -> None:
        """Reads the server's standard error, so that the server never blocks on it, and keeps the end."""
        stderr = self._server.stderr
        assert stderr is not None
        kept = 0
        try:
            while chunk := stderr.read(1 << 12):
                self._stderr.append(chunk)
                kept += len(chunk)
                while kept - len(self._stderr[0]) > _STDERR:
                    kept -= len(self._stderr.popleft())
        except (OSError, ValueError):
            pass

    def _end_with_stderr(self) -> None:
        """Fails all calls because the server has closed its output."""
        if self._ended is not None:
            return
        try:
            code: Optional[int] = self._server.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            code = None
        self._threads[0].join(1.0)
        said = b"".join(self._stderr)[-_STDERR:].decode("utf-8", "replace").strip()
        how = "closed its output" if code is None else f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        self._end(server_ended(f"the judge's server {how}", code, said))

    def _end(self, why: JudgeError) -> None:
        with self._lock:
            self._ended = self._ended or why
            calls = list(self._calls.values())
            self._calls.clear()
        for call, _ in calls:
            call.finish(why)
