// Converses with a solver, and writes its score or its fault to the report. A fault has exit code 1.
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

int main(int, char* argv[]) {
    // The solver may have ended. This is noticed when its next guess is read.
    std::signal(SIGPIPE, SIG_IGN);
    auto end = [&](const std::string& text, int code) {
        std::ofstream(argv[2]) << text << '\n';
        std::exit(code);
    };
    std::ifstream input(argv[1]);
    int n, secret;
    input >> n >> secret;

    std::cout << n << std::endl;
    for (int guesses = 1; guesses < 100; ++guesses) {
        const std::string place = "guess " + std::to_string(guesses) + ": ";
        int guess;
        if (!(std::cin >> guess)) end(place + "expected a whole number", 1);
        if (guess < 1 || guess > n)
            end(place + "expected a number from 1 to " + std::to_string(n) + ", found " + std::to_string(guess), 1);
        std::cout << (guess == secret ? "found" : secret < guess ? "lower" : "higher") << std::endl;
        if (guess == secret) end(std::to_string(100 - guesses), 0);
    }
    end("more than 99 guesses", 1);
}
