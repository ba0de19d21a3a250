/* Shared by all misbehaving programs. A line that begins with ESCAPED fails the test that runs the program. */
#ifndef MISBEHAVE_H
#define MISBEHAVE_H
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ESCAPED(...) (printf("ESCAPED " __VA_ARGS__), putchar('\n'), fflush(stdout))
#define MIB ((size_t)1 << 20)

struct mode {
    const char *name;
    int (*run)(char **arguments);
};

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((unused)) static void burn(double amount) {
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    while (seconds(CLOCK_PROCESS_CPUTIME_ID) - start < amount) {
    }
}

__attribute__((unused)) static void *spin(void *unused) {
    for (volatile long count = 0;; count++) {
    }
    return unused;
}

/* Ends the first thread but not the process. */
__attribute__((unused)) static int spin_headless(char **arguments) {
    (void)arguments;
    pthread_t thread;
    if (pthread_create(&thread, NULL, spin, NULL))
        return 3;
    pthread_exit(NULL);
}

__attribute__((unused)) static void rest(double amount) {
    struct timespec time = {(time_t)amount, (long)((amount - (double)(time_t)amount) * 1e9)};
    nanosleep(&time, NULL);
}

__attribute__((unused)) static int gate[2];

/* `count` processes that do the same, and wait until all have done it. */
__attribute__((unused)) static int crew(int count, void (*work)(void)) {
    int done[2];
    char byte;
    if (pipe(done) || pipe(gate))
        return 3;
    for (int which = 0; which < count; which++)
        if (fork() == 0) {
            close(gate[1]);
            work();
            write(done[1], "", 1);
            close(done[1]);
            read(gate[0], &byte, 1);
            _exit(0);
        }
    close(done[1]);
    while (read(done[0], &byte, 1) > 0) {
    }
    rest(0.4);
    close(gate[1]);
    while (wait(NULL) > 0) {
    }
    return 0;
}

#define CREW(name, count, work) \
    static int name(char **arguments) { \
        (void)arguments; \
        return crew(count, work); \
    }

/* Reads the arguments from the input, word by word after the program's name, so that all runs have the same command
   line. */
static char **told(char **arguments) {
    static char text[8192], *words[64];
    ssize_t length = 0, piece;
    while ((piece = read(0, text + length, sizeof text - 1 - (size_t)length)) > 0)
        length += piece;
    words[0] = arguments[0];
    char *word = strtok(text, " ");
    for (int count = 1; word && count < 63; count++, word = strtok(NULL, " "))
        words[count] = word;
    return words;
}

static int dispatch(const struct mode *modes, int count, char **arguments) {
    if (count > 1 && !strcmp(arguments[1], "as-told")) {
        arguments = told(arguments);
        if (!strcmp(arguments[1], "nothing"))
            return 0;
    }
    for (; modes->name; modes++)
        if (count > 1 && !strcmp(modes->name, arguments[1]))
            return modes->run(arguments + 2);
    fprintf(stderr, "no such mode\n");
    return 99;
}
#endif
