"""For Optuna: an objective that plays a program with the parameters of a trial, a few cases at a time.

    from judge_harness.optuna import objective

    study = optuna.create_study(direction="maximize", pruner=optuna.pruners.WilcoxonPruner())
    study.optimize(
        objective(lambda trial: {"command": f"./bot --t {trial.suggest_float('t', 0.1, 10, log=True)}"}, seeds=range(1, 21)),
        n_trials=100,
    )

The study maximises, also where small scores are good: see `judge_harness.grading.fitness`.
"""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from typing import Any, Callable, Mapping, Optional, Union

from .errors import InvalidRequest
from .grading import FAILED, Grade, Grader, finite, fitness
from .problem import Problem
from .requests import Seeds, seed_numbers

#: The value of a failed case for the pruner: worse than any score, with finite differences.
_FAILED_CASE = -sys.float_info.max / 4


def objective(
    candidate: Callable[[Any], Mapping[str, Any]],
    *,
    seeds: Seeds,
    problem: Union[str, Problem, None] = None,
    batch: int = 5,
    draw: int = 1,
    **options: Any,
) -> Callable[[Any], float]:
    """Returns the objective. It never raises, unless `candidate` does.

    `candidate` takes a trial and returns arguments of `Judge.evaluate`, such as a `command`. Each trial plays the `seeds` in
    an order of its own, which `draw` decides, in batches. Each score is reported under its seed. If the pruner gives the
    trial up, or a case is not accepted, it ends: with the fitness of the mean so far, or with 0. The mean is a user attribute of
    the trial, and so is the feedback of a failure. `options` are those of `Judge` and of `Judge.evaluate`.
    """
    grader = Grader(problem, **options)
    all_seeds = seed_numbers(seeds)
    if not all_seeds or batch < 1:
        raise InvalidRequest("expected seeds, and a batch of at least 1")

    def measure(trial: Any) -> float:
        arguments = candidate(trial)
        order = list(all_seeds)
        random.Random(f"{draw}, {trial.number}").shuffle(order)
        total, played = Fraction(0), 0
        for start in range(0, len(order), batch):
            some = order[start : start + batch]
            grade = grader.grade(**{**arguments, "seeds": some})
            mean = _report(trial, grade, grader)
            if mean is None:
                trial.set_user_attr("feedback", grade.feedback)
                return FAILED
            total += mean * len(some)
            played += len(some)
            if trial.should_prune():
                break
        mean = total / played
        trial.set_user_attr("mean", finite(mean))
        return fitness(mean, grader.smaller_is_better())

    return measure


def _report(trial: Any, grade: Grade, grader: Grader) -> Optional[Fraction]:
    """Reports the cases of a batch. Returns the mean of their points, or `None` if a case is not accepted."""
    cases = () if grade.evaluation is None else grade.evaluation.cases
    for case in cases:
        value = _FAILED_CASE
        if case.accepted and case.score is not None:
            value = max(finite(case.score) * (-1 if grader.smaller_is_better() else 1), _FAILED_CASE)
        trial.report(value, int(case.name.rpartition("-")[2]))
    if grade.evaluation is None or not grade.accepted or grade.evaluation.mean is None:
        return None
    return Fraction(grade.evaluation.mean)
