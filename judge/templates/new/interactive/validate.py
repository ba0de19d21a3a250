"""Exits with 0 if the case is valid. Otherwise it prints what is wrong, and exits with 1."""
import sys

try:
    n, secret = map(int, sys.stdin.buffer.read().split())
except ValueError as error:
    sys.exit(f"expected two whole numbers: {error}")
if not 1 <= secret <= n <= 99:
    sys.exit("expected a number from 1 to n, and n of at most 99")
