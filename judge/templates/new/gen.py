"""Prints the case of a seed: n items, and a capacity for about half of them."""
import random
import sys

chance = random.Random(int(sys.argv[1]))
n = chance.randint(10, 50)
items = [(chance.randint(1, 100), chance.randint(1, 100)) for _ in range(n)]
print(n, sum(weight for weight, _ in items) // 2)
for weight, value in items:
    print(weight, value)
