"""For ShinkaEvolve: the whole of `evaluate.py`.

    from judge_harness.shinka import main

    main(problem="columns", seeds="1-20", timeout=60)

ShinkaEvolve starts `evaluate.py` for each program. Start one server for all of them and name it in `JUDGE_URL`: see
`judge_harness.Server`. Without it, each evaluation starts its own.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union

from .grading import FAILED, Grade, Grader
from .problem import Problem
from .values import digits


def main(
    problem: Union[str, Problem, None] = None, *, argv: Optional[Sequence[str]] = None, **options: Any
) -> Mapping[str, Any]:
    """Evaluates the program of the command line, and writes `metrics.json` and `correct.json`. Returns the metrics.

    `options` are those of `Judge` and of `Judge.evaluate`. `combined_score` is `judge_harness.grading.fitness`: above 0
    for every accepted program, 0 for every other one. `public` has the verdict and the total, `text_feedback` what a model
    can learn from, and a program is `correct` if all its cases are accepted.
    """
    parser = argparse.ArgumentParser(description="Evaluates a program with the judge.")
    parser.add_argument("--program_path", required=True)
    parser.add_argument("--results_dir", required=True)
    arguments, _ = parser.parse_known_args(argv)
    try:
        grade = Grader(problem, **options).grade(path=arguments.program_path)
    except Exception as error:
        grade = Grade(FAILED, f"the evaluator failed, not the program: {error}", fault=True)
    evaluation = grade.evaluation
    metrics = {
        "combined_score": grade.fitness,
        "public": {
            "verdict": "no result" if evaluation is None else evaluation.verdict,
            "total": "" if evaluation is None else digits(evaluation.total),
            "accepted_share": grade.accepted_share,
        },
        "private": {"judge_fault": grade.fault},
        "text_feedback": grade.feedback,
    }
    correct = {"correct": grade.accepted, "error": None if grade.accepted else grade.feedback}
    folder = Path(arguments.results_dir)
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in [("metrics.json", metrics), ("correct.json", correct)]:
        (folder / name).write_text(json.dumps(document), encoding="utf-8")
    return metrics
