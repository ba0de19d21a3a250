"""Guesses a number that is too large: the interactor must reject it."""
print(int(input()) + 1, flush=True)
