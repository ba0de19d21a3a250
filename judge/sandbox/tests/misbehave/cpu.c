/* Programs that use CPU time or wall time. */
#include "misbehave.h"

static int alone(char **arguments) {
    (void)arguments;
    spin(NULL);
    return 0;
}

static int deaf(char **arguments) {
    for (int number = 1; number < 65; number++)
        signal(number, SIG_IGN);
    return alone(arguments);
}

static int threads(char **arguments) {
    pthread_t thread;
    for (int count = 0; count < 3; count++)
        pthread_create(&thread, NULL, spin, NULL);
    return alone(arguments);
}

static int children(char **arguments) {
    for (int count = 0; count < 3; count++)
        if (fork() == 0)
            return alone(arguments);
    while (wait(NULL) > 0) {
    }
    return 0;
}

/* Children without a wait: no parent's accounting includes their time. */
static int unreaped(char **arguments) {
    (void)arguments;
    signal(SIGCHLD, SIG_IGN);
    for (int count = 0; count < 40; count++) {
        pid_t child = fork();
        if (child < 0)
            return 3;
        if (child == 0) {
            burn(0.1);
            _exit(0);
        }
        rest(0.11);
    }
    return 0;
}

static int orphans(char **arguments) {
    for (int count = 0; count < 3; count++)
        if (fork() == 0)
            return alone(arguments);
    return 0;
}

static int amount(char **arguments) {
    burn(atof(arguments[0]));
    puts("done");
    return 0;
}

static int asleep(char **arguments) {
    rest(atof(arguments[0]));
    puts("done");
    return 0;
}

static int stopped(char **arguments) {
    (void)arguments;
    kill(getpid(), SIGSTOP);
    rest(1000);
    return 0;
}

static int shell(char **arguments) {
    (void)arguments;
    execl("/bin/sh", "sh", "-c", "while :; do :; done", (char *)NULL);
    return 3;
}

/* Disables the kernel's counters as far as allowed. */
static int uncounted(char **arguments) {
    prctl(PR_TASK_PERF_EVENTS_DISABLE);
    if (fork() == 0)
        prctl(PR_TASK_PERF_EVENTS_DISABLE);
    return alone(arguments);
}

/* Executes new programs repeatedly, without creating processes. */
static int restarted(char **arguments) {
    (void)arguments;
    execl("/proc/self/exe", "cpu", "restarted", (char *)NULL);
    return alone(arguments);
}

/* Its parent is suspended during its lifetime. */
static int vforked(char **arguments) {
    (void)arguments;
    if (vfork() == 0)
        for (;;)
            pause();
    return 0;
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {
        {"alone", alone},         {"deaf", deaf},       {"threads", threads}, {"headless", spin_headless},
        {"children", children},   {"unreaped", unreaped}, {"orphans", orphans}, {"amount", amount},
        {"asleep", asleep},       {"stopped", stopped}, {"shell", shell},
        {"uncounted", uncounted}, {"restarted", restarted}, {"vforked", vforked}, {NULL, NULL},
    };
    return dispatch(modes, count, arguments);
}
