"""A game that is made of Python functions, as the judge calls them in its sandbox."""

from decimal import Decimal


def check(case, answer):
    """A checker: half of what the answer has beyond the case."""
    if not answer.strip():
        return "the answer is empty"
    if answer.strip() == "crash":
        raise RuntimeError("a fault of the checker")
    return Decimal(int(answer) - int(case)) / 2


def generate(seed):
    """A generator: ten times the seed."""
    return str(10 * seed)
