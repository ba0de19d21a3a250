"""Finds the program `judge`, and builds the command line of its servers."""

from __future__ import annotations

import os
import shutil
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

from .errors import InvalidRequest, ProgramNotFound
from .problem import Problem
from .requests import Path as _Path

#: The environment variable that names the program.
VARIABLE = "JUDGE"


def find_program(program: Optional[_Path] = None) -> str:
    """Returns the path of `judge`: as given, else from `JUDGE`, else beside this package, else from the `PATH`.

    Raises `ProgramNotFound`.
    """
    named = os.fspath(program) if program is not None else os.environ.get(VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            source = "the parameter `program`" if program is not None else f"the environment variable {VARIABLE}"
            raise ProgramNotFound(f"{source} names `{named}`, which is no executable program")
        return os.path.abspath(found)
    for scripts in _script_folders():
        candidate = Path(scripts, "judge")
        if os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which("judge")
    if found is None:
        raise ProgramNotFound("there is no program `judge`", "pip install judge-harness, or set JUDGE to its path")
    return os.path.abspath(found)


@dataclass(frozen=True)
class ServerOptions:
    """How a server is started: see `Judge`."""

    problems: Optional[_Path] = None
    jobs: Optional[int] = None
    journal: Optional[_Path] = None
    sealed: Optional[_Path] = None
    program: Optional[_Path] = None
    arguments: tuple[str, ...] = ()

    def command(self, *how: str, problem: Union[str, Problem, None] = None) -> list[str]:
        """Returns the command line. Raises `JudgeError`."""
        problems = self.problems
        if isinstance(problem, Problem) and problem.catalogue is not None:
            if problems is not None:
                raise InvalidRequest("a `Problem` has its own catalogue: leave out `problems`")
            problems = problem.catalogue
        command = [find_program(self.program), "serve", *how]
        flags = {"--problems": problems, "--jobs": self.jobs, "--journal": self.journal, "--sealed": self.sealed}
        for flag, value in flags.items():
            if value is not None:
                command += [flag, str(value)]
        if self.journal is None:
            command.append("--no-journal")
        return [*command, *self.arguments]


def _script_folders() -> list[str]:
    """Returns the folders in which an installation of this package puts its program."""
    folders = [sysconfig.get_path("scripts")]
    user = f"{os.name}_user"
    if user in sysconfig.get_scheme_names():
        folders.append(sysconfig.get_path("scripts", user))
    # `pip install --target FOLDER` puts the package into FOLDER and programs into FOLDER/bin.
    folders.append(str(Path(__file__).resolve().parents[1] / "bin"))
    return folders
