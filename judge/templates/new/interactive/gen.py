"""Prints the case of a seed: n, and the number from 1 to n to be found."""
import random
import sys

chance = random.Random(int(sys.argv[1]))
n = chance.randint(20, 90)
print(n, chance.randint(1, n))
