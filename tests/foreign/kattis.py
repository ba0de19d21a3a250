"""Kattis' problemtools: its examples with their own expected verdicts, and its default validator. Any other packages."""

import pathlib
import random
import re
import shutil

from judge import build, execute

PROBLEMTOOLS = "https://github.com/Kattis/problemtools"
# How often each set of flags is tried on texts made at random.
TRIES = 200
FLAGS = [
    "", "case_sensitive", "space_change_sensitive", "case_sensitive space_change_sensitive", "float_tolerance 1e-6",
    "float_absolute_tolerance 0.5", "float_relative_tolerance 0.1", "float_relative_tolerance 0",
    "float_absolute_tolerance 0.1 float_relative_tolerance 0.01 case_sensitive",
    "float_tolerance 0.5 space_change_sensitive",
]
PIECES = ["a", "A", "Abc", "0", "-0", "1", "1.0", "1.05", "1.1", "1.5", "2", "-1", "1e0", "1e", "1e+", "0x1", "0x1p1", "1e999",
          "nan", "NaN", "inf", "-inf", "1.", ".5", "+1", "1_0", "1x", "1e-7", "999999.5", "1000000", "é"]
SPACES = [" ", " ", " ", "\n", "\n", "  ", "\t", "\r\n", "\v"]


def compare(judge, report, environment):
    tools = report.checkout(environment, "PROBLEMTOOLS", PROBLEMTOOLS)
    if tools:
        for example in packages(tools / "examples"):
            verify(judge, report, example)
        default_validator_tests(judge, report, tools)
        random_texts(judge, report, tools)
    for folder in filter(None, environment.get("PACKAGES", "").split(":")):
        for package in packages(pathlib.Path(folder).expanduser().resolve()):
            verify(judge, report, package)


def packages(folder):
    """The problem packages in a folder, or the folder itself."""
    return sorted(found.parent for found in folder.rglob("problem.yaml"))


def verify(judge, report, package):
    """Imports a package, verifies it, and holds what is expected against the folders of its submissions."""
    to = judge.folder() / "imported"
    name, said = f"package {package.parent.name}/{package.name}", judge.run("import", package, "--to", to, "--id", "p")
    if not (to / "problems.toml").is_file():
        report.differs(name, f"not imported: {said.words}")
        return
    catalogue = ["--problems", to / "problems.toml", "-p", "p"]
    verified, ended = judge.json("verify", *catalogue)
    if verified is None:
        report.differs(name, f"not verified: {ended.words}")
        return
    checks, missing = [], set()
    for check in verified["problems"][0]["checks"]:
        lacks = re.search(r"no (?:compiler|interpreter) for it is installed.*?; (.*)", check["detail"])
        if lacks:
            missing.add(f"{check['check']}: {lacks[1]}")
        elif check["result"] == "failed":
            report.differs(name, f"{check['check']}: {check['detail']}")
        else:
            checks.append(check["check"])
    for lack in sorted(missing):
        report.skip(f"{name}, {lack.split(': ')[0]}", lack.split(": ", 1)[1])
    expected = (to / "problems.toml").read_text()
    differences = [f"{one} is neither expected nor said to be left" for one in submissions(package)
                   if f'"submissions/{one}"' not in expected and not is_left(said.words, one)]
    report.compare(name, differences, len(checks), "checks")


def submissions(package):
    """What lies in the folders of submissions, such as `accepted/a.cpp`."""
    folder = package / "submissions"
    return sorted(str(found.relative_to(folder)) for found in folder.glob("*/*") if not found.name.startswith("."))


def is_left(printed, submission):
    """Whether the import says that it leaves out a submission, by its name or its folder's."""
    verdict, name = submission.split("/", 1)
    lines = [line for line in printed.splitlines() if line.strip().startswith("left") and f"submissions/{verdict}" in line]
    return any(name in line or f"submissions/{verdict}:" in line for line in lines)


def tokens(folder, flags):
    (folder / "problems.toml").write_text(
        f'[[problem]]\nid = "t"\nchecker = "tokens"\nchecker-arguments = "{flags}"\ninputs = ["*.in"]\nanswers = "*.ans"\n')


def accepted(judge, folder):
    """The verdicts on every NAME.out of a folder."""
    rows = re.findall(r"^ (\S+) .* (accepted|rejected)\b", judge.run("check", "t", "--dir", ".", at=folder).stdout, re.M)
    return {name: ruling == "accepted" for name, ruling in rows}


def default_validator_tests(judge, report, tools):
    """Their own tests of the default validator, each with its flags."""
    tests = sorted((tools / "tests" / "default_validator_tests").glob("test_*"))
    differences = []
    for test in tests:
        folder, arguments = judge.folder(), test / "args.txt"
        tokens(folder, arguments.read_text().strip() if arguments.is_file() else "")
        (folder / "t.in").write_text("\n")
        shutil.copy(test / "user.out", folder / "t.out")
        shutil.copy(test / "judge.ans", folder / "t.ans")
        expected = (test / "expected_exit_code.txt").read_text().strip() == "42"
        if accepted(judge, folder) != {"t": expected}:
            differences.append(f"{test.name}: they say {'accepted' if expected else 'rejected'}")
    report.compare("tests of the default validator", differences, len(tests), "tests")


def random_texts(judge, report, tools):
    """Their default validator, built, and the judge on texts made at random."""
    validator, source = judge.folder() / "validator", tools / "support" / "default_validator" / "default_validator.cc"
    if not shutil.which("g++"):
        report.skip("random texts for the default validator: there is no g++", "apt-get install g++")
        return
    why = build([source], validator)
    if why:
        report.differs("the default validator", f"does not compile: {why}")
        return
    draw, differences = random.Random(1), []
    for flags in FLAGS:
        folder = judge.folder()
        tokens(folder, flags)
        expected = {}
        for number in range(TRIES):
            name, answer = f"t{number:03}", text(draw)
            output = answer if draw.random() < 0.2 else changed(draw, answer)
            for ending, content in (("in", b"\n"), ("ans", answer.encode()), ("out", output.encode())):
                (folder / f"{name}.{ending}").write_bytes(content)
            feedback = judge.folder()
            command = [validator, folder / f"{name}.in", folder / f"{name}.ans", feedback, *flags.split()]
            expected[name] = (execute(command, folder, output.encode()).code == 42, answer, output)
        found = accepted(judge, folder)
        differences += [f"`{flags}`: {answer!r} and {output!r}: they say {'accepted' if right else 'rejected'}"
                        for name, (right, answer, output) in expected.items() if found.get(name) != right]
    report.compare("the default validator on random texts", differences, len(FLAGS) * TRIES, "texts")


def text(draw):
    return "".join(draw.choice(PIECES) + draw.choice(SPACES) for _ in range(draw.randrange(4)))


def changed(draw, answer):
    """A text that differs in a piece or two."""
    pieces = re.findall(r"\S+|\s", answer)
    for _ in range(draw.randrange(1, 3)):
        place = draw.randrange(len(pieces) + 1)
        kept = draw.random() < 0.3
        new = draw.choice(SPACES if place < len(pieces) and pieces[place].isspace() else PIECES)
        pieces[place:place + 1] = [] if kept else [new]
    return "".join(pieces)
