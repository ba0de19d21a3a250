"""A plain bot for AHC 045: groups of neighbours along one axis, each joined as a chain; one question, for the form of it."""

cities, _groups, _questions, most, _width = map(int, input().split())
sizes = list(map(int, input().split()))
boxes = [tuple(map(int, input().split())) for _ in range(cities)]
order = sorted(range(cities), key=lambda city: (boxes[city][0] + boxes[city][1], city))
asked = order[:max(2, most)]
print("?", len(asked), *asked, flush=True)
heard = [tuple(map(int, input().split())) for _ in range(len(asked) - 1)]
print("!")
place = 0
for size in sizes:
    group = order[place:place + size]
    place += size
    print(*group)
    # What was told is a tree of the first cities: it is taken where it is about just this group.
    edges = heard if sorted(group) == sorted(asked) else list(zip(group, group[1:]))
    for one, other in edges:
        print(one, other)
