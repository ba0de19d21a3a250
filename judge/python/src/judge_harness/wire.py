"""JSON-RPC messages, and calls that wait for their responses."""

from __future__ import annotations

import json
import os
from concurrent.futures import Future, InvalidStateError
from decimal import Decimal
from typing import Any, Callable, Mapping, Optional, Protocol

from .errors import EvaluationCancelled, InvalidRequest, JudgeError, JudgeFault, QueueFull

#: A caller's handler of notifications about its request.
Listener = Callable[[Mapping[str, Any]], None]


class Call:
    """A request that was sent, and its future response."""

    def __init__(self, cancel: Callable[[], None]) -> None:
        self.future: Future[Any] = Future()
        self._cancel = cancel

    def cancel(self) -> None:
        """Tells the server that nobody waits for the response."""
        self._cancel()

    def finish(self, result: Any) -> None:
        """Sets the result, or the error if it is an exception. A second one is ignored."""
        try:
            if isinstance(result, BaseException):
                self.future.set_exception(result)
            else:
                self.future.set_result(result)
        except InvalidStateError:
            pass


class Transport(Protocol):
    """A connection of this process to a server."""

    def call(self, method: str, params: Mapping[str, Any], listener: Optional[Listener] = None) -> Call:
        """Sends a request. The call's future has the result, or the error as an exception."""

    def is_open(self) -> bool:
        """Returns whether another request can be sent."""

    def close(self) -> None:
        """Ends the connection. Calls without a response fail with `EvaluationCancelled`."""

    def abandon(self) -> None:
        """Closes the handles that a fork has copied into this process, without notifying the server."""


#: The server refuses longer messages, and cannot say which request they were.
_MAX_MESSAGE = 16 << 20


def encode(message: Mapping[str, Any]) -> bytes:
    """Returns a message as a line of JSON without the newline. Raises `InvalidRequest` if the server cannot read it."""
    try:
        text = json.dumps(message, separators=(",", ":"), default=_plain, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"the request is no JSON: {error}", "texts of Unicode, and finite numbers") from error
    if len(text) > _MAX_MESSAGE:
        raise InvalidRequest(f"the request has {len(text)} bytes: at most {_MAX_MESSAGE} are read", "give a `path`")
    return text


def decode(text: bytes) -> Any:
    """Returns the value of JSON text. Numbers are exact: integers of any length, decimals as `Decimal`."""
    return json.loads(text, parse_int=_integer, parse_float=Decimal)


def _integer(text: str) -> int:
    # int() refuses more than 4,300 digits.
    return int(text) if len(text) < 4_000 else int(Decimal(text))


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a request cannot contain {value!r}")


#: The exceptions for JSON-RPC error codes. Other codes are faults of the judge.
_KINDS: dict[int, type[JudgeError]] = {
    -32700: InvalidRequest,
    -32600: InvalidRequest,
    -32601: InvalidRequest,
    -32602: InvalidRequest,
    -32000: EvaluationCancelled,
    -32001: QueueFull,
    -32002: EvaluationCancelled,
}


def result_of(message: Any) -> Any:
    """Returns the result of a response, or its error as an exception, which is not raised."""
    if not isinstance(message, dict):
        return JudgeFault(f"expected an answer of JSON-RPC, found {str(message)[:100]}")
    error = message.get("error")
    if error is None:
        return message.get("result")
    data = error.get("data") or {}
    kind = _KINDS.get(error.get("code"), JudgeFault)
    return kind(data.get("message") or error.get("message") or "the judge gives no reason", data.get("hint"))
