"""Tests the adapters without their frameworks, with stand-ins for the frameworks' values."""

import asyncio
import json
import math
import os
import sys
import time
import types
from pathlib import Path
from unittest import mock

from judge_harness import InvalidRequest, Problem
from judge_harness.grading import FAILED, Grader, fitness
from judge_harness.inspect import judge_scorer, program_in
from judge_harness.openevolve import evaluator
from judge_harness.optuna import objective
from judge_harness.shinka import main

from with_server import WithServer

#: Candidates in order of fitness if large totals are good.
BAD = ["scores 1 x", "refuse", "die", "garbage", "full"]
VALID = ["scores -900", "scores -3", "scores 0", "scores 1", "scores 7 8", f"scores 1{'0' * 400}"]


class Adapters(WithServer):
    def setUp(self):
        super().setUp()
        os.environ.pop("JUDGE_URL", None)
        self.options = {"program": self.program}

    def small_is_good(self):
        os.environ["DIRECTION"] = "min"
        self.addCleanup(os.environ.pop, "DIRECTION")

    def file(self, text):
        path = self.folder / "candidate.py"
        path.write_text(text)
        return str(path)

    def assert_ordered(self, fitness_of):
        bad = [fitness_of(text) for text in BAD]
        valid = [fitness_of(text) for text in VALID]
        self.assertTrue(all(map(math.isfinite, bad + valid)), (bad, valid))
        self.assertGreater(min(valid), max(bad))
        self.assertEqual(valid, sorted(valid, reverse="DIRECTION" in os.environ))
        self.assertEqual(len(set(valid)), len(valid))

    def test_openevolve_ranks_failures_last(self):
        evaluate = evaluator("columns", **self.options)
        self.assert_ordered(lambda text: evaluate(self.file(text))["combined_score"])

    def test_openevolve_where_small_is_good(self):
        self.small_is_good()
        evaluate = evaluator("columns", **self.options)
        self.assert_ordered(lambda text: evaluate(self.file(text))["combined_score"])

    def test_openevolve_gets_artifacts(self):
        module = types.SimpleNamespace(EvaluationResult=dict)
        with mock.patch.dict(sys.modules, {"openevolve": mock.Mock(), "openevolve.evaluation_result": module}):
            result = evaluator("columns", **self.options)(self.file("scores 1 x"))
        metrics = {"combined_score": 0.0, "accepted_share": 0.5}
        self.assertEqual(result, {"metrics": metrics, "artifacts": {"feedback": "bad"}})

    def test_shinka_writes_both_files(self):
        def run(text):
            results = self.folder / "results"
            main("columns", argv=["--program_path", self.file(text), "--results_dir", str(results)], **self.options)
            metrics, correct = (json.loads((results / name).read_text()) for name in ("metrics.json", "correct.json"))
            self.assertEqual(correct["correct"], text in VALID)
            self.assertEqual(correct["error"] is None, text in VALID)
            return metrics["combined_score"]

        self.assert_ordered(run)

    def test_optuna_reports_cases_and_ranks_failures_last(self):
        def run(text, prune=False):
            trial = mock.Mock(number=1, **{"should_prune.return_value": prune})
            value = objective(lambda _: {"command": text}, seeds=[1], problem="columns", **self.options)(trial)
            reported = [call.args for call in trial.report.call_args_list]
            self.assertTrue(all(math.isfinite(each) for each, _ in reported), reported)
            return value, reported

        self.assert_ordered(lambda text: run(text)[0])
        self.assertEqual(run("scores 7 9"), (9.0, [(7.0, 1), (9.0, 2)]))
        failed, reported = run("scores 7 x")
        self.assertEqual((failed, reported[0]), (0.0, (7.0, 1)))
        self.assertLess(reported[1][0], -1e300)

    def test_optuna_gives_up_when_told(self):
        trial = mock.Mock(number=1, **{"should_prune.return_value": True})
        measure = objective(lambda _: {"command": "scores 4"}, seeds="0-9,10-19", problem="columns", **self.options)
        self.assertEqual(measure(trial), 5.0)
        trial.report.assert_called_once()

    def test_inspect_scores_the_last_block(self):
        self.assertEqual(program_in("first\n```python\na\n```\nthen\n```\nb\nc\n```\n"), "b\nc\n")
        self.assertEqual([program_in("plain"), program_in(" \n"), program_in("```\n\n```")], ["plain", None, None])
        listed = "1. So:\n   ````py\n   ```\n   a\n     b\n   ````\n"
        self.assertEqual(program_in(listed), "```\na\n  b\n")
        self.assertEqual(program_in("```\na\n```\n~~~ c\nb\n~~~~ \n"), "b\n")
        self.assertEqual(program_in("```c\na\n``` - done\nof\n"), "a\n")
        self.assertEqual([program_in("First:\n```c\nmain"), program_in("```a``` is\n")], ["main", "```a``` is\n"])
        module = types.SimpleNamespace(
            Score=lambda **parts: parts, mean=mock.Mock(), stderr=mock.Mock(), scorer=lambda **_: lambda make: make
        )
        with mock.patch.dict(sys.modules, {"inspect_ai": mock.Mock(), "inspect_ai.scorer": module}):
            score = judge_scorer("columns", language="python", **self.options)

        def run(text):
            state = types.SimpleNamespace(output=types.SimpleNamespace(completion=f"```\n{text}\n```"))
            return asyncio.run(score(state, None))

        self.assert_ordered(lambda text: run(text)["value"]["fitness"])
        self.assertEqual(run("scores 1 2")["metadata"], {"verdict": "accepted", "total": "3", "judge_fault": False})
        self.assertEqual(run("")["value"], {"accepted": 0.0, "fitness": 0.0})

    def test_faults_of_the_judge_are_marked(self):
        grader = Grader("columns", **self.options)
        self.assertTrue(grader.grade(command="die").fault)
        self.assertFalse(grader.grade(command="scores x").fault)
        missing = Grader("columns", program=self.folder / "missing").grade(command="x")
        self.assertEqual((missing.fitness, missing.fault), (FAILED, True))

    def test_a_program_that_is_late_fails(self):
        grade = Grader("columns", timeout=0.1, **self.options).grade(command="hold")
        self.assertEqual((grade.fitness, grade.fault), (FAILED, False))
        # The server writes this file, and the folder is removed after the test.
        while not self.cancelled.exists():
            time.sleep(0.01)

    def test_evaluators_share_a_server(self):
        check = f"{__file__}:main"
        graders = [Grader(Problem.from_checker(check, inputs=["x"]), program=self.program) for _ in range(2)]
        self.assertIs(graders[0].judge(), graders[1].judge())
        other = Grader(Problem.from_checker(check, inputs=["y"]), program=self.program)
        self.assertIsNot(graders[0].judge(), other.judge())

    def test_a_server_is_named_by_the_environment(self):
        with mock.patch.dict(os.environ, {"JUDGE_URL": "http://127.0.0.1:1/rpc"}):
            self.assertIn("127.0.0.1:1", Grader("columns").grade(command="x").feedback)

    def test_an_early_stop_is_no_fitness(self):
        with self.assertRaisesRegex(InvalidRequest, "every case"):
            evaluator("columns", against="best")

    def test_small_totals_keep_their_digits(self):
        for total in (10**8, 10**12):
            self.assertGreater(fitness(total, True), fitness(total + 1, True))
        self.assertGreater(fitness(10**400, True), FAILED)
