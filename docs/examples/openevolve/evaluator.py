"""Evaluates a program for OpenEvolve: in the judge's sandbox, on five cases of Columns."""
from judge_harness.openevolve import evaluator

evaluate = evaluator(problem="columns", seeds="1-5")
