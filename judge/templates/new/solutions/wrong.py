"""Takes all items, which are too heavy together: the checker must reject it."""
n, _ = map(int, input().split())
print(n, *range(1, n + 1))
