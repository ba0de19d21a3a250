#!/usr/bin/env python3
"""Optuna on the problems of `cargo bench -p judge --bench tune`, and the table of all tuners for docs/tune.md.

    python3 -m venv target/optuna && target/optuna/bin/pip install optuna scipy
    target/optuna/bin/python judge/benches/tune_optuna.py [REPETITIONS]

It runs the benchmark of the judge first, then Optuna on the same cases. `--verify FILE` only compares the problems here
with a table of scores that the Rust side has written; that needs no Optuna.
"""
import concurrent.futures
import functools
import itertools
import math
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import warnings
from collections import defaultdict
from pathlib import Path

BUDGETS = (600, 2000)
REPETITION = 1_000_000
WORD = (1 << 64) - 1


def mixed_bits(bits):
    """SplitMix64's step."""
    bits = (bits + 0x9E3779B97F4A7C15) & WORD
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & WORD
    return bits ^ (bits >> 31)


def unit(bits):
    return ((bits >> 11) + 0.5) / (1 << 53)


def normal(bits):
    radius, turn = unit(mixed_bits(bits ^ 1)), unit(mixed_bits(bits ^ 2))
    return math.sqrt(-2 * math.log(radius)) * math.cos(2 * math.pi * turn)


def of_loss(loss, half):
    return half / (half + loss)


def branin(x, y):
    valley = y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6
    value = valley * valley + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10
    return of_loss(value - 5 / (4 * math.pi), 10)


def rosenbrock(*at):
    return of_loss(sum(100 * (y - x * x) ** 2 + (1 - x) ** 2 for x, y in zip(at, at[1:])), 500)


def mixed(t, k, a):
    def bell(distance):
        return 1 / (1 + distance * distance)

    if k == 0:
        return 0.7 * bell((a - 0.4) / 1.5)
    if k == 1:
        return 0.85 * bell((math.log(t) - 3) / 2) * bell((a - 0.2) / 0.5)
    return bell((math.log(t) + 0.7 - 2 * (a - 0.7)) / 0.8) * bell((a - 0.7) / 0.25)


CHOICES = ("greedy", "beam", "sa")
# By name: the quality, the spread of sizes, the least and the most noise, and how Optuna is asked for a setting.
PROBLEMS = {
    "branin": (branin, 0.5, 0.05, 0.5, lambda ask: (ask.suggest_float("x", -5, 10), ask.suggest_float("y", 0, 15))),
    "rosenbrock": (rosenbrock, 0.3, 0.15, 0.15, lambda ask: tuple(ask.suggest_float(name, -2, 2) for name in "abcdef")),
    "mixed": (
        mixed,
        0.3,
        0.15,
        0.15,
        lambda ask: (
            ask.suggest_float("t", 0.01, 100, log=True),
            CHOICES.index(ask.suggest_categorical("k", CHOICES)),
            ask.suggest_float("a", 0, 1),
        ),
    ),
}


def score(problem, setting, case):
    quality, sizes, low, high, _ = PROBLEMS[problem]
    of_case = mixed_bits(case)
    noise = low * (high / low) ** unit(mixed_bits(of_case ^ 2))
    both = of_case
    for value in setting:
        both = mixed_bits(both ^ struct.unpack("<Q", struct.pack("<d", value))[0])
    return 1000 * quality(*setting) * math.exp(sizes * normal(mixed_bits(of_case ^ 1)) + noise * normal(both))


def regret(problem, setting):
    return 1 - PROBLEMS[problem][0](*setting)


def verify(file):
    """Compares with lines `problem, case, score, regret, setting…` and returns their number."""
    lines = [line.split("\t") for line in Path(file).read_text().splitlines()]
    for problem, case, expected, lacking, *values in lines:
        setting = tuple(map(float, values))
        here = score(problem, setting, int(case)), regret(problem, setting)
        for got, wanted in zip(here, (float(expected), float(lacking))):
            if not math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-12):
                sys.exit(f"{problem} at {values}, case {case}: {got} here, {wanted} in Rust")
    if {line[0] for line in lines} != set(PROBLEMS):
        sys.exit(f"{file} lacks a problem")
    return len(lines)


