#!/usr/bin/env python3
"""Evolves the weights of a bot: changes them at random, and keeps what is better. A plain loop, for programs of any kind.

pip install judge-harness
python3 evolve.py columns_bot.py --generations 10
"""
import argparse
import random
import re
from pathlib import Path

from judge_harness import Judge, JudgeError

WEIGHTS = re.compile(r"^WEIGHTS = \((.*)\)$", re.MULTILINE)


def mutated(source, draw):
    """Returns the source with other weights."""
    weights = [float(weight) + draw.gauss(0, 1) for weight in WEIGHTS.search(source)[1].split(",")]
    return WEIGHTS.sub(f"WEIGHTS = ({', '.join(f'{weight:.3f}' for weight in weights)})", source)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bot", type=Path)
    parser.add_argument("--problem", default="columns")
    parser.add_argument("--generations", type=int, default=10)
    parser.add_argument("--children", type=int, default=8)
    parser.add_argument("--seeds", default="1-10")
    parser.add_argument("--fresh-seeds", default="1000001-1000010")
    parser.add_argument("--draw", type=int, default=1)
    arguments = parser.parse_args()
    draw = random.Random(arguments.draw)
    first = source = arguments.bot.read_text()
    runs = 0
    with Judge(problem=arguments.problem) as judge:
        best = judge.evaluate(source=source, language="python", seeds=arguments.seeds)
        for generation in range(1, arguments.generations + 1):
            children = [mutated(source, draw) for _ in range(arguments.children)]
            candidates = [{"source": child, "language": "python", "against": best} for child in children]
            # A child that is certainly worse is stopped before its last case.
            for child in judge.evaluate_many(candidates, seeds=arguments.seeds, return_exceptions=True):
                if isinstance(child, JudgeError):
                    print(f"no result: {child}")
                    continue
                runs += child.runs
                if child.accepted and not child.stopped_early and child.total > best.total:
                    best, source = child, children[child.index]
            print(f"generation {generation}: total {best.total}, {runs} runs")
        print(WEIGHTS.search(source)[0])
        # The best of many was also lucky: measure it on other cases.
        programs = [{"source": program, "language": "python"} for program in (first, source)]
        print(judge.compare(*programs, seeds=arguments.fresh_seeds).text)


if __name__ == "__main__":
    main()
