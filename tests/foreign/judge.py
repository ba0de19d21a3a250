"""The judge as the comparisons call it, and what they found."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PLACES = [HERE.parent.parent / "target" / profile / "judge" for profile in ("release", "debug")]


@dataclasses.dataclass
class Said:
    """How a program ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def words(self):
        return (self.stdout + self.stderr).strip()


class Judge:
    """A judge with a temporary folder for all that it writes."""

    def __init__(self, program, place):
        self.program, self.place = program, place
        self.environment = {**os.environ, "JUDGE_CACHE": str(place / "cache"), "XDG_CONFIG_HOME": str(place / "config"),
                            "COLUMNS": "200"}

    @classmethod
    def find(cls, place):
        """$JUDGE, or what was built here, or the one on the path. `None`, with a message, if there is none."""
        named = os.environ.get("JUDGE")
        candidates = [named] if named else [*map(str, PLACES), "judge"]
        found = next(filter(None, map(shutil.which, candidates)), None)
        if found is None:
            print(f"error: no judge at {', '.join(candidates)}\nhint: cargo build --release -p judge", file=sys.stderr)
            return None
        return cls(str(pathlib.Path(found).resolve()), place)

    def folder(self):
        """A new folder, which is gone at the end."""
        return pathlib.Path(tempfile.mkdtemp(dir=self.place))

    def run(self, *words, at=None, stdin=None):
        return execute([self.program, *words], at or self.place, stdin, self.environment)

    def json(self, *words, at=None):
        """What a command writes with `--json -`, and how it ended. `None` where it is no JSON."""
        said = self.run(*words, "--json", "-", at=at)
        try:
            return json.loads(said.stdout), said
        except json.JSONDecodeError:
            return None, said


def execute(words, at, stdin=None, environment=None):
    done = subprocess.run([str(word) for word in words], cwd=at, env=environment, capture_output=True, check=False,
                          input=stdin, **({} if stdin is not None else {"stdin": subprocess.DEVNULL}))
    return Said(done.returncode, *(stream.decode(errors="replace") for stream in (done.stdout, done.stderr)))


def build(sources, program, *flags):
    """Compiles C++ sources. Returns why it failed, or `None`."""
    said = execute(["g++", "-O0", "-std=c++17", *flags, "-o", program, *sources], program.parent)
    return None if said.code == 0 else said.stderr


class Report:
    """What agreed, what did not, and what was skipped."""

    def __init__(self):
        self.agreed, self.differed, self.skipped = 0, [], []

    def checkout(self, environment, name, address):
        """The checkout that a variable names, or `None`."""
        if not environment.get(name):
            self.skip(f"{name} is unset", f"git clone {address}, and {name}=its folder")
            return None
        folder = pathlib.Path(environment[name]).expanduser().resolve()
        if not folder.is_dir():
            self.differs(name, f"{folder} is no folder")
            return None
        return folder

    def skip(self, why, how):
        self.skipped.append(why)
        print(f"skipped: {why} ({how})", flush=True)

    def agrees(self, what, count=1, detail=""):
        self.agreed += count
        print(f"ok      {what}{': ' if detail else ''}{detail}", flush=True)

    def differs(self, what, why):
        self.differed.append(what)
        print(f"DIFFERS {what}: {why}", flush=True)

    def compare(self, what, differences, count, noun):
        """Tells of `count` comparisons, and of each that differs."""
        for difference in differences:
            self.differs(what, difference)
        if not count:
            self.differs(what, f"no {noun} found")
        elif not differences:
            self.agrees(what, count, f"{count} {noun}")

    def end(self):
        print(f"{self.agreed} agree, {len(self.differed)} differ, {len(self.skipped)} skipped")
        if self.differed:
            return 1
        return 0 if self.agreed else 2
