"""Takes the items with the most value for their weight first."""
n, capacity = map(int, input().split())
items = [tuple(map(int, input().split())) for _ in range(n)]
chosen = []
for item in sorted(range(n), key=lambda item: items[item][0] / items[item][1]):
    if items[item][0] <= capacity:
        capacity -= items[item][0]
        chosen.append(item + 1)
print(len(chosen), *chosen)
