"""Tests the client against a server that follows instructions."""

import asyncio
import multiprocessing
import os
import pickle
import signal
import stat
import sys
import tempfile
import threading
import time
import unittest
from decimal import Decimal
from pathlib import Path

from judge_harness import (
    AsyncJudge,
    EvaluationTimeout,
    InvalidRequest,
    Judge,
    JudgeError,
    JudgeFault,
    Problem,
    ProgramNotFound,
    QueueFull,
    ServerDied,
)
from judge_harness.program import find_program

from with_server import WithServer


class Requests(WithServer):
    def test_params_are_those_of_the_protocol(self):
        line, params = self.asked(source="x", language="python", seeds=[3, 1, 2, 9], min_effect="1%", against="best")
        self.assertEqual(line, "serve --stdio --no-journal")
        expected = {"problem": "columns", "solver": {"source": "x", "language": "python"}, "seeds": "1-3,9"}
        self.assertEqual(params, {**expected, "min_effect": "1%", "against": "best"})

    def test_paths_are_absolute(self):
        _, params = self.asked(path=Path("bots") / "a.py", cases=["seed-7", Path("data") / "*.in"])
        self.assertEqual(params["solver"], {"path": str(Path.cwd() / "bots/a.py")})
        self.assertEqual(params["cases"], ["seed-7", str(Path.cwd() / "data/*.in")])

    def test_only_seeds_keep_their_names(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        for name in ["seed-5", "seed=3"]:
            Path(name).touch()
        _, params = self.asked(path="a.py", cases=["seed-5", "seed=3", "*.in", "seed-x"])
        files = [os.path.abspath(name) for name in ["*.in", "seed-x"]]
        self.assertEqual(params["cases"], ["seed-5", "seed=3", *files])

    def test_options_reach_the_server(self):
        options = {"problems": "p.toml", "jobs": 2, "journal": "j.db", "sealed": "s", "arguments": ["--queue", "9"]}
        self.judge = self.opened(Judge(program=self.program, **options))
        line, params = self.asked(command="x")
        self.assertEqual(line, "serve --stdio --problems p.toml --jobs 2 --journal j.db --sealed s --queue 9")
        self.assertNotIn("problem", params)

    def test_wrong_arguments_are_refused(self):
        for arguments in [
            {},
            {"path": "a", "command": "b"},
            {"source": "x"},
            {"path": "a", "seeds": "1", "cases": ["x"]},
            {"path": "a", "seeds": []},
            {"path": 5},
            {"path": "a", "cases": [1]},
            {"path": "a", "cases": 5},
            {"path": "a", "seeds": ["1-3", 5]},
            {"command": "x", "min_effect": float("inf"), "against": "best"},
            {"command": "x", "limits": {"cpu": {1}}},
            {"source": "print('\ud800')", "language": "python"},
            {"source": "#" * (16 << 20), "language": "python"},
        ]:
            with self.subTest(arguments), self.assertRaises(InvalidRequest):
                self.judge.evaluate(**arguments)
        with self.assertRaisesRegex(InvalidRequest, "sources"):
            list(self.judge.evaluate_many([{"sources": "x"}]))

    def test_errors_have_message_and_hint(self):
        with self.assertRaises(InvalidRequest) as caught:
            self.judge.evaluate(command="refuse")
        self.assertEqual((caught.exception.message, caught.exception.hint), ("no problem `colums`", "did you mean `columns`?"))
        with self.assertRaises(QueueFull):
            self.judge.evaluate(command="full")

    def test_numbers_are_exact(self):
        evaluation = self.judge.evaluate(command="exact")
        self.assertEqual((evaluation.total, evaluation.mean), (10**9000, Decimal("0.1")))
        self.assertEqual(str(evaluation.cases[0].score), "12.50")
        table = evaluation._repr_html_()
        self.assertIn("<td>&lt;b&gt;</td>", table)
        self.assertIn("0" * 9000, table)

    def test_sealed_results_have_a_verdict(self):
        evaluation = self.judge.evaluate(command="sealed")
        self.assertEqual((evaluation.total, evaluation.failures, evaluation.accepted), (5, 2, False))
        self.assertEqual([self.asked(command="x", sealed=value)[1].get("sealed") for value in (True, False, None)], [True, False, None])

    def test_progress_arrives_in_order(self):
        seen = []
        self.judge.evaluate(command="progress", progress=lambda progress: seen.append(progress["done"]))
        self.assertEqual(seen, [1, 2])

    def test_a_failing_callback_loses_nothing(self):
        with self.assertLogs("judge_harness.pipe"):
            self.judge.evaluate(command="progress", progress=lambda _: 1 / 0)
        self.assertTrue(self.judge.evaluate(command="x").accepted)


class Concurrency(WithServer):
    def test_answers_are_matched_by_id(self):
        self.judge.status()
        found = {}

        def ask(name, command):
            found[name] = self.judge.evaluate(command=command).feedback()

        threads = [threading.Thread(target=ask, args=(number, "hold")) for number in range(20)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        ask("last", "release")
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(found.values())), 21)

    def test_many_end_in_their_own_order(self):
        candidates = [{"command": "hold"}, {"command": "hold"}, {"command": "release"}]
        order = [evaluation.index for evaluation in self.judge.evaluate_many(candidates, ahead=3)]
        self.assertEqual(sorted(order), [0, 1, 2])

    def test_an_endless_iterable_is_taken_slowly(self):
        taken = []

        def endless():
            while True:
                taken.append({"command": "x"})
                yield taken[-1]

        many = self.judge.evaluate_many(endless(), ahead=3)
        for _ in range(10):
            next(many)
        many.close()
        self.assertLess(len(taken), 14)

    def test_errors_of_many_are_raised_or_yielded(self):
        candidates = [{"command": "x"}, {"command": "refuse"}, {}, {"command": "y"}]
        with self.assertRaises(InvalidRequest):
            list(self.judge.evaluate_many(candidates))
        found = list(self.judge.evaluate_many(candidates, return_exceptions=True))
        self.assertEqual(sorted(each.index for each in found if isinstance(each, JudgeError)), [1, 2])
        self.assertEqual(len(found), 4)

    def test_a_late_answer_is_cancelled(self):
        with self.assertRaises(EvaluationTimeout) as caught:
            self.judge.evaluate(command="hold", timeout=0.1)
        self.assertIsInstance(caught.exception, TimeoutError)
        with self.assertRaises(EvaluationTimeout):
            list(self.judge.evaluate_many([{"command": "hold"}], timeout=0.1))
        self.judge.status()
        self.assertEqual(self.cancelled.read_text().split(), ["1", "2"])

    def test_async_is_the_same(self):
        async def use():
            async with AsyncJudge("columns", program=self.program) as judge:
                both = await asyncio.gather(judge.evaluate(command="hold"), judge.evaluate(command="release"))
                self.assertEqual([each.feedback() for each in both], ["1", "2"])
                with self.assertRaises(EvaluationTimeout):
                    await judge.evaluate(command="hold", timeout=0.1)
                task = asyncio.ensure_future(judge.evaluate(command="hold"))
                await asyncio.sleep(0.1)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                found = [each.index async for each in judge.evaluate_many([{"command": "x"}] * 5)]
                self.assertEqual(sorted(found), [0, 1, 2, 3, 4])
            self.assertEqual(self.cancelled.read_text().split(), ["3", "4"])

        asyncio.run(use())


