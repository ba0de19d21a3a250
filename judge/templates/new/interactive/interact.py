"""Converses with a solver, and writes its score or its fault to the report. A fault has exit code 1."""
import sys

with open(sys.argv[1]) as file:
    n, secret = map(int, file.read().split())


def end(text, code):
    with open(sys.argv[2], "w") as report:
        print(text, file=report)
    sys.exit(code)


print(n, flush=True)
for guesses in range(1, 100):
    # Bytes, as a solver can print anything. No guess needs more digits, and Python refuses to read very long ones.
    word = sys.stdin.buffer.readline().strip()
    if not word.isdigit() or len(word) > 6:
        end(f"guess {guesses}: expected a whole number", 1)
    guess = int(word)
    if not 1 <= guess <= n:
        end(f"guess {guesses}: expected a number from 1 to {n}, found {guess}", 1)
    try:
        print("found" if guess == secret else "lower" if secret < guess else "higher", flush=True)
    except BrokenPipeError:
        pass
    if guess == secret:
        end(100 - guesses, 0)
end("more than 99 guesses", 1)
