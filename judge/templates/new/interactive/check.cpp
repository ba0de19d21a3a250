// Scores a conversation with testlib, by the number of guesses that the interactor has written.
#include "testlib.h"

int main(int argc, char* argv[]) {
    registerTestlibCmd(argc, argv);
    const int guesses = ouf.readInt(1, 99, "the number of guesses");
    quitp(100 - guesses, "%d guesses", guesses);
}
