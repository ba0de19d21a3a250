#!/usr/bin/env python3
"""Tunes a solver with Optuna: it proposes a setting, `judge run` tells its scores.

    python3 -m venv venv && venv/bin/pip install optuna scipy
    venv/bin/python optuna_tune.py --problem columns --solver './bot --t {t}' --trials 100

Write the parameters of your solver into `propose`. All trials run on the same cases, so that they are paired; after each
batch of cases, the Wilcoxon pruner ends the trials that are worse than the best one. `--start FILE` begins with what
`judge tune --jsonl FILE` has found.
"""
import argparse
import json
import random
import statistics
import subprocess
import sys

DIRECTION = "maximize"  # or "minimize"
FAILED = 0  # what a case without an accepted answer counts; much, to minimize
BATCH = 5  # cases in one run of the judge


def propose(trial):
    """The parameters, and their ranges."""
    return {"t": trial.suggest_float("t", 0.1, 10, log=True)}


def scores(problem, solver, seeds):
    """Runs the solver on these seeds. Returns the score of each."""
    listed = ",".join(map(str, seeds))
    command = ["judge", "run", "--problem", problem, "--solver", solver, "--seeds", listed, "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: some case failed
        sys.exit(done.stderr)
    return {case["seed"]: case.get("score", FAILED) for case in json.loads(done.stdout)["cases"]}


def measure(trial, arguments):
    """Runs a trial. Returns its mean score: that of the cases so far if it is given up early."""
    solver = arguments.solver.format(**propose(trial))
    seeds = list(range(arguments.first_seed, arguments.first_seed + arguments.cases))
    random.Random(f"{arguments.draw}, {trial.number}").shuffle(seeds)
    known = {}
    for start in range(0, len(seeds), BATCH):
        new = scores(arguments.problem, solver, seeds[start : start + BATCH])
        for seed, score in new.items():
            trial.report(score, seed)
        known.update(new)
        if trial.should_prune():
            break
    return statistics.fmean(known.values())


def add_trials(study, file):
    """Adds what `judge tune --jsonl` has written: a line for each setting."""
    import optuna

    for line in map(json.loads, file):
        if "mean_score" not in line:  # no case was accepted
            continue
        # A fixed trial takes the setting as `propose` asks for it, and notes the ranges.
        fixed = optuna.trial.FixedTrial({name: number(value) for name, value in line["setting"].items()})
        propose(fixed)
        seeds = [int(case.removeprefix("seed-")) for case in line["cases"]]
        trial = optuna.trial.create_trial(
            params=fixed.params,
            distributions=fixed.distributions,
            value=line["mean_score"],
            intermediate_values={
                seed: FAILED if score is None else score for seed, score in zip(seeds, line["scores"])
            },
        )
        study.add_trial(trial)


def best_trial(study):
    """The best of the trials with at least half of the most cases: with few cases, luck decides."""
    sign = 1 if DIRECTION == "maximize" else -1
    most = max(len(trial.intermediate_values) for trial in study.trials)
    raced = [trial for trial in study.trials if 2 * len(trial.intermediate_values) >= most]
    return max(raced, key=lambda trial: sign * trial.value)


def number(text):
    """A value in the judge's report: a number, or the name of a category."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def main():
    import optuna

    parser = argparse.ArgumentParser(description="Tunes a solver with Optuna and judge run.")
    parser.add_argument("--problem", default="columns")
    parser.add_argument("--solver", default="./bot --t {t}", help="with {NAME} in the place of each parameter")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=2_000_001)
    parser.add_argument("--draw", type=int, default=1, help="the seed of the settings")
    parser.add_argument("--start", type=argparse.FileType(), metavar="FILE", help="written by judge tune --jsonl")
    arguments = parser.parse_args()

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=arguments.draw)
    study = optuna.create_study(direction=DIRECTION, sampler=sampler, pruner=optuna.pruners.WilcoxonPruner())
    if arguments.start:
        add_trials(study, arguments.start)
    study.optimize(lambda trial: measure(trial, arguments), n_trials=arguments.trials)
    best = best_trial(study)
    print(" ".join(f"{name}={value}" for name, value in best.params.items()), f"mean score {best.value}")
    # The best of many trials was lucky too: other cases tell what it is worth.
    solver = arguments.solver.format(**best.params)
    print(f"judge compare -p {arguments.problem} YOUR_SOLVER '{solver}' --until-decided")


if __name__ == "__main__":
    main()
