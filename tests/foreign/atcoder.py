"""AtCoder's tools: imported, run with a plain bot, and the scores of the tools by hand beside those of the judge."""

import concurrent.futures
import os
import pathlib
import re
import shutil

from judge import execute

BOTS = pathlib.Path(__file__).resolve().parent / "bots"
CASES = 100
CONTESTS = {
    "ahc020": ("AHC020", "https://github.com/ntk-ta01/ahc020"),
    "ahc045": ("AHC045", "https://github.com/koba-e964/marathon-ahc045"),
}


def compare(judge, report, environment):
    for problem, (variable, address) in CONTESTS.items():
        checkout = report.checkout(environment, variable, address)
        if checkout:
            ahc(judge, report, checkout / "tools" if (checkout / "tools").is_dir() else checkout, problem)


def ahc(judge, report, tools, problem):
    """Imports the tools of a contest, runs the plain bot, and scores the same cases by hand."""
    if not re.search(r"\bahc\b", judge.run("import", "--help").stdout):
        report.skip(f"{problem}: this judge does not import AtCoder's tools", "build a newer one")
        return
    if not shutil.which("cargo"):
        report.skip(f"{problem}: there is no cargo", "https://rustup.rs")
        return
    to, bot = judge.folder() / problem, f"python3 {BOTS / problem}.py"
    said = judge.run("import", tools, "--to", to, "--id", problem)
    if not (to / "problems.toml").is_file():
        report.differs(problem, f"not imported: {said.words}")
        return
    catalogue = ["--problems", to / "problems.toml", "-p", problem]
    run, said = judge.json("run", *catalogue, "-s", bot, "--seeds", f"0-{CASES - 1}")
    if run is None:
        report.differs(problem, f"not run: {said.words}")
        return
    by_hand = Tools(judge, tools)
    if by_hand.fault:
        report.differs(problem, by_hand.fault)
        return
    expected = by_hand.scores(bot.split(), interactive=problem == "ahc045")
    found = [case.get("score") if case["verdict"] == "accepted" else f"{case['verdict']} {case.get('note')}" for case in run["cases"]]
    differences = [f"seed {seed}: the tools say {theirs}, the judge {ours}"
                   for seed, (theirs, ours) in enumerate(zip(expected, found)) if theirs != ours]
    if len(found) != CASES:
        differences.append(f"{len(found)} of {CASES} cases")
    report.compare(f"{problem} with a plain bot", differences, len(found), "cases")


class Tools:
    """The tools of a contest, built from a copy, and the cases that `gen` makes of the seeds from 0 on."""

    def __init__(self, judge, tools):
        self.place = judge.folder()
        shutil.copytree(tools, self.place / "tools", ignore=shutil.ignore_patterns("target", "in", "out", ".git"))
        built = execute(["cargo", "build", "--release", "--quiet", "--target-dir", self.place / "target"],
                        self.place / "tools", environment={**os.environ, "RUSTFLAGS": "--cap-lints=allow"})
        self.built, self.fault = self.place / "target" / "release", None
        (self.place / "seeds.txt").write_text("".join(f"{seed}\n" for seed in range(CASES)))
        if built.code != 0:
            self.fault = f"its tools do not build: {built.stderr}"
            return
        (self.place / "in").mkdir()
        made = execute([self.built / "gen", "seeds.txt"], self.place)
        self.inputs = sorted((self.place / "in").glob("*.txt"))
        if len(self.inputs) != CASES:
            self.fault = f"gen makes {len(self.inputs)} cases: {made.words}"

    def scores(self, bot, interactive):
        score = self.conversed if interactive else self.seen
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda path: score(bot, path), self.inputs))

    def seen(self, bot, path):
        """`vis IN OUT` in a folder of its own, into which it writes its page."""
        folder = self.place / f"vis-{path.stem}"
        folder.mkdir()
        answer = execute(bot, folder, path.read_bytes())
        (folder / "out").write_text(answer.stdout)
        return score_in(execute([self.built / "vis", path, folder / "out"], folder))

    def conversed(self, bot, path):
        """`tester COMMAND < IN`."""
        return score_in(execute([self.built / "tester", *bot], self.place, path.read_bytes()))


def score_in(said):
    found = re.search(r"^Score = (-?\d+)", f"{said.stdout}\n{said.stderr}", re.M)
    return int(found[1]) if found else f"no score: {said.words}"
