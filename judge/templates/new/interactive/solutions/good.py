"""Halves what is left with every guess."""
low, high = 1, int(input())
while True:
    guess = (low + high) // 2
    print(guess, flush=True)
    reply = input()
    if reply == "found":
        break
    if reply == "lower":
        high = guess - 1
    else:
        low = guess + 1
