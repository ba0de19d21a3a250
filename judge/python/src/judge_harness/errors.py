"""The errors of this package. Each has the judge's message and, where the judge gives one, its hint."""

from __future__ import annotations

from typing import Any, Optional


class JudgeError(Exception):
    """An evaluation that has no result. `message` says why, and `hint` what to do."""

    #: The index of the candidate in the argument of `evaluate_many`, from 0.
    index: Optional[int] = None

    def __init__(self, message: str, hint: Optional[str] = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class ProgramNotFound(JudgeError):
    """The program `judge` is missing or cannot be started."""


class InvalidRequest(JudgeError, ValueError):
    """The judge refuses the request: an unknown problem, a missing file, arguments that do not go together."""


class QueueFull(JudgeError):
    """The server's queue is full. The same request may succeed later."""


class JudgeFault(JudgeError):
    """The judge itself or the problem's checker failed. This says nothing about the candidate."""


class ServerDied(JudgeFault):
    """The server ended or is unreachable. The message contains the end of its standard error."""


#: The exit code of the judge if its arguments or files are wrong.
_USAGE = 2


def server_ended(what: str, code: Optional[int], said: str) -> JudgeError:
    """Returns the error of a server that ended with this exit code, and this at the end of its standard error."""
    if code == _USAGE and said.startswith("error: "):
        message, _, hint = said[len("error: ") :].partition("\nhint: ")
        return InvalidRequest(message.strip(), hint.strip() or None)
    return ServerDied(what + (f":\n{said}" if said else " and said nothing"))


class EvaluationCancelled(JudgeError):
    """The request was cancelled before it had a result."""


class EvaluationTimeout(JudgeError, TimeoutError):
    """The result did not arrive within the `timeout` of the request, which has been cancelled."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no result within {seconds:g} s", "raise `timeout`, or evaluate on fewer cases")
        self.seconds = seconds

    def __reduce__(self) -> Any:
        return type(self), (self.seconds,)
