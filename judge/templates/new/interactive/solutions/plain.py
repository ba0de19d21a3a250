"""Guesses one number after the other."""
for guess in range(1, int(input()) + 1):
    print(guess, flush=True)
    if input() == "found":
        break
