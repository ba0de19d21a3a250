"""For Inspect: a scorer of the programs that models write.

    from judge_harness.inspect import judge_scorer

    Task(dataset=..., solver=generate(), scorer=judge_scorer(problem="columns", language="python", seeds="1-20"))

A score has `accepted` (0 or 1) and `fitness` (`judge_harness.grading.fitness`), and the mean of each is reported.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import re
from typing import Any, Optional, Union

from .grading import FAILED, Grade, Grader
from .problem import Problem
from .values import digits

#: A code block of Markdown: its indent, its fence and its lines. The last one may have no end.
_BLOCK = re.compile(
    r"^( {0,3})(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*\n(.*?)(?:^ {0,3}\2|\Z)", re.MULTILINE | re.DOTALL
)


def program_in(text: str) -> Optional[str]:
    """Returns the program in a model's output: the last code block, or everything if there is none; `None` if empty."""
    blocks = [re.sub(f"^ {{0,{len(indent)}}}", "", lines, flags=re.MULTILINE) for indent, _, lines in _BLOCK.findall(text)]
    programs = [block for block in blocks or [text] if block.strip()]
    return programs[-1] if programs else None


def judge_scorer(problem: Union[str, Problem, None] = None, *, language: str, **options: Any) -> Any:
    """Returns the scorer. It never raises: a program that fails, or is missing, has 0 and 0.

    `options` are those of `Judge` and of `Judge.evaluate`. If the judge itself fails, the score has `judge_fault` in its
    metadata.
    """
    scoring: Any = importlib.import_module("inspect_ai.scorer")
    grader = Grader(problem, **options)

    def judge() -> Any:
        async def score(state: Any, target: Any) -> Any:
            del target
            program = program_in(state.output.completion)
            if program is None:
                grade = Grade(FAILED, "the answer has no program")
            else:
                ask = functools.partial(grader.grade, source=program, language=language)
                grade = await asyncio.get_running_loop().run_in_executor(None, ask)
            evaluation = grade.evaluation
            return scoring.Score(
                value={"accepted": float(grade.accepted), "fitness": grade.fitness},
                answer=program,
                explanation=grade.feedback,
                metadata={
                    "verdict": None if evaluation is None else evaluation.verdict,
                    "total": None if evaluation is None else digits(evaluation.total),
                    "judge_fault": grade.fault,
                },
            )

        return score

    metrics = {"*": [scoring.mean(), scoring.stderr()]}
    return scoring.scorer(name="judge", metrics=metrics)(judge)()
