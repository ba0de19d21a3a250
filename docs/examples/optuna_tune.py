#!/usr/bin/env python3
"""Tunes a solver with Optuna: it proposes a setting, the judge tells its scores.

    python3 -m venv venv && venv/bin/pip install optuna scipy judge-harness
    venv/bin/python optuna_tune.py --problem columns --solver './bot --t {t}' --trials 100

Write the parameters of your solver into `propose`. All trials run on the same cases, so that they are paired; after each
batch of cases, the Wilcoxon pruner ends the trials that are worse than the best one. `--start FILE` begins with what
`judge tune --jsonl FILE` has found. The study maximises, also where small scores are good: see `fitness`.
"""
import argparse
import json

import optuna

from judge_harness import Judge
from judge_harness.grading import FAILED, fitness
from judge_harness.optuna import objective


def propose(trial):
    """The parameters, and their ranges."""
    return {"t": trial.suggest_float("t", 0.1, 10, log=True)}


def add_trials(study, file, smaller_is_better):
    """Adds what `judge tune --jsonl` has written: a line for each setting."""
    sign = -1 if smaller_is_better else 1
    for line in map(json.loads, file):
        if "mean_score" not in line:  # no case was accepted
            continue
        # A fixed trial returns the setting's values to `propose`, and records the ranges.
        fixed = optuna.trial.FixedTrial({name: number(value) for name, value in line["setting"].items()})
        propose(fixed)
        seeds = [int(case.removeprefix("seed-")) for case in line["cases"]]
        accepted = None not in line["scores"]
        known = {seed: sign * score for seed, score in zip(seeds, line["scores"]) if score is not None}
        trial = optuna.trial.create_trial(
            params=fixed.params,
            distributions=fixed.distributions,
            value=fitness(line["mean_score"], smaller_is_better) if accepted else FAILED,
            intermediate_values=known,
            user_attrs={"mean": line["mean_score"]},
        )
        study.add_trial(trial)


def best_trial(study):
    """The best of the trials with at least half of the most cases: with few cases, luck decides."""
    most = max(len(trial.intermediate_values) for trial in study.trials)
    raced = [trial for trial in study.trials if 2 * len(trial.intermediate_values) >= most]
    return max(raced, key=lambda trial: trial.value)


def number(text):
    """A value in the judge's report: a number, or the name of a category."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def main():
    parser = argparse.ArgumentParser(description="Tunes a solver with Optuna and the judge.")
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
    study = optuna.create_study(direction="maximize", sampler=sampler, pruner=optuna.pruners.WilcoxonPruner())
    if arguments.start:
        with Judge(arguments.problem) as judge:
            add_trials(study, arguments.start, judge.smaller_is_better())
    measure = objective(
        lambda trial: {"command": arguments.solver.format(**propose(trial))},
        problem=arguments.problem,
        seeds=range(arguments.first_seed, arguments.first_seed + arguments.cases),
        draw=arguments.draw,
    )
    study.optimize(measure, n_trials=arguments.trials)
    best = best_trial(study)
    print(" ".join(f"{name}={value}" for name, value in best.params.items()), f"mean score {best.user_attrs.get('mean')}")
    cases = sum(len(trial.intermediate_values) for trial in study.trials)
    print(f"{cases} cases in {len(study.trials)} trials")
    # The best of many trials was also lucky: measure it on other cases.
    solver = arguments.solver.format(**best.params)
    print(f"judge compare -p {arguments.problem} YOUR_SOLVER '{solver}' --until-decided")


if __name__ == "__main__":
    main()
