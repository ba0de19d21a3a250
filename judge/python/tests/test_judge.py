"""Tests the client and its adapters with a real judge, the program that `JUDGE` names."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from decimal import Decimal
from pathlib import Path
from unittest import mock

import halves
from judge_harness import AsyncJudge, EvaluationTimeout, InvalidRequest, Judge, Problem, Server, ServerDied
from judge_harness.openevolve import evaluator
from judge_harness.optuna import objective

CATALOGUE = """
[[problem]]
id = "number"
generator-command = "echo {seed}"
checker-command = "sh check.sh {input} {answer}"
seeds = "1-4"
[problem.limits]
cpu = "300ms"
wall = "30s"
[[problem]]
id = "cost"
generator-command = "echo {seed}"
checker-command = "sh check.sh {input} {answer}"
seeds = "1-4"
[problem.limits]
cpu = "300ms"
wall = "30s"
[problem.scoring]
direction = "min"
"""

CHECK = """read -r score < "$2" || { echo "no number"; exit 1; }
echo "$score"
"""

ECHO = "print(input())"


class RealJudge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        (cls.folder / "problems.toml").write_text(CATALOGUE)
        (cls.folder / "check.sh").write_text(CHECK)
        cls.judge = Judge("number", problems=cls.folder / "problems.toml", jobs=2)
        cls.addClassCleanup(cls.judge.close)

    def written(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def test_a_source_is_evaluated(self):
        evaluation = self.judge.evaluate(source=ECHO, language="python", seeds="1-3")
        self.assertEqual((evaluation.verdict, evaluation.total, evaluation.mean), ("accepted", 6, 2))
        self.assertTrue(evaluation.accepted)
        self.assertEqual([(case.name, case.score) for case in evaluation.cases], [("seed-1", 1), ("seed-2", 2), ("seed-3", 3)])
        self.assertIn("accepted", evaluation.feedback())
        self.assertFalse(evaluation.stopped_early)

    def test_paths_and_commands_are_evaluated(self):
        path = self.written("echo.py", ECHO)
        for candidate in [{"path": path}, {"path": str(path)}, {"command": "cat"}]:
            with self.subTest(candidate):
                self.assertEqual(self.judge.evaluate(**candidate).total, 10)
        self.assertEqual(self.judge.evaluate(command="cat", cases=["seed-2"]).total, 2)

    def test_bad_programs_are_results(self):
        for source, verdict in [
            ("while True: pass", "time-limit"),
            ("print(", "runtime-error"),
            ("pass", "wrong-answer"),
            ("import os\nwhile True: os.fork()", None),
        ]:
            with self.subTest(source):
                evaluation = self.judge.evaluate(source=source, language="python", seeds="1")
                self.assertFalse(evaluation.accepted)
                self.assertEqual(evaluation.verdict, verdict or evaluation.verdict)
                self.assertEqual(evaluation.failures, 1)
        self.assertIn("no number", self.judge.evaluate(source="pass", language="python").feedback())

    def test_huge_scores_are_exact(self):
        evaluation = self.judge.evaluate(source="print('9' * 5000)", language="python", seeds="1-2")
        self.assertEqual(evaluation.total, 2 * (10**5000 - 1))
        decimal = self.judge.evaluate(source="print('0.1')", language="python", seeds="1-3")
        self.assertEqual(decimal.total, Decimal("0.3"))

    def test_equal_candidates_run_once(self):
        source = "print(41)"
        first = self.judge.evaluate(source=source, language="python")
        again = self.judge.evaluate(source=source, language="python")
        fresh = self.judge.evaluate(source=source, language="python", fresh=True)
        self.assertEqual([first.runs, again.runs, fresh.runs], [4, 0, 4])
        self.assertEqual(first.candidate, again.candidate)

    def test_errors_name_what_is_wrong(self):
        with self.assertRaisesRegex(InvalidRequest, "nope"):
            self.judge.evaluate(path="/nope/bot.py")
        with Judge("numbr", problems=self.folder / "problems.toml") as judge, self.assertRaises(InvalidRequest) as caught:
            judge.evaluate(command="cat")
        self.assertIn("number", f"{caught.exception}")
        with Judge("number", problems=self.folder / "missing.toml") as judge:
            with self.assertRaisesRegex(InvalidRequest, "missing.toml"):
                judge.evaluate(command="cat")
        with Judge("number", problems=self.folder / "problems.toml", jobs=0) as judge:
            with self.assertRaisesRegex(InvalidRequest, "--jobs"):
                judge.evaluate(command="cat")

    def test_a_timeout_frees_the_server(self):
        with self.assertRaises(EvaluationTimeout):
            self.judge.evaluate(command="sleep 60", timeout=0.3)
        self.assertEqual(self.judge.evaluate(command="cat").total, 10)

    def test_worse_candidates_are_stopped(self):
        best = self.judge.evaluate(command="awk '{ print 1000 + $1 }'", seeds="1-60")
        worse = self.judge.evaluate(command="awk '{ print 500 + $1 }'", seeds="1-60", against=best, min_effect="1%")
        self.assertTrue(worse.stopped_early)
        self.assertLess(worse.runs, 60)
        self.assertEqual(worse.effect.against, best.candidate)
        self.assertIn(worse.effect.claim, ("worse", "not-better"))
        self.assertLess(worse.effect.effect, 0)
        self.assertLess(worse.effect.high, 0.011)

    def test_two_candidates_are_compared(self):
        comparison = self.judge.compare({"command": "cat"}, {"command": "awk '{ print 100 + $1 }'"}, seeds="1-30")
        self.assertEqual((comparison.claim, comparison.cases), ("better", 30))
        self.assertGreater(comparison.low, 0)
        self.assertIn("better", comparison.text)

    @unittest.skipUnless(os.geteuid() == 0, "sealed cases are refused where the sandbox cannot hide a file: run as root")
    def test_sealed_cases_tell_only_a_total(self):
        with Judge("number", problems=self.folder / "problems.toml", sealed=self.folder / "sealed.toml") as judge:
            evaluation = judge.evaluate(command="echo 5")
            self.assertEqual((evaluation.total, evaluation.failures, evaluation.accepted), (500, 0, True))
            self.assertEqual((evaluation.cases, evaluation.feedback()), ((), ""))
            self.assertEqual(len(judge.evaluate(command="echo 5", sealed=False).cases), 4)
            with self.assertRaises(InvalidRequest):
                judge.evaluate(command="echo 5", seeds="1", sealed=True)

    def test_many_candidates_and_threads(self):
        candidates = [{"command": f"echo {number}"} for number in range(12)]
        found = {each.index: each.total for each in self.judge.evaluate_many(candidates, seeds="1")}
        self.assertEqual(found, {number: number for number in range(12)})
        totals = []

        def ask(number):
            totals.append((number, self.judge.evaluate(command=f"echo {number}", seeds="1").total))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(100, 108)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(totals), [(number, number) for number in range(100, 108)])

    def test_async_evaluations(self):
        async def use():
            async with AsyncJudge("number", problems=self.folder / "problems.toml", jobs=2) as judge:
                found = await asyncio.gather(*(judge.evaluate(command=f"echo {each}", seeds="1") for each in range(4)))
                self.assertEqual([each.total for each in found], [0, 1, 2, 3])
                self.assertEqual([each["problem"] for each in await judge.problems()], ["number", "cost"])

        asyncio.run(use())

    def test_a_python_checker_is_a_problem(self):
        places = [str(Path(halves.__file__)) + name for name in (":check", ":generate")]
        for functions in [(halves.check, halves.generate), places]:
            problem = Problem.from_checker(functions[0], generate=functions[1], seeds="1-2", id="halves", failure=-1000)
            with Judge(problem) as judge:
                self.assertEqual(judge.evaluate(source="print(0)", language="python").total, -15)
                evaluation = judge.evaluate(source="print(int(input()) + 3)", language="python")
                self.assertEqual((evaluation.verdict, evaluation.total), ("accepted", 3))
                self.assertEqual(judge.evaluate(source="", language="python").cases[0].reason, "the answer is empty")
                fault = judge.evaluate(source="print('crash')", language="python")
                self.assertEqual(fault.verdict, "judge-error")
                self.assertIn("a fault of the checker", fault.feedback())
            self.assertFalse(Path(problem.catalogue).exists())

    def test_a_server_keeps_its_problem(self):
        places = [str(Path(halves.__file__)) + name for name in (":check", ":generate")]
        with Server(Problem.from_checker(places[0], generate=places[1], seeds="1-2", id="halves"), jobs=1) as server:
            with Judge("halves", url=server.url) as judge:
                self.assertEqual(judge.evaluate(source="print(int(input()) + 3)", language="python").total, 3)

    def test_iterators_serve_all_candidates(self):
        found = self.judge.evaluate_many([{"command": "cat"}, {"command": "echo 3"}], seeds=iter([1, 2]))
        self.assertEqual(sorted(each.total for each in found), [3, 6])

    def test_problems_and_rules_are_told(self):
        self.assertFalse(self.judge.smaller_is_better())
        with Judge("cost", problems=self.folder / "problems.toml") as judge:
            self.assertTrue(judge.smaller_is_better())
        with Judge("columns", problems="builtin") as judge:
            self.assertIn("## Output", judge.rules())
        self.assertGreaterEqual(self.judge.status()["jobs"], 1)

    def test_processes_share_a_server(self):
        with Server("number", problems=self.folder / "problems.toml", jobs=2) as server:
            script = (
                "import os; from judge_harness import Judge\n"
                "with Judge('number', url=os.environ['JUDGE_URL']) as judge:\n"
                "    print(judge.evaluate(command='cat').total, judge.evaluate(command='cat').runs)"
            )
            environment = {**os.environ, **server.environment()}
            ask = lambda: subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)  # noqa: E731
            self.assertEqual([ask().stdout, ask().stdout], ["10 0\n"] * 2)
            with Judge("number", url=server.url) as judge:
                with self.assertRaises(EvaluationTimeout):
                    judge.evaluate(command="sleep 60", timeout=0.3)
                self.assertEqual([each.total for each in judge.evaluate_many([{"command": "cat"}] * 5)], [10] * 5)
            with Judge("number", url=server.url.split("?")[0]) as stranger, self.assertRaises(InvalidRequest):
                stranger.evaluate(command="cat")
        with Judge("number", url=server.url) as judge, self.assertRaises(ServerDied):
            judge.evaluate(command="cat")

    def test_a_shared_server_ends_with_its_process(self):
        with self.assertRaisesRegex(InvalidRequest, "missing.toml"):
            Server("number", problems=self.folder / "missing.toml")
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            server = Server("number", problems=self.folder / "problems.toml")
            os.write(write, server.url.encode())
            if os.fork():
                os.kill(os.getpid(), signal.SIGKILL)
            # A grandchild outlives the process that started the server, and must not keep it alive.
            time.sleep(5)
            os._exit(0)
        url = os.read(read, 1000).decode()
        os.waitpid(child, 0)
        os.close(read)
        os.close(write)
        deadline = time.monotonic() + 20
        with Judge("number", url=url) as judge, self.assertRaises(ServerDied):
            while time.monotonic() < deadline:
                judge.status()
                time.sleep(0.02)

    def test_adapters_rank_failures_last_where_small_is_good(self):
        for problem in ("number", "cost"):
            evaluate = evaluator(problem, problems=self.folder / "problems.toml", seeds="1")

            def score(source):
                return evaluate(self.written("candidate.py", source))["combined_score"]

            valid = [score(f"print({number})") for number in (0, 5, 10**9)]
            failed = [score(source) for source in ("1 / 0", "while True: pass", "pass", "print('x')")]
            failed.append(evaluate("/nope/candidate.py")["combined_score"])
            self.assertEqual(valid, sorted(valid, reverse=problem == "cost"))
            self.assertGreater(min(valid), max(failed))

    def test_optuna_gets_scores_by_seed(self):
        trial = mock.Mock(number=1, **{"should_prune.return_value": False})
        measure = objective(
            lambda _: {"command": "cat"}, seeds=[2, 7, 4], batch=2, problem="number", problems=self.folder / "problems.toml"
        )
        self.assertEqual(measure(trial), 1 + 13 / 3)
        self.assertEqual(sorted(call.args for call in trial.report.call_args_list), [(2.0, 2), (4.0, 4), (7.0, 7)])


if __name__ == "__main__":
    unittest.main()
