"""A problem: of a catalogue, or made of Python functions."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import weakref
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Optional, Union

from .errors import InvalidRequest

#: The key of problems.toml for each limit that `Problem.from_checker` takes.
_LIMITS = ("cpu", "wall", "memory", "output", "processes")

#: Calls the functions of a file, inside the sandbox.
_CALLER = Path(__file__).resolve().with_name("check_answer.py")

#: A function, or its location: `"game.py:check"`.
Function = Union[Callable[..., Any], str]


class Problem:
    """A problem for `Judge`: an `id`, and its `catalogue`, or `None` for the default one."""

    def __init__(self, id: Optional[str] = None, catalogue: Union[str, os.PathLike[str], None] = None) -> None:
        self.id = id
        self.catalogue = None if catalogue is None else os.path.abspath(catalogue)
        self._remove: Callable[[], object] = lambda: None

    def __repr__(self) -> str:
        return f"Problem({self.id!r}, {self.catalogue!r})"

    @classmethod
    def from_toml(cls, file: Union[str, os.PathLike[str]], id: Optional[str] = None) -> Problem:
        """Returns a problem of a `problems.toml`. Without an `id`, the catalogue must have exactly one problem."""
        if not os.path.isfile(file):
            raise InvalidRequest(f"no file `{os.fspath(file)}`")
        return cls(id, file)

    @classmethod
    def from_checker(
        cls,
        check: Function,
        *,
        generate: Optional[Function] = None,
        seeds: Optional[str] = None,
        inputs: Iterable[Union[str, os.PathLike[str]]] = (),
        direction: str = "max",
        rule: str = "sum",
        failure: Optional[int] = None,
        limits: Optional[Mapping[str, Union[str, int]]] = None,
        trusted: bool = False,
        id: Optional[str] = None,
    ) -> Problem:
        """Returns a problem whose checker is a Python function of a file.

        `check(input: str, answer: str)` returns the score, a number, or a text that says why the answer is rejected. An
        exception is a fault of the checker, and never the candidate's. `generate(seed: int)` returns the text of a case.
        Cases come from `seeds`, such as `"1-20"`, or from the files `inputs`. `direction`, `rule`, `failure`
        and `limits` are those of `problems.toml`: scores below 0 need a `failure` below all of them.

        Both functions run in the judge's sandbox, each call in its own process: they see their own file and
        the packages of this Python. With `trusted` they run outside. The problem ends with the judge that has it.
        """
        file, name = _place(check)
        if (generate is None) == (seeds is not None):
            raise InvalidRequest("`generate` makes cases from `seeds`: give both or none")
        inputs = [inputs] if isinstance(inputs, str) else list(inputs)
        if seeds is None and not inputs:
            raise InvalidRequest("a problem needs cases: `generate` and `seeds`, or `inputs`")
        id = id or re.sub(r"[^a-z0-9]+", "-", Path(file).stem.lower()).strip("-") or "problem"
        command = f"{_call('check', file, name)} {{input}} {{answer}}"
        lines = ["[[problem]]", _line("id", id), _line("checker-command", command)]
        if generate is not None:
            lines += [_line("generator-command", f"{_call('generate', *_place(generate))} {{seed}}")]
            lines += [_line("seeds", seeds)]
        if inputs:
            lines.append(_line("inputs", [os.path.abspath(pattern) for pattern in inputs]))
        if trusted:
            lines.append("trusted = true")
        lines += ["[problem.scoring]", _line("rule", rule), _line("direction", direction)]
        if failure is not None:
            lines.append(_line("failure", failure))
        lines.append("[problem.limits]")
        for key, value in (limits or {}).items():
            if key not in _LIMITS:
                raise InvalidRequest(f"unknown limit `{key}`: expected one of {', '.join(_LIMITS)}")
            lines.append(_line(key, value))
        folder = tempfile.mkdtemp(prefix="judge-problem-")
        catalogue = Path(folder, "problems.toml")
        catalogue.write_text("\n".join(lines) + "\n", encoding="utf-8")
        problem = cls(id, catalogue)
        problem._remove = weakref.finalize(problem, _remove, folder, os.getpid())
        return problem

    def key(self) -> tuple[Optional[str], Optional[str]]:
        """Returns a key that equal problems share: the id, and the catalogue's path, or its text if it was made here."""
        if self.catalogue is None or not isinstance(self._remove, weakref.finalize):
            return self.id, self.catalogue
        return self.id, Path(self.catalogue).read_text(encoding="utf-8")

    def close(self) -> None:
        """Removes the files of a problem made by `from_checker`. `Judge.close` and the exit of Python do so too."""
        self._remove()

    def __getstate__(self) -> Mapping[str, Any]:
        # A copy in another process owns no files.
        return {"id": self.id, "catalogue": self.catalogue}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(state["id"], state["catalogue"])  # type: ignore[misc]

    def __enter__(self) -> Problem:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _place(function: Function) -> tuple[str, str]:
    """Returns the file and the name of a function."""
    if isinstance(function, str):
        file, colon, name = function.rpartition(":")
        if not colon:
            raise InvalidRequest(f"expected FILE.py:FUNCTION, found `{function}`")
    else:
        file, name = inspect.getsourcefile(function) or "", function.__qualname__
    if not name.isidentifier() or not os.path.isfile(file):
        raise InvalidRequest(
            f"`{name}` is no function at the top of a file: found `{file or 'no file'}`",
            "write it into a file of its own, and name it: game.py:check",
        )
    return os.path.abspath(file), name


def _call(what: str, file: str, name: str) -> str:
    command = shlex.join([sys.executable, str(_CALLER), what, file, name])
    if "{" in command or "}" in command:
        raise InvalidRequest(f"braces stand for values in a command, and a path has some: {command}", "rename the folder or the file")
    return command


def _remove(folder: str, owner: int) -> None:
    # A child process has copies of its parent's problems.
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def _line(key: str, value: object) -> str:
    # Strings, numbers and lists have the same syntax in JSON and TOML.
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"
