"""Evaluates programs for score-based games with the judge, from Python.

    from judge_harness import Judge

    with Judge(problem="columns") as judge:
        print(judge.evaluate(path="bot.py", seeds="1-5").total)

`judge_harness.openevolve`, `.shinka`, `.optuna` and `.inspect` fit it into these frameworks.
"""

from .client import AsyncJudge, Judge
from .errors import (
    EvaluationCancelled,
    EvaluationTimeout,
    InvalidRequest,
    JudgeError,
    JudgeFault,
    ProgramNotFound,
    QueueFull,
    ServerDied,
)
from .problem import Problem
from .server import Server
from .values import Case, Comparison, Effect, Evaluation, Score

__all__ = [
    "AsyncJudge",
    "Case",
    "Comparison",
    "Effect",
    "Evaluation",
    "EvaluationCancelled",
    "EvaluationTimeout",
    "InvalidRequest",
    "Judge",
    "JudgeError",
    "JudgeFault",
    "Problem",
    "ProgramNotFound",
    "QueueFull",
    "Score",
    "Server",
    "ServerDied",
]
