"""testlib: its checkers, validators, generators and interactor, as its own tests have them and beyond."""

import decimal
import pathlib
import re
import shutil

from judge import build, execute

TESTLIB = "https://github.com/MikeMirzayanov/testlib"
# What each of the repository's checkers reads besides its own tests: the answer file, and outputs.
TEXTS = ["", "1\n", "1 2\n", "1\n2\n", "01\n", "1.00000001\n", "1.1\n", "-5\n", "yes\n", "YES\n", "no\n", "Case 1: 3\n",
         "Case 1: 4\n", "abc\n", "ABC\n", "99999999999999999999\n"]


def compare(judge, report, environment):
    checkout = report.checkout(environment, "TESTLIB", TESTLIB)
    if not checkout:
        return
    if not shutil.which("g++"):
        report.skip("testlib: there is no g++", "apt-get install g++")
        return
    bench = Bench(judge, report, checkout)
    bench.own_checker_tests()
    bench.all_checkers()
    bench.validators()
    bench.validator_arguments()
    bench.generators()
    bench.interactor()


class Bench:
    """A checkout, and the judge that is held against it."""

    def __init__(self, judge, report, checkout):
        self.judge, self.report, self.checkout = judge, report, checkout
        self.tests = checkout / "tests"
        self.built = {}

    def build(self, source, *flags):
        """Compiles a program, once. `None`, with a message, if it does not compile."""
        key = (source, *flags)
        if key not in self.built:
            program = self.judge.folder() / source.stem
            why = build([source], program, f"-I{self.checkout}", *flags)
            if why:
                self.report.differs(str(source.relative_to(self.checkout)), f"does not compile: {why}")
            self.built[key] = None if why else program
        return self.built[key]

    def own_checker_tests(self):
        """The invocations of checkers in the tests' own scripts, with the results that lie beside them."""
        differences, count = [], 0
        for script in sorted(self.tests.glob("test-*/run.sh")):
            called = re.findall(r'test-ref (\S+) "?\$VALGRIND"? \./(\S+) (\S+) (\S+) (\S+)$', script.read_text(), re.M)
            for ref, name, *files in called:
                source, result = script.parent / "src" / f"{name}.cpp", script.parent / "refs" / ref
                files = [script.parent / file for file in files]
                if not source.is_file() or not result.is_dir():
                    continue
                program, count = self.build(source), count + 1
                theirs = ruling(int((result / "exit_code").read_text()), (result / "stderr").read_text())
                ours = program and self.check(program, files)
                if not is_same(ours, theirs, ""):
                    differences.append(f"{ref}: {name} {files[1].name}: they say {theirs}, the judge {ours}")
        self.report.compare("testlib's tests of checkers", differences, count, "invocations")

    def all_checkers(self):
        """Every checker on many texts: what it says by hand, and what the judge makes of it, also of its XML."""
        folder = self.judge.folder()
        for place, content in enumerate(TEXTS):
            (folder / f"{place}.txt").write_text(content)
        for source in sorted((self.checkout / "checkers").glob("*.cpp")):
            program, differences, count = self.build(source), [], 0
            if program is None:
                continue
            for place, content in enumerate(TEXTS):
                # Each with itself, with the next, and with the first.
                for other in {place, (place + 1) % len(TEXTS), 1}:
                    files = [folder / f"{name}.txt" for name in (place, other, place)]
                    said = execute([program, *files], folder)
                    theirs = ruling(said.code, said.stderr)
                    for flags in ("", "-appes"):
                        count += 1
                        ours = self.check(program, files, flags)
                        if not is_same(ours, theirs, flags):
                            pair = f"{TEXTS[other]!r} for {content!r}"
                            differences.append(f"{flags} {pair}: it says {theirs}, the judge {ours}")
            self.report.compare(f"checker {source.stem}", differences, count, "texts")

    def check(self, program, files, flags=""):
        """What the judge says of a case's input, an answer, and the answer file."""
        folder = catalogue(self.judge, f'checker-command = "{program} {flags}"\nchecker-protocol = "testlib"\ninputs = ["*.in"]')
        (folder / "a.in").touch()
        case, answer, expected = files
        said = self.judge.run("check", "t", "--input", case, "--output", answer, "--answer", expected, at=folder)
        if said.code in (0, 1):
            return said.stdout.strip()
        return f"error {said.stderr.strip()}"

    def validators(self):
        """The validators of the tests, through `judge verify`."""
        differences, count = [], 0
        for result in sorted(self.tests.glob("test-007_validators/refs/*")):
            name, number = result.name.split("-")
            place = result.parent.parent
            program = self.build(place / "src" / f"{name}.cpp")
            expected = int((result / "exit_code").read_text()) == 0
            why = (result / "stderr").read_text().strip().splitlines()[-1:]
            ours, detail = self.validate(program, "", place / "files" / "unix" / f"input.{number}")
            count += 1
            if ours != expected or not expected and why[0] not in detail:
                differences.append(f"{result.name}: expected {'accepted' if expected else why[0]}, found {detail}")
        self.report.compare("testlib's tests of validators", differences, count, "inputs")

    def validator_arguments(self):
        """A validator that asks for the test set and the group of its command line."""
        program = self.build(self.checkout / "validators" / "validate-using-testset-and-group.cpp")
        differences, count = [], 0
        for arguments in ("", "--testset pretests", "--group even-n-and-m", "--testset pretests --group even-n-and-m"):
            for text in ("2 4\n", "3 4\n", "50 60\n", "50 61\n", "101 1\n", "2  4\n", "2 4"):
                path = self.judge.folder() / "input"
                path.write_text(text)
                by_hand = execute([program, *arguments.split()], path.parent, text.encode())
                ours, detail = self.validate(program, arguments, path)
                count += 1
                if ours != (by_hand.code == 0):
                    differences.append(f"`{arguments}` on {text!r}: by hand {by_hand.code}, the judge {detail}")
        self.report.compare("a validator with a test set and a group", differences, count, "inputs")

    def validate(self, program, arguments, path):
        """Whether `judge verify` lets a validator accept an input, and what it says of it."""
        keys = f'checker = "tokens"\nvalidator-command = "{program} {arguments}"\ninputs = ["*.in"]\nanswers = "*.ans"'
        folder = catalogue(self.judge, keys)
        shutil.copy(path, folder / "a.in")
        (folder / "a.ans").write_text("1\n")
        verified, said = self.judge.json("verify", at=folder)
        checks = verified["problems"][0]["checks"] if verified else []
        found = next((check for check in checks if check["check"] == "validator"), None)
        if found is None:
            return None, said.words
        # Of an input that it accepts, it may still be said that it accepts garbage, too.
        return "refuses a:" not in found["detail"], found["detail"]

    def generators(self):
        """The generators of the tests, with the seed in place of a number of their command line."""
        differences, count = [], 0
        for script in sorted(self.tests.glob("test-*/run.sh")):
            called = re.findall(r'test-ref (\S+) "?\$VALGRIND"? \./(\S+) ([-\w. ]+)$', script.read_text(), re.M)
            for ref, name, arguments in called:
                sources = [script.parent / folder / f"{name}.cpp" for folder in ("src", "files")]
                source = next(filter(pathlib.Path.is_file, sources), None)
                parts = re.fullmatch(r"(.*?\b)(\d+)\b((?:(?! \d).)*)", arguments)
                if not source or not parts or "registerGen" not in source.read_text():
                    continue
                count, result = count + 1, script.parent / "refs" / ref
                program = self.build(source, "-fsigned-char")
                line = f"{program} {parts[1]}{{seed}}{parts[3]}"
                differences += self.generate(line, parts[2], result, f"{script.parent.name} {ref}")
        self.report.compare("testlib's tests of generators", differences, count, "invocations")

    def generate(self, line, seed, result, what):
        folder = catalogue(self.judge, f'generator-command = "{line}"\nchecker = "tokens"\nseeds = "{seed}"')
        said = self.judge.run("gen", "t", "--seed", seed, at=folder)
        if int((result / "exit_code").read_text()) == 0:
            return [] if said.stdout == (result / "stdout").read_text() else [f"{what}: another input: {said.stderr}"]
        why = (result / "stderr").read_text().strip().splitlines()[-1]
        return [] if said.code != 0 and why in said.stderr else [f"{what}: expected {why}, found {said.words}"]

    def interactor(self):
        """The interactor of the tests with their solver; a checker reads what the interactor wrote."""
        place = self.tests / "test-006_interactors"
        interactor, solver = (self.build(place / "src" / f"{name}-a-plus-b.cpp") for name in ("interactor", "interactive"))
        checker = self.build(self.checkout / "checkers" / "icmp.cpp")
        sums = self.build(self.checkout / "checkers" / "ncmp.cpp")
        differences, written = [], (place / "refs" / "r-interactor-a-plus-b-2-1" / "stdout").read_text()
        for wanted, check, verdict in ((written, sums, "accepted"), ("0\n", checker, "wrong-answer")):
            folder = catalogue(self.judge, f'interactor-command = "{interactor}"\nchecker-command = "{check}"\n'
                               'checker-protocol = "testlib"\ninputs = ["*.in"]\nanswers = "*.ans"')
            shutil.copy(place / "files" / "unix" / "input.01", folder / "a.in")
            (folder / "a.ans").write_text(wanted)
            run, said = self.judge.json("run", "-p", "t", "-s", str(solver), at=folder)
            found = run["cases"][0]["verdict"] if run else said.words
            if found != verdict:
                differences.append(f"expected {verdict}, found {found}")
        self.report.compare("testlib's test of an interactor", differences, 2, "conversations")


def catalogue(judge, keys):
    """A folder with a problem `t`."""
    folder = judge.folder()
    (folder / "problems.toml").write_text(f'[[problem]]\nid = "t"\n{keys}\n')
    return folder


def ruling(code, stderr):
    """What an exit code and the words on standard error mean, as `judge check` is to print it."""
    words = stderr.strip()
    if code == 0:
        return "accepted 1"
    for codes, prefix in (([1], "wrong answer"), ([2, 4], "wrong output format"), ([8], "unexpected eof")):
        if code in codes:
            return f"rejected answer: {words.removeprefix(prefix).strip()}"
    points = re.match(r"points (-?[\d.]+(?:e-?\d+)?)", words)
    if code == 7 and points:
        exact = f"{decimal.Decimal(points[1]):f}"
        return f"accepted {exact.rstrip('0').rstrip('.') if '.' in exact else exact}"
    return f"error {words.removeprefix('FAIL').strip()}"


def is_same(ours, theirs, flags):
    """XML may say the reason in other words, and errors say more."""
    if ours is None or ours.split(" ")[0] != theirs.split(" ")[0]:
        return False
    if theirs.startswith("error"):
        return True
    return ours == theirs or flags != "" and theirs.startswith("rejected")