def server_of(judge, queue):
    queue.put(judge.status()["pid"])


class Processes(WithServer):
    def test_a_forked_child_has_its_own_server(self):
        mine = self.judge.status()["pid"]
        fork = multiprocessing.get_context("fork")
        queue = fork.SimpleQueue()
        child = fork.Process(target=server_of, args=(self.judge, queue))
        child.start()
        self.assertNotEqual(queue.get(), mine)
        child.join()
        self.assertEqual(self.judge.status()["pid"], mine)

    def test_children_do_not_keep_a_server_alive(self):
        pid = self.judge.status()["pid"]
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(write)
            os.read(read, 1)
            os._exit(0)
        os.close(read)
        self.judge.close()
        self.assertFalse(Path(f"/proc/{pid}").exists())
        os.close(write)
        os.waitpid(child, 0)

    def test_a_pickled_judge_opens_its_own_server(self):
        copy = self.opened(pickle.loads(pickle.dumps(self.judge)))
        self.assertNotEqual(copy.status()["pid"], self.judge.status()["pid"])

    def test_a_dead_server_is_reported_and_replaced(self):
        with self.assertRaises(ServerDied) as caught:
            self.judge.evaluate(command="die")
        message = str(caught.exception)
        self.assertIn("exit code 3", message)
        self.assertTrue(message.endswith("the end") and len(message) < 10_000, message[-100:])
        with self.assertRaisesRegex(ServerDied, "signal 9"):
            self.judge.evaluate(command="killed")
        self.assertTrue(self.judge.evaluate(command="x").accepted)

    def test_output_that_is_no_json_is_a_fault(self):
        with self.assertRaisesRegex(JudgeFault, "no JSON-RPC"):
            self.judge.evaluate(command="garbage")
        self.assertTrue(self.judge.evaluate(command="x").accepted)

    def test_nothing_is_left_after_the_end(self):
        pid = self.judge.status()["pid"]
        before = threading.active_count()
        self.judge.close()
        self.judge.close()
        self.assertFalse(Path(f"/proc/{pid}").exists())
        self.assertEqual(threading.active_count(), before - 2)
        with self.assertRaisesRegex(InvalidRequest, "closed"):
            self.judge.evaluate(command="x")

    def test_a_killed_client_ends_its_server(self):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(write, str(Judge(program=self.program).status()["pid"]).encode())
            signal.pause()
        pid = int(os.read(read, 20))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        deadline = time.monotonic() + 10
        while Path(f"/proc/{pid}/fd/0").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(Path(f"/proc/{pid}/fd/0").exists())
        os.close(read)
        os.close(write)


