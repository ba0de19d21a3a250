// Converses with a solver, and writes the number of guesses for the checker.
#include "testlib.h"
#include <iostream>

int main(int argc, char* argv[]) {
    registerInteraction(argc, argv);
    const int n = inf.readInt(), secret = inf.readInt();
    std::cout << n << std::endl;
    for (int guesses = 1; guesses < 100; ++guesses) {
        const int guess = ouf.readInt(1, n, "a guess");
        std::cout << (guess == secret ? "found" : secret < guess ? "lower" : "higher") << std::endl;
        if (guess == secret) {
            tout << guesses << std::endl;
            quitf(_ok, "found with %d guesses", guesses);
        }
    }
    quitf(_wa, "more than 99 guesses");
}
