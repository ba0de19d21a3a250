"""A plain bot for AHC 020: every edge, and each station as strong as the residents that are nearest to it need."""

import math
import sys

numbers = iter(map(int, sys.stdin.read().split()))
stations, edges, residents = (next(numbers) for _ in range(3))
places = [(next(numbers), next(numbers)) for _ in range(stations)]
for _ in range(3 * edges):
    next(numbers)
powers = [0] * stations
for _ in range(residents):
    home = next(numbers), next(numbers)
    distance, nearest = min((math.dist(home, place), number) for number, place in enumerate(places))
    powers[nearest] = max(powers[nearest], min(5000, math.ceil(distance)))
print(*powers)
print(*[1] * edges)
