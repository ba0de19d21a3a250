"""Takes every item that still fits, in the order of the input."""
n, capacity = map(int, input().split())
chosen = []
for item in range(1, n + 1):
    weight, _ = map(int, input().split())
    if weight <= capacity:
        capacity -= weight
        chosen.append(item)
print(len(chosen), *chosen)