def optuna_search(problem, budget, cases, repetition):
    """TPE with the Wilcoxon pruner as Optuna's manual shows it: cases in a new order for each trial, and a pruned trial
    is told the mean so far. Returns the regret of the best trial, and the number of runs."""
    import optuna

    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    shuffle = random.Random(repetition).shuffle
    sampler = optuna.samplers.TPESampler(seed=repetition)
    study = optuna.create_study(direction="maximize", sampler=sampler, pruner=optuna.pruners.WilcoxonPruner())
    runs = 0
    # A trial is begun only if all its cases can be run.
    while runs + cases <= budget:
        trial = study.ask()
        setting = PROBLEMS[problem][4](trial)
        trial.set_user_attr("setting", setting)
        order = list(range(cases))
        shuffle(order)
        scores = []
        for case in order:
            scores.append(score(problem, setting, repetition * REPETITION + case))
            trial.report(scores[-1], case)
            if trial.should_prune():
                break
        runs += len(scores)
        study.tell(trial, statistics.fmean(scores))
    return regret(problem, study.best_trial.user_attrs["setting"]), runs


def table(rows):
    """Prints mean, median and standard error of the regret of each tuner, and how much more it has than the judge."""
    regrets = defaultdict(dict)
    runs = defaultdict(list)
    for problem, budget, tuner, repetition, value, used in rows:
        regrets[problem, budget, tuner][repetition] = 100 * value
        runs[problem, budget, tuner].append(used)
    print("| problem | runs | tuner | mean regret | median | more than judge tune, paired | runs used |")
    print("|---|---:|---|---:|---:|---:|---:|")
    for key, by_repetition in sorted(regrets.items(), key=lambda entry: (*list(map(str, entry[0][:2])), entry[0][2] != OURS)):
        problem, budget, tuner = key
        ours = regrets[problem, budget, OURS]
        values = list(by_repetition.values())
        more = [value - ours[repetition] for repetition, value in by_repetition.items()]
        paired = "" if tuner == OURS else f"{statistics.fmean(more):+.2f} ± {error(more):.2f}"
        used = statistics.fmean(runs[key]) / budget
        print(
            f"| {problem} | {budget} | {tuner} | {statistics.fmean(values):.2f} ± {error(values):.2f} | "
            f"{statistics.median(values):.2f} | {paired} | {used:.0%} |"
        )


OURS = "judge tune"


def error(values):
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def judge_rows(folder, repetitions):
    """Runs the judge's own benchmark, and checks that its problems are these."""
    rows, scores = Path(folder) / "rows.tsv", Path(folder) / "scores.tsv"
    bench = ["cargo", "bench", "-p", "judge", "--bench", "tune", "--", str(repetitions), f"--rows={rows}", f"--scores={scores}"]
    subprocess.run(bench, check=True, cwd=Path(__file__).parent, stdout=subprocess.DEVNULL)
    print(f"{verify(scores)} scores are the same in Rust and Python", file=sys.stderr)
    for line in rows.read_text().splitlines():
        problem, budget, tuner, repetition, value, used = line.split("\t")
        yield problem, int(budget), tuner, int(repetition), float(value), int(used)


def main(arguments):
    if arguments[:1] == ["--verify"]:
        print(f"{verify(arguments[1])} scores are the same")
        return
    import optuna

    repetitions = int(arguments[0]) if arguments else 25
    with tempfile.TemporaryDirectory() as folder:
        rows = list(judge_rows(folder, repetitions))
    for problem, budget, cases in itertools.product(PROBLEMS, BUDGETS, (20, 8)):
        search = functools.partial(optuna_search, problem, budget, cases)
        with concurrent.futures.ProcessPoolExecutor() as pool:
            results = list(pool.map(search, range(repetitions)))
        for repetition, result in enumerate(results):
            rows.append((problem, budget, f"Optuna, TPE and Wilcoxon, {cases} cases", repetition, *result))
        print(f"Optuna: {problem}, {budget} runs, {cases} cases", file=sys.stderr)
    print(f"{repetitions} repetitions; regret in per cent of the best score; Optuna {optuna.__version__}\n")
    table(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
