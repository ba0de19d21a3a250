"""Guesses a number that is too large: the interactor has to say so."""
print(int(input()) + 1, flush=True)
