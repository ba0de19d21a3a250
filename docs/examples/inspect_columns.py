"""Lets a model write a bot for Columns, and scores it with the judge.

inspect eval inspect_columns.py --model MODEL
"""
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.solver import generate

from judge_harness import Judge
from judge_harness.inspect import judge_scorer


@task
def columns():
    with Judge(problem="columns") as judge:
        rules = judge.rules()
    prompt = f"Write a Python program for this game. It reads standard input and writes standard output.\n\n{rules}"
    return Task(
        dataset=[Sample(input=prompt)],
        solver=generate(),
        scorer=judge_scorer(problem="columns", language="python", seeds="1-5"),
    )
