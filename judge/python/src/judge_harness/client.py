"""The client: `Judge`, and `AsyncJudge` for `asyncio`."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
import time
import weakref
from typing import Any, AsyncIterator, Iterable, Iterator, Mapping, Optional, Sequence, Union

from .errors import EvaluationCancelled, EvaluationTimeout, InvalidRequest, JudgeError
from .problem import Problem
from .program import ServerOptions
from .requests import Candidate, MinEffect, Path, Seeds, candidate_params, compare_params, evaluate_params, reusable
from .http_transport import Http
from .pipe import Pipe
from .wire import Call, Listener, Transport
from .values import Comparison, Evaluation

_judges: weakref.WeakSet[Judge] = weakref.WeakSet()


class Judge:
    """Evaluates candidates on a problem, with a `judge serve` that it starts, or with the server at `url`.

    The server starts with the first request and ends with `close`, at the end of a `with` block, or with this process.
    Threads may share a judge. After a fork, the child has a server of its own.

    - `problem`: the id of a problem, or a `Problem`. It may be absent if the catalogue has one problem.
    - `problems`: the catalogue, a `problems.toml`. By default, the one in the current folder or the nearest parent.
    - `jobs`: the number of solvers that run at once, by default one per physical core.
    - `journal`: the file that records the runs. By default there is none.
    - `sealed`: the file of sealed cases. It is created if missing.
    - `program`: the program `judge`. By default `JUDGE`, the one installed with this package, or the one on the `PATH`.
    - `arguments`: more arguments of `judge serve`.
    - `url`, `token`: a server of `judge serve --listen`. It has its own catalogue, jobs, journal and sealed cases.
    """

    _transport: Optional[Transport]

    def __init__(
        self,
        problem: Union[str, Problem, None] = None,
        *,
        problems: Optional[Path] = None,
        jobs: Optional[int] = None,
        journal: Optional[Path] = None,
        sealed: Optional[Path] = None,
        program: Optional[Path] = None,
        arguments: Sequence[str] = (),
        url: Optional[str] = None,
        token: Optional[str] = None,
    ) -> None:
        server = ServerOptions(problems, jobs, journal, sealed, program, tuple(arguments))
        if url is not None and server != ServerOptions():
            raise InvalidRequest(
                "`url` names a server that runs already, with its own catalogue, jobs, journal and sealed cases",
                "give these to `judge serve --listen`",
            )
        if isinstance(problem, Problem) and problem.catalogue is not None and url is not None:
            raise InvalidRequest("the server at `url` has its own catalogue: give the id of one of its problems")
        self._problem = problem
        self._server, self._url, self._token = server, url, token
        self._closed = False
        self._renew()
        _judges.add(self)

    # ---- evaluating

    def evaluate(
        self,
        *,
        source: Optional[str] = None,
        path: Optional[Path] = None,
        command: Optional[str] = None,
        language: Optional[str] = None,
        seeds: Optional[Seeds] = None,
        cases: Optional[Iterable[Path]] = None,
        against: Union[str, Evaluation, None] = None,
        min_effect: Optional[MinEffect] = None,
        limits: Optional[Mapping[str, Any]] = None,
        fresh: bool = False,
        priority: int = 0,
        sealed: Optional[bool] = None,
        timeout: Optional[float] = None,
        progress: Optional[Listener] = None,
    ) -> Evaluation:
        """Plays one candidate and returns its result. A bad candidate is not an error: see `Evaluation.verdict`.

        - One of: `source` with its `language`, the `path` of a program, source or folder, or a `command`.
        - `seeds` or `cases` (names such as `seed-7`, files, patterns). By default the problem's own cases.
        - `against`: `"best"`, or an earlier `Evaluation`. It stops as soon as the candidate is known to be no better
          by more than `min_effect`.
        - `limits`: `cpu`, `wall`, `memory`, `output`, `processes`. They cannot exceed the server's.
        - `fresh` ignores cached results; requests with a higher `priority` go first.
        - `sealed` plays the sealed cases, and tells the best total so far and the number of failures alone. So does a
          request without `seeds` and `cases` to a judge that has some, unless `sealed` is False.
        - `timeout`: the total seconds to wait for the result. Then `EvaluationTimeout` is raised.
        - `progress` is called with `state`, `done` and `cases`, from another thread. Not over HTTP.

        Raises `JudgeError` if there is no result.
        """
        params = evaluate_params(
            source, path, command, language, seeds, cases, against, min_effect, limits, fresh, priority, sealed
        )
        return Evaluation.of(_wait(self._call("evaluate", self._params(params), progress), timeout))

    def evaluate_many(
        self,
        candidates: Iterable[Candidate],
        *,
        ahead: Optional[int] = None,
        return_exceptions: bool = False,
        **common: Any,
    ) -> Iterator[Evaluation]:
        """Plays many candidates and yields each evaluation when it ends. Its `index` identifies the candidate.

        A candidate is a path, or a mapping of arguments of `evaluate`; `common` has the shared ones. At most `ahead`
        candidates are taken from the iterable before the first of them has ended, by default twice as many as there are
        cores. An error of a request is raised and cancels the others, or is yielded with `return_exceptions`.
        """
        ahead = _ahead(ahead, self._server.jobs)
        timeout = common.pop("timeout", None)
        common = reusable(common)
        waiting: dict[concurrent.futures.Future[Any], tuple[int, Call, float]] = {}
        numbered = enumerate(candidates)
        try:
            while True:
                while len(waiting) < ahead and (item := next(numbered, None)) is not None:
                    index, candidate = item
                    call = self._start(candidate, common)
                    waiting[call.future] = (index, call, time.monotonic() + (timeout or 0))
                if not waiting:
                    return
                first_deadline = min(deadline for _, _, deadline in waiting.values()) - time.monotonic()
                done, _ = concurrent.futures.wait(
                    waiting,
                    timeout=None if timeout is None else max(first_deadline, 0),
                    return_when=concurrent.futures.FIRST_COMPLETED,
                )
                for future in done or [min(waiting, key=lambda future: waiting[future][2])]:
                    index, call, _ = waiting.pop(future)
                    yield from _yielded(index, call, timeout, return_exceptions)
        finally:
            for _, call, _ in waiting.values():
                call.cancel()

    def compare(
        self,
        a: Candidate,
        b: Candidate,
        *,
        seeds: Optional[Seeds] = None,
        cases: Optional[Iterable[Path]] = None,
        alpha: Optional[float] = None,
        min_effect: Optional[MinEffect] = None,
        limits: Optional[Mapping[str, Any]] = None,
        priority: int = 0,
        timeout: Optional[float] = None,
    ) -> Comparison:
        """Plays two candidates on the same cases and says whether `b` is better than `a`, and how certain that is.

        A candidate is a path, or a mapping with `source` and `language`, `path`, or `command`. Raises `JudgeError`.
        """
        params = compare_params(a, b, seeds, cases, alpha, min_effect, limits, priority)
        return Comparison.of(_wait(self._call("compare", self._params(params)), timeout))

    # ---- asking

    def problems(self) -> list[Mapping[str, Any]]:
        """Returns the problems of the catalogue: `problem` (the id), `title`, `rule`, `direction`, `limits`, `cases`."""
        found: list[Mapping[str, Any]] = _wait(self._call("problems", {}), None)["problems"]
        return found

    def rules(self) -> str:
        """Returns the rules of the problem's game, as text for a person or a model."""
        return str(_wait(self._call("rules", self._params({})), None)["rules"])

    def status(self) -> Mapping[str, Any]:
        """Returns the server's state: `version`, `tier`, `jobs`, `running`, `waiting`, `evaluations`, `runs`, `cached`."""
        status: Mapping[str, Any] = _wait(self._call("status", {}), None)
        return status

    def smaller_is_better(self) -> bool:
        """Returns whether a smaller total is better: if the rule adds up scores and small scores are good."""
        problems = self.problems()
        wanted = self._params({}).get("problem")
        for problem in problems:
            if wanted is None or problem["problem"] == wanted:
                return problem["direction"] == "min" and problem["rule"] in ("sum", "mean")
        raise InvalidRequest(f"no problem `{wanted}`")

    # ---- the connection

    def close(self) -> None:
        """Ends the server, or the connection to it. Running requests are cancelled. A second call does nothing."""
        with self._lock:
            self._closed = True
            transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()
        if isinstance(self._problem, Problem):
            self._problem.close()

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> Mapping[str, Any]:
        # Another process has its own connection.
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_transport")}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        self._renew()
        _judges.add(self)

    def _renew(self) -> None:
        """Resets to no connection and unlocked locks."""
        self._lock = threading.Lock()
        self._transport = None

    def _after_fork(self) -> None:
        """In the child: drops the connection, which must not be shared."""
        transport = self._transport
        self._renew()
        if transport is not None:
            transport.abandon()

    def _call(self, method: str, params: Mapping[str, Any], listener: Optional[Listener] = None) -> Call:
        with self._lock:
            if self._closed:
                raise InvalidRequest("the judge is closed")
            # Replace a server that died. The new one has no results and no best candidate.
            if self._transport is None or not self._transport.is_open():
                if self._transport is not None:
                    self._transport.close()
                self._transport = self._connect()
            transport = self._transport
        return transport.call(method, params, listener)

    def _connect(self) -> Transport:
        if self._url is not None:
            return Http(self._url, self._token)
        return Pipe(self._server.command("--stdio", problem=self._problem))

    def _start(self, candidate: Candidate, common: Mapping[str, Any], listener: Optional[Listener] = None) -> Call:
        """Sends the request for a candidate. If it cannot be sent, the call has the error."""
        try:
            return self._call("evaluate", self._params(candidate_params(candidate, common)), listener)
        except InvalidRequest as error:
            call = Call(lambda: None)
            call.finish(error)
            return call

    def _params(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the params of a request with the problem of this judge."""
        problem = self._problem.id if isinstance(self._problem, Problem) else self._problem
        return dict(params) if problem is None else {"problem": problem, **params}


class AsyncJudge:
    """`Judge` for `asyncio`: the same arguments, and methods to be awaited. Cancelling a task cancels its request."""

    def __init__(self, problem: Union[str, Problem, None] = None, **options: Any) -> None:
        self._judge = Judge(problem, **options)

    async def evaluate(
        self, *, timeout: Optional[float] = None, progress: Optional[Listener] = None, **arguments: Any
    ) -> Evaluation:
        """Plays one candidate: see `Judge.evaluate`. `progress` is called from another thread."""
        return Evaluation.of(await _result(self._judge._start(arguments, {}, progress), timeout))

    async def evaluate_many(
        self,
        candidates: Iterable[Candidate],
        *,
        ahead: Optional[int] = None,
        return_exceptions: bool = False,
        timeout: Optional[float] = None,
        **common: Any,
    ) -> AsyncIterator[Evaluation]:
        """Plays many candidates, and yields each evaluation when it ends: see `Judge.evaluate_many`."""
        ahead = _ahead(ahead, self._judge._server.jobs)
        common = reusable(common)
        waiting: dict[asyncio.Task[Any], int] = {}
        numbered = enumerate(candidates)
        try:
            while True:
                while len(waiting) < ahead and (item := next(numbered, None)) is not None:
                    index, candidate = item
                    call = self._judge._start(candidate, common)
                    waiting[asyncio.ensure_future(_result(call, timeout))] = index
                if not waiting:
                    return
                done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    index = waiting.pop(task)
                    try:
                        yield Evaluation.of(task.result(), index)
                    except JudgeError as error:
                        if not return_exceptions:
                            raise
                        yield _indexed(error, index)
        finally:
            for task in waiting:
                task.cancel()

    async def compare(self, a: Candidate, b: Candidate, *, timeout: Optional[float] = None, **arguments: Any) -> Comparison:
        """Plays two candidates on the same cases: see `Judge.compare`."""
        return Comparison.of(await self._ask("compare", self._judge._params(compare_params(a, b, **arguments)), timeout))

    async def problems(self) -> list[Mapping[str, Any]]:
        """Returns the problems of the catalogue: see `Judge.problems`."""
        found: list[Mapping[str, Any]] = (await self._ask("problems", {}))["problems"]
        return found

    async def rules(self) -> str:
        """Returns the rules of the problem's game."""
        return str((await self._ask("rules", self._judge._params({})))["rules"])

    async def status(self) -> Mapping[str, Any]:
        """Returns the server's state: see `Judge.status`."""
        status: Mapping[str, Any] = await self._ask("status", {})
        return status

    async def close(self) -> None:
        """Ends the server, or the connection to it."""
        await asyncio.get_running_loop().run_in_executor(None, self._judge.close)

    async def __aenter__(self) -> AsyncJudge:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _ask(self, method: str, params: Mapping[str, Any], timeout: Optional[float] = None) -> Any:
        return await _result(self._judge._call(method, params), timeout)


async def _result(call: Call, timeout: Optional[float]) -> Any:
    """Returns the result of a call. Whatever ends the waiting cancels the call."""
    try:
        return await asyncio.wait_for(asyncio.wrap_future(call.future), timeout)
    except asyncio.TimeoutError as error:
        if isinstance(error, JudgeError) or timeout is None:
            raise
        raise EvaluationTimeout(timeout) from None
    finally:
        call.cancel()


def _after_fork() -> None:
    for judge in list(_judges):
        judge._after_fork()


os.register_at_fork(after_in_child=_after_fork)


def _wait(call: Call, timeout: Optional[float]) -> Any:
    """Returns the result of a call. Whatever ends the waiting cancels the call."""
    try:
        return call.future.result(timeout)
    except concurrent.futures.TimeoutError as error:
        if isinstance(error, JudgeError) or timeout is None:
            raise
        raise EvaluationTimeout(timeout) from None
    except concurrent.futures.CancelledError:
        raise EvaluationCancelled("the evaluation was cancelled") from None
    finally:
        call.cancel()


def _yielded(index: int, call: Call, timeout: Optional[float], return_exceptions: bool) -> Iterator[Any]:
    """Yields the evaluation of a call that has ended or timed out."""
    try:
        if not call.future.done():
            raise EvaluationTimeout(timeout or 0)
        yield Evaluation.of(call.future.result(), index)
    except JudgeError as error:
        if not return_exceptions:
            raise
        yield _indexed(error, index)
    finally:
        call.cancel()


def _indexed(error: JudgeError, index: int) -> Any:
    """Returns the error with the index of its candidate."""
    error.index = index
    return error


def _ahead(ahead: Optional[int], jobs: Optional[int]) -> int:
    if ahead is not None and ahead < 1:
        raise InvalidRequest(f"expected `ahead` of at least 1, found {ahead}")
    return ahead or 2 * (jobs or os.cpu_count() or 1)
