/* Either side of a conversation of one line at a time, and the loop beside it: two processes, two pipes, nothing else.
 * `ask ROUNDS REPORT`, `echo [STEPS]`, `test ROUNDS REPORT SOLVER [STEPS]`, `loop ROUNDS CORE CORE [STEPS]`. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
    perror(what);
    _exit(9);
}

/* Reads one line, of which there is never more than one; returns 0 at the end. */
static int hear(int from, char *line, size_t room) {
    size_t length = 0;
    do {
        ssize_t count = read(from, line + length, room - 1 - length);
        if (count <= 0)
            return 0;
        length += (size_t)count;
    } while (line[length - 1] != '\n');
    line[length] = 0;
    return 1;
}

static void ask(int from, int to, long rounds) {
    char line[64];
    for (long round = 0; round < rounds; round++) {
        int length = snprintf(line, sizeof line, "%ld\n", round);
        if (write(to, line, (size_t)length) != length)
            fail("write");
        if (!hear(from, line, sizeof line) || atol(line) != round)
            fail("a wrong line");
    }
}

/* Says what it hears, after so many steps of work each time. */
static void echo(int from, int to, long steps) {
    char line[64];
    while (hear(from, line, sizeof line)) {
        volatile unsigned long state = 1;
        for (long step = 0; step < steps; step++)
            state = state * 6364136223846793005UL + 1442695040888963407UL;
        if (write(to, line, strlen(line)) < 0)
            fail("write");
    }
}

static void report(const char *path) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || write(file, "1\n", 2) != 2)
        fail(path);
}

static void stay_on(int core) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(core, &only);
    if (sched_setaffinity(0, sizeof only, &only) != 0)
        fail("sched_setaffinity");
}

/* Starts the other side: a program, or this one on a core. Returns the ends of the pipes to it and from it. */
static void start(int ends[2], char **program, int core, long steps) {
    int to_child[2], from_child[2];
    if (pipe2(to_child, O_CLOEXEC) != 0 || pipe2(from_child, O_CLOEXEC) != 0)
        fail("pipe2");
    if (fork() == 0) {
        dup2(to_child[0], 0);
        dup2(from_child[1], 1);
        if (program != NULL) {
            execv(program[0], program);
            fail(program[0]);
        }
        stay_on(core);
        close(to_child[1]);
        echo(0, 1, steps);
        _exit(0);
    }
    close(to_child[0]);
    close(from_child[1]);
    ends[0] = to_child[1];
    ends[1] = from_child[0];
}

int main(int argc, char **argv) {
    int ends[2];
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "echo") == 0) {
        echo(0, 1, argc > 2 ? atol(argv[2]) : 0);
    } else if (strcmp(argv[1], "ask") == 0) {
        ask(0, 1, atol(argv[2]));
        report(argv[3]);
    } else if (strcmp(argv[1], "test") == 0) {
        start(ends, argv + 4, 0, 0);
        ask(ends[1], ends[0], atol(argv[2]));
        close(ends[0]);
        wait(NULL);
        report(argv[3]);
    } else if (strcmp(argv[1], "loop") == 0) {
        struct timespec began, ended;
        stay_on(atoi(argv[3]));
        clock_gettime(CLOCK_MONOTONIC, &began);
        start(ends, NULL, atoi(argv[4]), argc > 5 ? atol(argv[5]) : 0);
        ask(ends[1], ends[0], atol(argv[2]));
        close(ends[0]);
        wait(NULL);
        clock_gettime(CLOCK_MONOTONIC, &ended);
        printf("%.3f\n", (double)(ended.tv_sec - began.tv_sec) * 1e3 + (double)(ended.tv_nsec - began.tv_nsec) / 1e6);
    }
    return 0;
}
