/* Programs that multiply, hide, or attack the processes around them. */
#include "misbehave.h"
#include <sys/ptrace.h>
#include <sys/uio.h>

static int bomb(char **arguments) {
    (void)arguments;
    for (;;)
        if (fork() < 0)
            rest(0.001);
    return 0;
}

/* Each process starts the next and ends: its id is never the one that was just looked up. */
static int relay(char **arguments) {
    (void)arguments;
    signal(SIGCHLD, SIG_IGN);
    if (fork() == 0) {
        setsid();
        for (;;) {
            pid_t next = fork();
            if (next > 0)
                _exit(0);
            if (next < 0)
                rest(0.0001);
        }
    }
    for (;;)
        pause();
}

static void *wait_for_ever(void *unused) {
    for (;;)
        pause();
    return unused;
}

static int threads(char **arguments) {
    (void)arguments;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_t thread;
    int started = 0;
    while (started < 20000 && pthread_create(&thread, &small, wait_for_ever, NULL) == 0)
        started++;
    if (started >= 20000)
        ESCAPED("%d threads", started);
    return 3;
}

static int hermits(char **arguments) {
    (void)arguments;
    for (int count = 0; count < 5; count++)
        if (fork() == 0) {
            setsid();
            for (int number = 1; number < 65; number++)
                signal(number, SIG_IGN);
            for (;;)
                pause();
        }
    return 0;
}

static int strike(char **arguments) {
    (void)arguments;
    kill(getppid(), SIGKILL);
    kill(1, SIGKILL);
    rest(0.1);
    puts("done");
    return 0;
}

static int strike_all(char **arguments) {
    (void)arguments;
    kill(-1, SIGKILL);
    puts("done");
    return 0;
}

/* Signals, traces, reads and slows down the process whose id it is given, and its own parent. */
static int harass(char **arguments) {
    pid_t victims[] = {(pid_t)atoi(arguments[0]), getppid()};
    for (int which = 0; which < 2; which++) {
        pid_t victim = victims[which];
        if (victim <= 1)
            continue;
        if (kill(victim, 0) == 0 && kill(victim, SIGCONT) == 0)
            ESCAPED("signalled %d", victim);
        if (syscall(SYS_tgkill, victim, victim, SIGCONT) == 0)
            ESCAPED("tgkill %d", victim);
        if (ptrace(PTRACE_SEIZE, victim, NULL, NULL) == 0)
            ESCAPED("traced %d", victim);
        char byte;
        struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
        if (process_vm_readv(victim, &here, 1, &there, 1, 0) == 1)
            ESCAPED("read the memory of %d", victim);
        if (setpriority(PRIO_PROCESS, (id_t)victim, 19) == 0)
            ESCAPED("slowed down %d", victim);
        struct rlimit limit = {64, 64};
        if (prlimit(victim, RLIMIT_NOFILE, &limit, NULL) == 0)
            ESCAPED("limited %d", victim);
        cpu_set_t cores;
        CPU_ZERO(&cores);
        CPU_SET(0, &cores);
        if (sched_setaffinity(victim, sizeof cores, &cores) == 0)
            ESCAPED("moved %d", victim);
        static const char *const files[] = {"mem", "environ", "maps", "exe", "cwd/.", "root/etc/passwd", "fd/0"};
        for (int file = 0; file < 7; file++) {
            char path[64];
            snprintf(path, sizeof path, "/proc/%d/%s", victim, files[file]);
            if (open(path, O_RDONLY) >= 0)
                ESCAPED("opened %s", path);
        }
    }
    return 0;
}

/* Its own children are its own to start, signal and wait for. */
static int family(char **arguments) {
    (void)arguments;
    pid_t child = fork();
    if (child < 0)
        return 3;
    if (child == 0)
        wait_for_ever(NULL);
    if (kill(child, SIGTERM))
        return 4;
    int status;
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
        return 5;
    puts("done");
    return 0;
}

static int orphans(char **arguments) {
    (void)arguments;
    for (int count = 0; count < 60; count++) {
        pid_t child = fork();
        if (child < 0)
            return 3;
        if (child == 0) {
            if (fork() == 0)
                _exit(0);
            rest(0.002);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        rest(0.004);
    }
    puts("done");
    return 0;
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {
        {"bomb", bomb},     {"relay", relay},           {"threads", threads}, {"hermits", hermits},
        {"strike", strike}, {"strike-all", strike_all}, {"harass", harass},   {"family", family},
        {"orphans", orphans},
        {NULL, NULL},
    };
    return dispatch(modes, count, arguments);
}
