// The programs that the judge runs in these tests: the first argument says which. The marker, if any, is the last one.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static uint64_t cpu(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void burn(uint64_t milliseconds) {
    while (cpu() < milliseconds * 1000000) {
    }
}

// Burns in a grandchild of its own session that ignores what can be ignored; so does the program itself.
static void family(void) {
    for (int number = 1; number < 32; number++) signal(number, SIG_IGN);
    if (fork() == 0) {
        setsid();
        if (fork() != 0) _exit(0);
    }
    for (;;) {
    }
}

static void echo(void) {
    static char buffer[65536];
    ssize_t length;
    while ((length = read(0, buffer, sizeof buffer)) > 0) {
        for (ssize_t done = 0; done < length;) {
            ssize_t written = write(1, buffer + done, length - done);
            if (written < 0) exit(9);
            done += written;
        }
    }
    exit(length < 0 ? 8 : 0);
}

// What a program inherits: dispositions, mask, file mode mask, folder, environment, descriptors.
static void inherited(void) {
    for (int number = 1; number <= 64; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL) printf("ignored %d\n", number);
    }
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int number = 1; number <= 64; number++) {
        if (sigismember(&mask, number) == 1) printf("blocked %d\n", number);
    }
    mode_t file_mask = umask(0);
    printf("umask %o\n", (unsigned)file_mask);
    char folder[4096];
    printf("folder %s\n", getcwd(folder, sizeof folder) ? "there" : strerror(errno));
    int file = open("own", O_CREAT | O_RDWR, 0600);
    printf("own file %s\n", file < 0 ? strerror(errno) : "made");
    close(file);
    for (char **pair = environ; *pair; pair++) printf("environment %s\n", *pair);
    for (int number = 0; number < 1024; number++) {
        if (fcntl(number, F_GETFD) >= 0) printf("descriptor %d\n", number);
    }
}

// Burns longer the first time it is run in the folder than later: a neighbour's doing, as far as the judge can tell.
static void once_slow(const char *folder, uint64_t first, uint64_t later) {
    char path[4096];
    snprintf(path, sizeof path, "%s/runs", folder);
    int file = open(path, O_CREAT | O_APPEND | O_WRONLY, 0666);
    struct stat before;
    if (file < 0 || fstat(file, &before) != 0 || write(file, "x", 1) != 1) exit(7);
    burn(before.st_size == 0 ? first : later);
    puts("0");
}

// An answer of 100,000 bytes, nearly all of them blank, and as many beside it.
static void wordy(void) {
    printf("0%*s", 99999, "\n");
    fprintf(stderr, "%*s", 100000, "\n");
}

// How many cores it may use, and the first of them.
static void cores(void) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) exit(6);
    int first = 0;
    while (!CPU_ISSET(first, &allowed)) first++;
    printf("%d\n", CPU_COUNT(&allowed) * 100000 + first);
}

int main(int count, char **words) {
    const char *mode = count > 1 ? words[1] : "plain";
    const char *given = count > 2 ? words[2] : "0";
    if (strcmp(mode, "plain") == 0) puts("0");
    else if (strcmp(mode, "loop") == 0) burn(UINT64_MAX / 1000000);
    else if (strcmp(mode, "family") == 0) family();
    else if (strcmp(mode, "echo") == 0) echo();
    else if (strcmp(mode, "inherited") == 0) inherited();
    else if (strcmp(mode, "cores") == 0) cores();
    else if (strcmp(mode, "wordy") == 0) wordy();
    else if (strcmp(mode, "once-slow") == 0) once_slow(given, atoi(words[3]), atoi(words[4]));
    else if (strcmp(mode, "nap") == 0) usleep(atoi(given) * 1000), puts("0");
    else if (strcmp(mode, "first-plays") == 0) {
        // Plays the first case of `columns`, whose board is 6 wide, at once, and none of the others.
        int width = 0;
        if (scanf("%d", &width) != 1) return 6;
        if (width != 6) family();
        puts("0");
    } else if (strcmp(mode, "burn") == 0) {
        burn(atoi(given));
        printf("%llu\n", (unsigned long long)cpu());
    } else if (strcmp(mode, "burn-on") == 0) {
        cpu_set_t core;
        CPU_ZERO(&core);
        CPU_SET(atoi(given), &core);
        if (sched_setaffinity(0, sizeof core, &core) != 0) return 6;
        burn(60000);
    } else return 5;
    return 0;
}
