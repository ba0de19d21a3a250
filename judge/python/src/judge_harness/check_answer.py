"""Calls a checker or a generator that is a Python function, as the judge's protocol wants it. Runs alone in the sandbox:

    python3 check_answer.py check FILE FUNCTION INPUT ANSWER
    python3 check_answer.py generate FILE FUNCTION SEED
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import traceback
from decimal import Decimal
from typing import Any


def call(file: str, function: str, *arguments: Any) -> Any:
    """Calls a function of a file. What it prints goes to standard error, because standard output has the result."""
    with contextlib.redirect_stdout(sys.stderr):
        return load(file, function)(*arguments)


def load(file: str, function: str) -> Any:
    """Returns the function of the file."""
    spec = importlib.util.spec_from_file_location("judge_problem", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python source")
    module = importlib.util.module_from_spec(spec)
    sys.modules["judge_problem"] = module
    spec.loader.exec_module(module)
    return getattr(module, function)


def read(file: str) -> str:
    """Returns the text of a file. Bytes that are no UTF-8 become U+FFFD."""
    with open(file, encoding="utf-8", errors="replace", newline="") as opened:
        return opened.read()


def check(file: str, function: str, case: str, answer: str) -> int:
    """Prints the score and returns 0, or prints the reason and returns 1."""
    result = call(file, function, read(case), read(answer))
    if isinstance(result, str):
        print(" ".join(result.split()) or "rejected")
        return 1
    if not isinstance(result, (int, float, Decimal)):
        raise TypeError(f"expected a number or a reason from {function}, found {result!r}")
    # str() refuses the digits of very long integers.
    print(Decimal(result) if isinstance(result, int) else result)
    return 0


def main(arguments: list[str]) -> int:
    """Runs the command line and returns the exit code. An exception is a fault of the checker."""
    sys.dont_write_bytecode = True
    try:
        if arguments[0] == "check":
            return check(*arguments[1:])
        _, file, function, seed = arguments
        text = call(file, function, int(seed))
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return 0
    except Exception as error:
        # The error first and then its traceback, because reports show the first lines.
        print(f"{arguments[2]}: {type(error).__name__}: {error}", file=sys.stderr)
        traceback.print_exc()
        return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
