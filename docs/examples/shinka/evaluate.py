"""Evaluates a program for ShinkaEvolve: in the judge's sandbox, on five cases of Columns."""
from judge_harness.shinka import main

if __name__ == "__main__":
    main(problem="columns", seeds="1-5")
