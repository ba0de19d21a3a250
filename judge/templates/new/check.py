"""Prints the score of an answer, or why it is wrong (with exit code 1)."""
import sys


def reject(why):
    print(why)
    sys.exit(1)


with open(sys.argv[1]) as file:
    n, capacity, *numbers = map(int, file.read().split())
items = list(zip(numbers[0::2], numbers[1::2]))
with open(sys.argv[2], "rb") as file:
    words = file.read().split()
# No number in an answer needs more digits, and Python refuses to read very long ones.
if not all(word.isdigit() and len(word) <= 6 for word in words):
    reject("expected whole numbers from 0, of at most 6 digits")
answer = [int(word) for word in words]
if not answer:
    reject("the answer is empty")
chosen = answer[1:]
if len(chosen) != answer[0]:
    reject(f"expected {answer[0]} items, found {len(chosen)}")
if len(set(chosen)) != len(chosen) or not all(1 <= item <= n for item in chosen):
    reject(f"expected different items from 1 to {n}")
weight = sum(items[item - 1][0] for item in chosen)
if weight > capacity:
    reject(f"the items weigh {weight}, more than {capacity}")
print(sum(items[item - 1][1] for item in chosen))
