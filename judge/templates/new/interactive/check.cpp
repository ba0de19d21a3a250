// Says with testlib what a conversation is worth: the interactor has written the number of guesses.
#include "testlib.h"

int main(int argc, char* argv[]) {
    registerTestlibCmd(argc, argv);
    const int guesses = ouf.readInt(1, 99, "the number of guesses");
    quitp(100 - guesses, "%d guesses", guesses);
}
