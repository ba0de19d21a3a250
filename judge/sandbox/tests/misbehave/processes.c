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

/* Each process starts the next and ends, so a looked-up id is always outdated. */
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

/* Signals, traces, reads and slows down the process with the given id, and its own parent. */
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
        int pidfd = (int)syscall(SYS_pidfd_open, victim, 0);
        if (pidfd >= 0 && syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, NULL, 0) == 0)
            ESCAPED("signalled %d by its pidfd", victim);
        if (pidfd >= 0 && syscall(SYS_pidfd_getfd, pidfd, 0, 0) >= 0)
            ESCAPED("took a descriptor of %d", victim);
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

/* Zombies without a wait keep their ids. */
static int zombies(char **arguments) {
    (void)arguments;
    for (int count = 0; count < 20000; count++) {
        pid_t child = fork();
        if (child < 0)
            return 3;
        if (child == 0)
            _exit(0);
    }
    ESCAPED("20000 zombies");
    return 0;
}

/* Each kills itself, as if the judge had killed it. */
static int suicides(char **arguments) {
    (void)arguments;
    for (;;)
        if (fork() == 0)
            raise(SIGKILL);
    return 0;
}

/* Orphans that are reparented to the program, not to its supervisor, and that no parent's death signal kills. */
static int keeper(char **arguments) {
    (void)arguments;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int count = 0; count < 5; count++)
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, 0);
            if (fork() == 0)
                wait_for_ever(NULL);
            _exit(0);
        }
    wait_for_ever(NULL);
    return 0;
}

/* Runs a deleted copy of itself. */
static int reborn(char **arguments) {
    if (!*arguments) {
        puts("done");
        return 0;
    }
    char block[65536];
    int from = open("/proc/self/exe", O_RDONLY), to = open("copy", O_CREAT | O_WRONLY, 0700);
    if (from < 0)
        from = open(*arguments, O_RDONLY);
    for (ssize_t count; (count = read(from, block, sizeof block)) > 0;)
        if (write(to, block, (size_t)count) != count)
            return 3;
    close(to);
    int copy = open("copy", O_RDONLY | O_CLOEXEC);
    unlink("copy");
    extern char **environ;
    char *again[] = {"processes", "reborn", NULL};
    syscall(SYS_execveat, copy, "", again, environ, AT_EMPTY_PATH);
    return 4;
}

/* It may start, signal and wait for its own children. */
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

/* Starts the requested number, or fewer if it cannot, and handles that. */
static int crowd(char **arguments) {
    pid_t children[64];
    int wanted = atoi(arguments[0]), started = 0;
    while (started < wanted && (children[started] = fork()) >= 0)
        if (children[started++] == 0)
            wait_for_ever(NULL);
    for (int count = 0; count < started; count++)
        kill(children[count], SIGKILL);
    while (wait(NULL) > 0) {
    }
    puts("done");
    return 0;
}

static void *wait_for_end(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

static int team(char **arguments) {
    static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[64];
    int wanted = atoi(arguments[0]), started = 0;
    pthread_mutex_lock(&gate);
    while (started < wanted && pthread_create(&threads[started], NULL, wait_for_end, &gate) == 0)
        started++;
    pthread_mutex_unlock(&gate);
    while (started > 0)
        pthread_join(threads[--started], NULL);
    puts("done");
    return 0;
}

/* Leaves this many MiB in its working folder. */
static int litter(char **arguments) {
    static char block[1 << 20];
    memset(block, 1, sizeof block);
    int fd = open("left", O_CREAT | O_WRONLY, 0600);
    for (int mib = atoi(arguments[0]); mib > 0; mib--)
        if (write(fd, block, sizeof block) != (ssize_t)sizeof block)
            return 3;
    puts("done");
    return 0;
}

/* Two processes that together hold this many MiB for a while. */
static int pair(char **arguments) {
    size_t half = (size_t)atoi(arguments[0]) * MIB / 2;
    for (int count = 0; count < 2; count++)
        if (fork() == 0) {
            memset(malloc(half), 1, half);
            rest(0.2);
            _exit(0);
        }
    int status;
    while (wait(&status) > 0)
        if (status)
            return 3;
    puts("done");
    return 0;
}

static volatile sig_atomic_t ended;

static void note_end(int signal) {
    (void)signal;
    ended++;
}

/* Its children end while it starts others, and the SIGCHLD handler interrupts system calls. */
static int interrupted(char **arguments) {
    (void)arguments;
    struct sigaction action = {.sa_handler = note_end};
    sigaction(SIGCHLD, &action, NULL);
    for (int count = 0; count < 400; count++) {
        pid_t child = fork();
        if (child < 0) {
            printf("%s\n", strerror(errno));
            return 3;
        }
        if (child == 0)
            _exit(0);
        if (count % 4 == 3)
            while (wait(NULL) > 0 || errno == EINTR) {
            }
    }
    puts(ended ? "done" : "no signal");
    return 0;
}

static int suspended(char **arguments) {
    (void)arguments;
    pid_t child = vfork();
    if (child == 0)
        _exit(0);
    puts("done");
    return 0;
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {
        {"crowd", crowd},   {"team", team},             {"suspended", suspended},
        {"interrupted", interrupted},
        {"litter", litter}, {"pair", pair},
        {"bomb", bomb},     {"relay", relay},           {"threads", threads}, {"hermits", hermits},
        {"strike", strike}, {"strike-all", strike_all}, {"harass", harass},   {"family", family},
        {"orphans", orphans}, {"zombies", zombies},     {"suicides", suicides}, {"keeper", keeper},
        {"reborn", reborn},
        {NULL, NULL},
    };
    return dispatch(modes, count, arguments);
}
