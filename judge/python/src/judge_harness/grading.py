"""Shared by the adapters: a finite fitness for every candidate, and a judge that outlives the evaluator's file."""

from __future__ import annotations

import atexit
import math
import os
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Optional, Union

from .client import Judge
from .errors import EvaluationTimeout, InvalidRequest, JudgeError
from .problem import Problem
from .requests import reusable
from .values import Evaluation, Score

#: The fitness of every candidate that is not accepted on all cases. Frameworks give the same to a crash or a timeout.
FAILED = 0.0

#: The environment variable with the address of a server, for evaluators in many processes: `judge_harness.Server`.
URL = "JUDGE_URL"

_judges: dict[str, Judge] = {}


def fitness(total: Union[Score, Fraction, float], smaller_is_better: bool = False) -> float:
    """Returns a finite number above `FAILED` that is larger for better totals.

    It is 1 + x for x from 0 on, and 1 / (1 - x) below, where x is the total, or the negative total if smaller is better.
    """
    value = -finite(total) if smaller_is_better else finite(total)
    if value < 0:
        return 1 / (1 - value)
    return min(1 + value, sys.float_info.max)


def finite(number: Union[Score, Fraction, float]) -> float:
    """Returns the nearest number that is finite."""
    try:
        value = float(number)
    except OverflowError:
        value = math.inf if number > 0 else -math.inf
    return max(-sys.float_info.max, min(value, sys.float_info.max))


@dataclass(frozen=True)
class Grade:
    """A candidate's fitness and its explanation."""

    fitness: float
    #: Text for a person or a model.
    feedback: str
    #: `None` if there is no result.
    evaluation: Optional[Evaluation] = None
    #: Whether the judge failed or is unreachable. This says nothing about the candidate.
    fault: bool = False

    @property
    def accepted(self) -> bool:
        """Whether the candidate is accepted on all cases."""
        return self.evaluation is not None and self.evaluation.accepted

    @property
    def accepted_share(self) -> float:
        """The share of cases that are accepted; 0 if there is no result."""
        if self.evaluation is None or not self.evaluation.cases:
            return float(self.accepted)
        return sum(case.accepted for case in self.evaluation.cases) / len(self.evaluation.cases)


class Grader:
    """Grades candidates, and never raises. The options of `Judge` and those of `Judge.evaluate` are given together."""

    def __init__(self, problem: Union[str, Problem, None] = None, **options: Any) -> None:
        if options.get("against") is not None:
            raise InvalidRequest(
                "a fitness needs every case: `against` stops before the last one",
                "leave out `against`, or write a loop with `Judge.evaluate`",
            )
        names = ("problems", "jobs", "journal", "sealed", "program", "arguments", "url", "token")
        self._problem = problem
        # `sealed` is an option of the judge if it is a file, and of an evaluation if it is a bool.
        is_request = isinstance(options.get("sealed"), bool)
        self._of_judge = {
            name: options.pop(name) for name in names if name in options and not (name == "sealed" and is_request)
        }
        self._of_evaluation = reusable(options)
        self._smaller_is_better: Optional[bool] = None

    def judge(self) -> Judge:
        """Returns the judge of these options. All graders of this process share it."""
        options = dict(self._of_judge)
        problem = self._problem
        if URL in os.environ and not options:
            options = {"url": os.environ[URL]}
        key = repr((problem.key() if isinstance(problem, Problem) else problem, sorted(options.items())))
        if key not in _judges:
            _judges[key] = Judge(problem, **options)
        return _judges[key]

    def smaller_is_better(self) -> bool:
        """Returns whether small totals are good. Raises `JudgeError`."""
        if self._smaller_is_better is None:
            self._smaller_is_better = self.judge().smaller_is_better()
        return self._smaller_is_better

    def grade(self, **candidate: Any) -> Grade:
        """Evaluates a candidate: the arguments of `Judge.evaluate`."""
        try:
            smaller_is_better = self.smaller_is_better()
            evaluation = self.judge().evaluate(**{**self._of_evaluation, **candidate})
            if not evaluation.accepted or evaluation.total is None:
                return Grade(FAILED, evaluation.feedback(), evaluation, evaluation.verdict == "judge-error")
            return Grade(fitness(evaluation.total, smaller_is_better), evaluation.feedback(), evaluation)
        except EvaluationTimeout as error:
            return Grade(FAILED, str(error))
        except JudgeError as error:
            return Grade(FAILED, f"the judge failed, not the program: {error}", fault=True)
        except Exception as error:
            return Grade(FAILED, f"the evaluator failed, not the program: {error!r}", fault=True)


@atexit.register
def _close() -> None:
    for judge in _judges.values():
        judge.close()
