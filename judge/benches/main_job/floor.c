/* The floor of the benchmark, and the solver that every contestant runs.
 *
 *   floor                            the solver: reads its input to the end and answers 0
 *   floor work STEPS                 the same, after this many steps of work
 *   floor clock MS                   the same, once its own CPU clock says this many ms
 *   floor steps MS                   tells how many steps take this much CPU time
 *   floor loop CORE RUNS FILE WORD…  on this core, runs itself with these words and this input, one run after the other
 *   floor idle COUNT                 keeps this many processes until standard input ends
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void need(int holds) {
    if (!holds) _exit(3);
}

static int solve(void) {
    char input[4096];
    while (read(0, input, sizeof input) > 0) {}
    return write(1, "0\n", 2) != 2;
}

static void work(long steps) {
    volatile unsigned value = 1;
    while (steps-- > 0) value = value * 3 + 1;
}

/* Milliseconds of CPU time that this process has used. */
static double used(void) {
    struct timespec time;
    need(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

/* Of the least of ten times: others disturb only upwards. */
static int steps(double milliseconds) {
    double least = 1e9;
    for (int round = 0; round < 10; round++) {
        double before = used();
        work(2000000);
        double time = used() - before;
        if (time < least) least = time;
    }
    return printf("%.0f\n", 2000000 * milliseconds / least) < 0;
}

/* Two pipes, posix_spawn, the input, the answer, waitpid. */
static void run(char *program, char **words, const char *input, size_t length) {
    int to[2], from[2], status;
    char answer[16], *arguments[] = {program, words[0], words[0] ? words[1] : NULL, NULL}, *environment[] = {NULL};
    pid_t pid;
    posix_spawn_file_actions_t actions;
    need(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    need(posix_spawn(&pid, program, &actions, NULL, arguments, environment) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    need(write(to[1], input, length) == (ssize_t)length);
    close(to[1]);
    need(read(from[0], answer, sizeof answer) == 2 && memcmp(answer, "0\n", 2) == 0);
    need(read(from[0], answer, sizeof answer) == 0);
    close(from[0]);
    need(waitpid(pid, &status, 0) == pid && status == 0);
}

static int loop(char *program, int core, long runs, const char *file, char **words) {
    char input[4096];
    cpu_set_t cores;
    int fd = open(file, O_RDONLY);
    ssize_t length = read(fd, input, sizeof input);
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    need(length > 0 && sched_setaffinity(0, sizeof cores, &cores) == 0);
    while (runs-- > 0) run(program, words, input, length);
    return 0;
}

static int idle(long count) {
    char byte = 'r';
    need(setpgid(0, 0) == 0);
    while (count-- > 0) {
        pid_t pid = fork();
        if (pid < 0) kill(0, SIGKILL);
        if (pid == 0)
            for (;;) pause();
    }
    need(write(1, &byte, 1) == 1);
    while (read(0, &byte, 1) > 0) {}
    return kill(0, SIGKILL);
}

int main(int count, char **words) {
    if (count >= 5 && strcmp(words[1], "loop") == 0)
        return loop(words[0], atoi(words[2]), atol(words[3]), words[4], words + 5);
    if (count == 3 && strcmp(words[1], "work") == 0) work(atol(words[2]));
    if (count == 3 && strcmp(words[1], "clock") == 0)
        while (used() < atof(words[2])) {}
    if (count == 3 && strcmp(words[1], "steps") == 0) return steps(atof(words[2]));
    if (count == 3 && strcmp(words[1], "idle") == 0) return idle(atol(words[2]));
    return solve();
}
