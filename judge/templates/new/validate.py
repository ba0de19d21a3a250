"""Exits with 0 if the case is valid. Otherwise it prints what is wrong, and exits with 1."""
import sys

try:
    n, capacity, *numbers = map(int, sys.stdin.buffer.read().split())
except ValueError as error:
    sys.exit(f"expected whole numbers: {error}")
if not 1 <= n <= 1000 or len(numbers) != 2 * n:
    sys.exit(f"expected 1 to 1000 items of two numbers, found n = {n} and {len(numbers)} numbers")
if not 0 <= capacity <= 10**6 or not all(1 <= number <= 100 for number in numbers):
    sys.exit("expected a capacity from 0 to 10^6, and weights and values from 1 to 100")
