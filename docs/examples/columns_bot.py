"""Plays Columns: puts each piece where the weights like it best. The examples evolve the block below."""
# EVOLVE-BLOCK-START
# The weights of a match, a neighbour of the same colour, and a jewel below the piece.
WEIGHTS = (-1.0, 0.0, 0.0)
# EVOLVE-BLOCK-END
LINES = ((1, 0), (0, 1), (1, 1), (1, -1))


def jewel(field, x, y):
    return field[x][y] if 0 <= x < len(field) and 0 <= y < len(field[x]) else None


def run(field, x, y, dx, dy):
    """Returns how many jewels in a row from here have the same colour, without this one."""
    steps = 0
    while jewel(field, x + dx * (steps + 1), y + dy * (steps + 1)) == field[x][y]:
        steps += 1
    return steps


def worth(field, x, piece):
    height = len(field[x])
    field[x].extend(piece)
    matches = neighbours = 0
    for y in range(height, height + 3):
        for dx, dy in LINES:
            equal = run(field, x, y, dx, dy) + run(field, x, y, -dx, -dy)
            matches += equal >= 2
            neighbours += equal
    del field[x][height:]
    return sum(weight * value for weight, value in zip(WEIGHTS, (matches, neighbours, height)))


def settle(field):
    """Removes matches until there is none."""
    while True:
        gone = set()
        for x, column in enumerate(field):
            for y in range(len(column)):
                for dx, dy in LINES:
                    if jewel(field, x + dx, y + dy) == jewel(field, x - dx, y - dy) == column[y]:
                        gone |= {(x, y), (x + dx, y + dy), (x - dx, y - dy)}
        if not gone:
            return
        for x, column in enumerate(field):
            column[:] = [colour for y, colour in enumerate(column) if (x, y) not in gone]


width, height = map(int, input().split())
# More pieces than these would take too long.
pieces = [input() for _ in range(int(input()))][:300]
field = [[] for _ in range(width)]
moves = []
for piece in pieces:
    free = [x for x in range(width) if len(field[x]) + 3 <= height]
    if not free:
        break
    if piece == "***":
        x, shifts = max(free, key=lambda x: len(field[x])), 0
        colour = field[x][-1] if field[x] else None
        field = [[each for each in column if each != colour] for column in field]
    else:
        choices = [(x, shifts) for x in free for shifts in range(3)]
        x, shifts = max(choices, key=lambda choice: worth(field, choice[0], piece[choice[1] :] + piece[: choice[1]]))
        field[x].extend(piece[shifts:] + piece[:shifts])
    settle(field)
    moves.append(f"{x + 1} {shifts}")
print(len(moves), *moves, sep="\n")
