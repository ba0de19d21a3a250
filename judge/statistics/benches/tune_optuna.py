#!/usr/bin/env python3
"""Optuna on the problems of `cargo bench -p judge-statistics --bench tune`, and the table of all tuners.

    python3 -m venv target/optuna && target/optuna/bin/pip install optuna scipy cmaes
    target/optuna/bin/python judge/statistics/benches/tune_optuna.py [REPETITIONS] [PROBLEM]

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


def of_loss(loss, half=1):
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
VOLUMES = ("calm", "loud")


def growing(x, y):
    return of_loss(((x - 3) / 6) ** 2 + ((y - 0.6) / 0.6) ** 2)


def ridge(x, y, z):
    return of_loss(((x + y - 1) / 0.1) ** 2 + (x - y - 0.4) ** 2 + (z - 0.7) ** 2)


def dead(k, t, _dead):
    k = int(k)
    return (0.8, 0.9, 1)[k] * of_loss(((math.log(t) - (2, 0, -2)[k]) / 2) ** 2)


def daring(t, n, a):
    return of_loss((math.log(t) - 1.4) ** 2 / 4 + ((n - 28) / 20) ** 2 + (a - 0.3) ** 2)


def loud(k, w, b, c):
    k = int(k)
    loss = ((math.log(w) - (3, 5)[k]) / 2.5) ** 2 + 2 * (b - 0.2) ** 2 + 0.5 * (c - 0.8) ** 2
    return (1, 0.9)[k] * of_loss(loss)


class OfCase:
    """The score is multiplied by the exponential of the noise, whose deviation lies between these, by case."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def score(self, quality, size, chance, of_case, _setting):
        noise = self.low * (self.high / self.low) ** unit(mixed_bits(of_case ^ 2))
        return quality * math.exp(size + noise * chance)


class OfSetting:
    """The noise is added to the quality; its deviation depends on the setting."""

    def __init__(self, deviation):
        self.deviation = deviation

    def score(self, quality, size, chance, _of_case, setting):
        return math.exp(size) * (quality + self.deviation(*setting) * chance)


OLD, NEW = (600, 2000), (300, 1000)
# By name: the quality, the spread of sizes, the noise, the numbers of runs, and how Optuna is asked for a setting.
PROBLEMS = {
    "branin": (
        branin, 0.5, OfCase(0.05, 0.5), OLD, lambda ask: (ask.suggest_float("x", -5, 10), ask.suggest_float("y", 0, 15))
    ),
    "rosenbrock": (
        rosenbrock, 0.3, OfCase(0.15, 0.15), OLD, lambda ask: tuple(ask.suggest_float(name, -2, 2) for name in "abcdef")
    ),
    "mixed": (
        mixed,
        0.3,
        OfCase(0.15, 0.15),
        OLD,
        lambda ask: (
            ask.suggest_float("t", 0.01, 100, log=True),
            CHOICES.index(ask.suggest_categorical("k", CHOICES)),
            ask.suggest_float("a", 0, 1),
        ),
    ),
    "growing noise": (
        growing,
        0.2,
        OfSetting(lambda x, _: 0.1 + 0.09 * x),
        NEW,
        lambda ask: (ask.suggest_float("x", 0, 10), ask.suggest_float("y", 0, 1)),
    ),
    "ridge": (
        ridge, 0.2, OfSetting(lambda *_: 0.15), NEW, lambda ask: tuple(ask.suggest_float(name, 0, 1) for name in "xyz")
    ),
    "dead parameter": (
        dead,
        0.3,
        OfSetting(lambda *_: 0.3),
        NEW,
        lambda ask: (
            CHOICES.index(ask.suggest_categorical("k", CHOICES)),
            ask.suggest_float("t", 0.01, 100, log=True),
            ask.suggest_float("dead", 0, 1),
        ),
    ),
    "daring": (
        daring,
        0.5,
        OfSetting(lambda t, *_: 0.07 * min(max(math.exp(0.9 * math.log(t)), 0.5), 5)),
        NEW,
        lambda ask: (
            ask.suggest_float("t", 0.1, 10, log=True),
            ask.suggest_float("n", 1, 40),
            ask.suggest_float("a", -1, 1),
        ),
    ),
    "loud category": (
        loud,
        0.3,
        OfSetting(lambda k, _w, b, _c: 0.8 if k else 0.12 + 0.2 * b),
        NEW,
        lambda ask: (
            VOLUMES.index(ask.suggest_categorical("k", VOLUMES)),
            ask.suggest_float("w", 1, 1000, log=True),
            ask.suggest_float("b", 0, 1),
            ask.suggest_float("c", 0, 1),
        ),
    ),
}


def score(problem, setting, case):
    quality, sizes, noise, _, _ = PROBLEMS[problem]
    of_case = mixed_bits(case)
    both = of_case
    for value in setting:
        both = mixed_bits(both ^ struct.unpack("<Q", struct.pack("<d", value))[0])
    size = sizes * normal(mixed_bits(of_case ^ 1))
    return 1000 * noise.score(quality(*setting), size, normal(both), of_case, setting)


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


# By name: the sampler, the pruner, and the cases of a trial.
RIVALS = {
    "TPE, 10 cases": ("TPESampler", "NopPruner", 10),
    "TPE and Wilcoxon, 8 cases": ("TPESampler", "WilcoxonPruner", 8),
    "TPE and Wilcoxon, 20 cases": ("TPESampler", "WilcoxonPruner", 20),
    "CMA-ES, 10 cases": ("CmaEsSampler", "NopPruner", 10),
}


def optuna_search(problem, budget, rival, repetition):
    """The Wilcoxon pruner is used as Optuna's manual shows it: cases in a new order for each trial, and a pruned trial
    is told the mean so far. Returns the regret of the best trial, and the number of runs."""
    import optuna

    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    shuffle = random.Random(repetition).shuffle
    sampler, pruner, cases = RIVALS[rival]
    sampler = getattr(optuna.samplers, sampler)(seed=repetition)
    study = optuna.create_study(direction="maximize", sampler=sampler, pruner=getattr(optuna.pruners, pruner)())
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


def judge_rows(folder, repetitions, problems):
    """Runs the judge's own benchmark, and checks that its problems are these."""
    rows, scores = Path(folder) / "rows.tsv", Path(folder) / "scores.tsv"
    bench = ["cargo", "bench", "-p", "judge-statistics", "--bench", "tune", "--", str(repetitions), *problems]
    bench += [f"--rows={rows}", f"--scores={scores}"]
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

    repetitions = next((int(argument) for argument in arguments if argument.isdigit()), 25)
    problems = [name for name in PROBLEMS if name in arguments] or list(PROBLEMS)
    with tempfile.TemporaryDirectory() as folder:
        rows = list(judge_rows(folder, repetitions, problems))
    for problem, rival in itertools.product(problems, RIVALS):
        for budget in PROBLEMS[problem][3]:
            search = functools.partial(optuna_search, problem, budget, rival)
            with concurrent.futures.ProcessPoolExecutor() as pool:
                results = list(pool.map(search, range(repetitions)))
            for repetition, result in enumerate(results):
                rows.append((problem, budget, f"Optuna, {rival}", repetition, *result))
            print(f"Optuna: {problem}, {budget} runs, {rival}", file=sys.stderr)
    print(f"{repetitions} repetitions; regret in per cent of the best score; Optuna {optuna.__version__}\n")
    table(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
