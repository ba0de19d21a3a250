/* How long GMP takes to test 10^(DIGITS - 1) + OFFSET, in milliseconds: fails unless it is prime, or not, as PRIME says. */
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int count, char **words) {
    mpz_t number;
    struct timespec from, to;
    if (count != 4) return 2;
    mpz_init(number);
    mpz_ui_pow_ui(number, 10, strtoul(words[1], NULL, 10) - 1);
    mpz_add_ui(number, number, strtoul(words[2], NULL, 10));
    clock_gettime(CLOCK_MONOTONIC, &from);
    /* Up to 24 repetitions are Baillie-PSW alone, from GMP 6.2 on. */
    int is_prime = mpz_probab_prime_p(number, 24) > 0;
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%.3f\n", (to.tv_sec - from.tv_sec) * 1e3 + (to.tv_nsec - from.tv_nsec) / 1e6);
    return is_prime != atoi(words[3]);
}