class Programs(WithServer):
    def test_the_program_is_found(self):
        self.addCleanup(os.environ.__setitem__, "PATH", os.environ["PATH"])
        named = os.environ.pop("JUDGE", None)
        if named is not None:
            self.addCleanup(os.environ.__setitem__, "JUDGE", named)
        os.environ["PATH"] = f"{self.folder}:/usr/bin:/bin"
        self.assertEqual(find_program(self.program), str(self.program))
        self.assertEqual(find_program(), str(self.program))
        os.environ["PATH"] = ""
        with self.assertRaises(ProgramNotFound):
            find_program()
        os.environ["JUDGE"] = str(self.program)
        self.addCleanup(os.environ.pop, "JUDGE", None)
        self.assertEqual(find_program(), str(self.program))

    def test_what_cannot_be_started_is_named(self):
        with self.assertRaisesRegex(ProgramNotFound, "missing"):
            Judge(program=self.folder / "missing").status()
        self.program.write_text("#!/missing/interpreter\n")
        with self.assertRaisesRegex(ProgramNotFound, "cannot be started"):
            Judge(program=self.program).status()

    def test_a_url_has_its_own_options(self):
        with self.assertRaises(InvalidRequest):
            Judge(url="http://127.0.0.1:1/rpc", jobs=2)
        with self.assertRaisesRegex(InvalidRequest, "expected a URL"):
            Judge(url="127.0.0.1").status()
        with self.assertRaisesRegex(ServerDied, "127.0.0.1:1 "):
            Judge(url="http://127.0.0.1:1/rpc").status()


class Problems(unittest.TestCase):
    def test_a_problem_is_a_catalogue_of_its_own(self):
        problem = Problem.from_checker(f"{__file__}:{check.__name__}", generate=check, seeds="1-3", limits={"cpu": "1s"})
        self.assertEqual(problem.id, "test-client")
        text = Path(problem.catalogue).read_text()
        self.assertIn("check {input} {answer}", text)
        self.assertEqual(stat.S_IMODE(os.stat(Path(problem.catalogue).parent).st_mode), 0o700)
        child = os.fork()
        if child == 0:
            problem.close()
            os._exit(0)
        os.waitpid(child, 0)
        self.assertTrue(Path(problem.catalogue).exists(), "a child owns nothing")
        problem.close()
        self.assertFalse(Path(problem.catalogue).parent.exists())

    def test_what_is_no_problem_is_refused(self):
        for check_function, arguments in [
            (lambda case, answer: 1, {"inputs": ["x"]}),
            ("nowhere.py:check", {"inputs": ["x"]}),
            ("nowhere", {"inputs": ["x"]}),
            (check, {}),
            (check, {"seeds": "1"}),
            (check, {"inputs": ["x"], "limits": {"time": 1}}),
        ]:
            with self.subTest(arguments), self.assertRaises(InvalidRequest):
                Problem.from_checker(check_function, **arguments)
        with self.assertRaises(InvalidRequest):
            Problem.from_toml("missing.toml")
        with tempfile.TemporaryDirectory(prefix="{a}") as folder:
            game = Path(folder, "game.py")
            game.write_text("def check(case, answer): return 1")
            with self.assertRaisesRegex(InvalidRequest, "braces"):
                Problem.from_checker(f"{game}:check", inputs=["x"])


def check(case, answer):
    return 1


if __name__ == "__main__":
    unittest.main()
