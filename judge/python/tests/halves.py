"""A game made of Python functions that the judge calls in its sandbox."""

from decimal import Decimal


def check(case, answer):
    """A checker: the score is half of the answer minus the case. What it prints is no part of the result."""
    print("a line for its author")
    if not answer.strip():
        return "the answer is empty"
    if answer.strip() == "crash":
        raise RuntimeError("a fault of the checker")
    return Decimal(int(answer) - int(case)) / 2


def generate(seed):
    """A generator: ten times the seed."""
    print("another line")
    return str(10 * seed)
