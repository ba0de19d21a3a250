"""Builds the params of requests from the arguments of the client's methods."""

from __future__ import annotations

import operator
import os
import re
from typing import Any, Iterable, Iterator, Mapping, Optional, Union

from .errors import InvalidRequest
from .values import Evaluation

#: A path as a string or a `pathlib` object.
Path = Union[str, "os.PathLike[str]"]
#: Seeds: `"1-20"`, a number, or several numbers.
Seeds = Union[str, int, Iterable[int]]
#: A candidate: its path, or the arguments of `Judge.evaluate` by name.
Candidate = Union[Path, Mapping[str, Any]]
#: The smallest effect that matters: `"1%"`, or a number.
MinEffect = Union[str, int, float]


def evaluate_params(
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
) -> dict[str, Any]:
    """Returns the params of `evaluate`, without the problem."""
    if isinstance(against, Evaluation):
        if against.candidate is None:
            raise InvalidRequest("`against` is an evaluation without a candidate's id, such as a sealed one")
        against = against.candidate
    params = {
        "solver": _solver(source, path, command, language),
        **_cases(seeds, cases),
        "against": against,
        "min_effect": min_effect,
        "limits": limits,
        "fresh": fresh or None,
        "priority": priority or None,
        "sealed": sealed,
    }
    return _given(params)


def compare_params(
    a: Candidate,
    b: Candidate,
    seeds: Optional[Seeds] = None,
    cases: Optional[Iterable[Path]] = None,
    alpha: Optional[float] = None,
    min_effect: Optional[MinEffect] = None,
    limits: Optional[Mapping[str, Any]] = None,
    priority: int = 0,
) -> dict[str, Any]:
    """Returns the params of `compare`, without the problem."""
    solvers = {name: _named(_solver, candidate, {}) for name, candidate in (("a", a), ("b", b))}
    params = {"alpha": alpha, "min_effect": min_effect, "limits": limits, "priority": priority or None}
    return _given({**solvers, **_cases(seeds, cases), **params})


def reusable(common: Mapping[str, Any]) -> dict[str, Any]:
    """Returns arguments that are used for several requests: an iterator of seeds or cases becomes a list."""
    return {name: list(value) if isinstance(value, Iterator) else value for name, value in common.items()}


def candidate_params(candidate: Candidate, common: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the params of `evaluate` for a candidate. Its own arguments override the shared ones."""
    params: dict[str, Any] = _named(evaluate_params, candidate, common)
    return params


def _named(function: Any, candidate: Candidate, common: Mapping[str, Any]) -> Any:
    """Calls a function with a candidate's arguments, by name."""
    try:
        own = candidate if isinstance(candidate, Mapping) else {"path": os.fspath(candidate)}
        return function(**{**common, **own})
    except TypeError as error:
        raise InvalidRequest(f"a candidate is a path, or a mapping of arguments of `evaluate`: {error}") from error


def _solver(
    source: Optional[str] = None,
    path: Optional[Path] = None,
    command: Optional[str] = None,
    language: Optional[str] = None,
) -> dict[str, Any]:
    # The server may have been started in another folder.
    absolute = None if path is None else os.path.abspath(_fspath("path", path))
    program = _given({"source": source, "path": absolute, "command": command})
    if len(program) != 1:
        found = " and ".join(program) or "none"
        raise InvalidRequest(f"expected one of `source`, `path` and `command`, found {found}")
    if source is not None and language is None:
        raise InvalidRequest("`source` needs its `language`", "language='python'; `judge languages` lists them")
    if language is not None:
        program["language"] = language
    return program


def _cases(seeds: Optional[Seeds], cases: Optional[Iterable[Path]]) -> dict[str, Any]:
    if seeds is not None and cases is not None:
        raise InvalidRequest("expected `seeds` or `cases`, found both")
    if cases is not None:
        if not isinstance(cases, (str, os.PathLike, Iterable)):
            raise InvalidRequest(f"expected a list of cases, found {cases!r}", "cases=['seed-7', 'data/*.in']")
        names = [cases] if isinstance(cases, (str, os.PathLike)) else cases
        return {"cases": [_case(_fspath("cases", name)) for name in names]}
    if seeds is None:
        return {}
    if isinstance(seeds, (str, int)):
        return {"seeds": str(seeds)}
    try:
        text = ",".join(_ranges(sorted({operator.index(seed) for seed in seeds})))
    except TypeError as error:
        raise InvalidRequest(f"expected seeds such as `1-20`, a number or several: {error}") from error
    if not text:
        raise InvalidRequest("expected seeds, found an empty list")
    return {"seeds": text}


def _fspath(argument: str, path: Any) -> str:
    """Returns a path or a name as a text."""
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidRequest(f"`{argument}`: expected a text or a path, found {path!r}")
    return os.fspath(path)


def seed_numbers(seeds: Seeds) -> list[int]:
    """Returns seeds as numbers, in their order."""
    try:
        if isinstance(seeds, str):
            ends = [part.partition("-") for part in seeds.split(",")]
            return [seed for first, _, last in ends for seed in range(int(first), int(last or first) + 1)]
        return [operator.index(seed) for seed in ([seeds] if isinstance(seeds, int) else seeds)]
    except (TypeError, ValueError) as error:
        raise InvalidRequest(f"expected seeds such as `1-20`, a number or several: {error}") from error


def _case(name: str) -> str:
    """Returns a seed's name unchanged, and the absolute path of a file or a pattern: the server has its own folder."""
    is_seed = name.startswith("seed=") or re.fullmatch("seed-[0-9]+", name)
    return name if is_seed else os.path.abspath(name)


def _ranges(seeds: list[int]) -> Iterable[str]:
    """Yields sorted numbers as ranges: `3`, `7-12`."""
    first = 0
    for place, seed in enumerate(seeds):
        if place + 1 < len(seeds) and seeds[place + 1] == seed + 1:
            continue
        yield str(seed) if first == place else f"{seeds[first]}-{seed}"
        first = place + 1


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
