"""For OpenEvolve: the function `evaluate` of an evaluator's file.

    from judge_harness.openevolve import evaluator

    evaluate = evaluator(problem="columns", seeds="1-20", timeout=60)

`combined_score` is `judge_harness.grading.fitness`, which OpenEvolve maximises: above 0 for every accepted program, 0 for
every other one, also where small totals are good. With a cascade, each stage has its evaluator:

    evaluate_stage1 = evaluator(problem="columns", seeds="1-2")
    evaluate_stage2 = evaluator(problem="columns", seeds="1-20")

Accepted programs pass a stage whose threshold is 1e-300, or 1 where large totals are good and none is negative.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Callable, Union

from .grading import Grader
from .problem import Problem


def evaluator(problem: Union[str, Problem, None] = None, **options: Any) -> Callable[..., Any]:
    """Returns the function that OpenEvolve calls with the path of a program. It never raises.

    `options` are those of `Judge` and of `Judge.evaluate`. All evaluators of a process share a server. If the environment
    variable `JUDGE_URL` names one, all processes share that one.
    """
    grader = Grader(problem, **options)

    def evaluate(program_path: Union[str, os.PathLike[str]], **arguments: Any) -> Any:
        grade = grader.grade(path=program_path, **arguments)
        metrics = {"combined_score": grade.fitness, "accepted_share": grade.accepted_share}
        try:
            module = importlib.import_module("openevolve.evaluation_result")
        except ImportError:
            return metrics
        return module.EvaluationResult(metrics=metrics, artifacts={"feedback": grade.feedback})

    return evaluate
