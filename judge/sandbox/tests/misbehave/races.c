/* Programs that do one thing many times concurrently, pass invalid arguments, or use another architecture's system
   calls. */
#include "misbehave.h"

enum { STARTERS = 8, ROUNDS = 60 };

/* Shared by all starters, threads or processes. */
static struct {
    pthread_barrier_t begin, tried, over;
    int started, best;
} *race;

static void set_up_race(int starters) {
    pthread_barrierattr_t shared;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    race = mmap(NULL, sizeof *race, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrier_t *barriers[] = {&race->begin, &race->tried, &race->over};
    for (int which = 0; which < 3; which++)
        pthread_barrier_init(barriers[which], &shared, (unsigned)starters);
}

/* All starters at once, repeatedly. Objects made by `start` live until `end`, when all have tried. */
static void run_race(int (*start)(void *), void (*end)(void *), void *one, int most) {
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&race->begin);
        int error = start(one);
        if (error && error != EAGAIN)
            ESCAPED("no start, by %s", strerror(error));
        if (!error)
            __atomic_fetch_add(&race->started, 1, __ATOMIC_SEQ_CST);
        if (pthread_barrier_wait(&race->tried) == PTHREAD_BARRIER_SERIAL_THREAD) {
            int started = __atomic_exchange_n(&race->started, 0, __ATOMIC_SEQ_CST);
            race->best = started > race->best ? started : race->best;
            if (started > most)
                ESCAPED("%d at once, not %d, in round %d", started, most, round);
        }
        if (!error)
            end(one);
        pthread_barrier_wait(&race->over);
    }
}

static void *until_cancelled(void *unused) {
    for (;;)
        pause();
    return unused;
}

static int start_thread(void *thread) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    return pthread_create(thread, &small, until_cancelled, NULL);
}

static void end_thread(void *thread) {
    pthread_cancel(*(pthread_t *)thread);
    pthread_join(*(pthread_t *)thread, NULL);
}

static int start_process(void *process) {
    pid_t child = fork();
    if (child == 0)
        until_cancelled(NULL);
    *(pid_t *)process = child;
    return child < 0 ? errno : 0;
}

static void end_process(void *process) {
    kill(*(pid_t *)process, SIGKILL);
    waitpid(*(pid_t *)process, NULL, 0);
}

static void *race_of_threads(void *most) {
    pthread_t thread;
    run_race(start_thread, end_thread, &thread, *(int *)most);
    return NULL;
}

/* The argument is the limit of processes and threads. */
static int threads(char **arguments) {
    int most = atoi(arguments[0]) - STARTERS;
    pthread_t starters[STARTERS];
    set_up_race(STARTERS);
    for (int which = 1; which < STARTERS; which++)
        if (pthread_create(&starters[which], NULL, race_of_threads, &most))
            return 3;
    race_of_threads(&most);
    for (int which = 1; which < STARTERS; which++)
        pthread_join(starters[which], NULL);
    puts(race->best == most ? "done" : "never as many as may be");
    return 0;
}

static int processes(char **arguments) {
    int most = atoi(arguments[0]) - STARTERS;
    pid_t process;
    set_up_race(STARTERS);
    for (int which = 1; which < STARTERS; which++) {
        pid_t starter = fork();
        if (starter < 0)
            return 3;
        if (starter == 0) {
            run_race(start_process, end_process, &process, most);
            _exit(0);
        }
    }
    run_race(start_process, end_process, &process, most);
    while (wait(NULL) > 0) {
    }
    puts(race->best == most ? "done" : "never as many as may be");
    return 0;
}

/* One at a time, and each is waited for. */
static int reap(char **arguments) {
    for (int count = atoi(arguments[0]); count != 0; count--) {
        pid_t child = fork();
        int status;
        if (child == 0)
            _exit(7);
        if (child < 0 || waitpid(child, &status, 0) != child || status != 7 << 8)
            return 3;
    }
    puts("done");
    return 0;
}

/* More threads than cores, which compete. */
static void *be_nice(void *unused) {
    for (int round = 0;; round++) {
        struct sched_param none = {0};
        for (volatile int count = 0; count < 1000; count++) {
        }
        sched_yield();
        nice(round % 2);
        setpriority(PRIO_PROCESS, 0, round % 20);
        sched_setscheduler(0, round % 3 ? SCHED_BATCH : SCHED_IDLE, &none);
        sched_setscheduler(0, SCHED_OTHER, &none);
    }
    return unused;
}

static int busy(char **arguments) {
    pthread_t thread;
    for (int count = atoi(arguments[0]); count > 1; count--)
        if (pthread_create(&thread, NULL, be_nice, NULL))
            return 3;
    be_nice(NULL);
    return 0;
}

/* Like `busy`, as processes. */
static int busy_processes(char **arguments) {
    for (int count = atoi(arguments[0]); count > 1; count--) {
        pid_t child = fork();
        if (child < 0)
            return 3;
        if (child == 0)
            be_nice(NULL);
    }
    be_nice(NULL);
    return 0;
}

/* Writes a new copy of itself and executes it, this many times. It never has the file open during a fork. */
static int rewritten(char **arguments) {
    static char block[65536], name[32];
    for (int count = atoi(arguments[1]); count > 0; count--) {
        int from = open(arguments[0], O_RDONLY), status;
        /* Alternates between a previous name and new ones. */
        snprintf(name, sizeof name, "./copy%d", count % 2 ? 0 : count);
        int to = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0700);
        for (ssize_t size; (size = read(from, block, sizeof block)) > 0;)
            if (write(to, block, (size_t)size) != size)
                return 3;
        close(to);
        close(from);
        pid_t child = fork();
        if (child == 0) {
            extern char **environ;
            char *again[] = {name, "nothing", NULL};
            execve(name, again, environ);
            _exit(errno == ETXTBSY ? 5 : 4);
        }
        if (waitpid(child, &status, 0) != child || status)
            return WEXITSTATUS(status);
        unlink(name);
    }
    puts("done");
    return 0;
}

static int nothing(char **arguments) {
    (void)arguments;
    return 0;
}

/* Makes each call with this path in each argument, in a folder without an entry of that name. */
static void ask(const char *path, int creates) {
    struct stat found;
    char text[8];
    char *again[] = {"x", NULL}, *lost[] = {(char *)8, NULL};
    const long calls[][7] = {
        {SYS_openat, AT_FDCWD, (long)path, O_RDONLY},
        {SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_DIRECTORY},
        {SYS_newfstatat, AT_FDCWD, (long)path, (long)&found, 0},
        {SYS_statx, AT_FDCWD, (long)path, 0, 0xfff, (long)text},
        {SYS_faccessat, AT_FDCWD, (long)path, R_OK},
        {SYS_execve, (long)path, (long)again, 0},
        {SYS_execve, (long)path, (long)lost, 8},
        {SYS_execveat, AT_FDCWD, (long)path, (long)again, 0, 0},
        {SYS_readlinkat, AT_FDCWD, (long)path, (long)text, sizeof text},
        {SYS_renameat2, AT_FDCWD, (long)path, AT_FDCWD, (long)"other", 0},
        {SYS_renameat2, AT_FDCWD, (long)path, AT_FDCWD, (long)path, 0},
        {SYS_unlinkat, AT_FDCWD, (long)path, 0},
        {SYS_unlinkat, AT_FDCWD, (long)path, AT_REMOVEDIR},
        {SYS_chdir, (long)path},
        {SYS_linkat, AT_FDCWD, (long)path, AT_FDCWD, (long)"other", 0},
        {SYS_fchmodat, AT_FDCWD, (long)path, 0700},
        {SYS_truncate, (long)path, 0},
#ifdef __x86_64__
        {SYS_open, (long)path, O_RDONLY},
        {SYS_stat, (long)path, (long)&found},
        {SYS_lstat, (long)path, (long)&found},
        {SYS_access, (long)path, 0},
        {SYS_readlink, (long)path, (long)text, sizeof text},
        {SYS_rename, (long)path, (long)"other"},
        {SYS_unlink, (long)path},
        {SYS_rmdir, (long)path},
#endif
        /* These create something if the path is merely odd. */
        {SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CREAT | O_EXCL, 0600},
        {SYS_mkdirat, AT_FDCWD, (long)path, 0700},
        {SYS_symlinkat, (long)"nowhere", AT_FDCWD, (long)path},
        {SYS_symlinkat, (long)path, AT_FDCWD, (long)"."},
        {SYS_mknodat, AT_FDCWD, (long)path, S_IFIFO | 0600, 0},
    };
    int all = (int)(sizeof calls / sizeof *calls);
    for (int which = 0; which < (creates ? all - 5 : all); which++) {
        const long *call = calls[which];
        long result = syscall(call[0], call[1], call[2], call[3], call[4], call[5], call[6]);
        if (result != -1)
            ESCAPED("call %ld with path %.20s: %ld", call[0], creates ? path : "?", result);
        else if (errno != EFAULT && errno != ENAMETOOLONG && errno != ENOENT && errno != EACCES && errno != EPERM &&
                 errno != ENOTDIR && errno != ENOSYS && errno != EEXIST && errno != EINVAL && errno != EROFS)
            ESCAPED("call %ld: %s", call[0], strerror(errno));
    }
    if (creates) {
        /* Left to the judge. */
        syscall(SYS_mkdirat, AT_FDCWD, path, 0700);
        int made = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
        syscall(SYS_openat, made, path, O_WRONLY | O_CREAT, 0600);
        syscall(SYS_symlinkat, path, made, "link");
    }
}

/* Null, unreadable addresses, texts that are too long, and invalid texts. */
static int paths(char **arguments) {
    (void)arguments;
    enum { LONG = 1 << 20 };
    char *pages = mmap(NULL, LONG + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *closed = pages + LONG + 4096;
    mprotect(closed, 4096, PROT_NONE);
    memset(pages, 'a', LONG + 4096);
    /* Without a terminator, up to inaccessible memory. */
    const char *unreadable[] = {NULL, (char *)1, (char *)-1L, (char *)(1L << 63), (char *)(1L << 47), closed, closed - 1, closed - 255,
                                closed - 4095};
    for (unsigned which = 0; which < sizeof unreadable / sizeof *unreadable; which++)
        ask(unreadable[which], 0);
    static const int lengths[] = {256, 257, 4095, 4096, 4097, 65536, LONG};
    for (unsigned which = 0; which < sizeof lengths / sizeof *lengths; which++) {
        pages[lengths[which]] = 0;
        ask(pages, 0);
        pages[lengths[which]] = 'a';
    }
    for (int place = 0; place + 2 < 8192; place += 2)
        memcpy(pages + place, "./", 3);
    ask(pages, 0);
    for (int place = 0; place + 2 < 4090; place += 2)
        memcpy(pages + place, "b/", 3);
    ask(pages, 0);
    static const char *const odd[] = {"\xff\xfe", "\xc3\x28", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\n", "\x1b[2J", "\x80/..\xff", " "};
    ask("", 0);
    for (unsigned which = 0; which < sizeof odd / sizeof *odd; which++)
        ask(odd[which], 1);
    for (unsigned which = 0; which < 7; which++) {
        long bad = (long)unreadable[which];
        /* Memory of the program that the judge itself reads. */
        if (bad && syscall(SYS_rt_sigaction, SIGCHLD, bad, NULL, 8) != -1)
            ESCAPED("a handler at %lx", bad);
        if (syscall(SYS_clone3, bad, 88) >= 0)
            ESCAPED("a process by %lx", bad);
    }
    puts("done");
    return 0;
}

#ifdef __x86_64__
static long by_interrupt(long number, long first, long second, long third) {
    __asm__ volatile("int $0x80" : "+a"(number) : "b"(first), "c"(second), "d"(third) : "memory");
    return (int)number;
}
#endif

/* Kills with the system calls of 32-bit programs, and with those for 32-bit pointers. The arguments are other
   processes. */
static int kill_by_old_calls(char **arguments) {
#ifdef __x86_64__
    enum { KILL = 37, TKILL = 238, TGKILL = 270, EXIT_GROUP = 252 };
    long victims[8] = {getppid(), -1, 1, 0}, count = 4;
    for (; *arguments && count < 8; arguments++)
        victims[count++] = atol(*arguments);
    for (int which = 0; which < count; which++)
        for (int signal = 0; signal <= 9; signal += 9) {
            pid_t asker = fork();
            if (asker == 0) {
                setpgid(0, 0);
                long victim = victims[which];
                int refused = by_interrupt(KILL, victim, signal, 0) < 0 && by_interrupt(TKILL, victim, signal, 0) < 0 &&
                              by_interrupt(TGKILL, victim, victim, signal) < 0 &&
                              syscall(0x40000000 | SYS_kill, victim, signal) < 0 &&
                              syscall(0x40000000 | SYS_tkill, victim, signal) < 0;
                by_interrupt(EXIT_GROUP, 9, 0, 0);
                _exit(refused ? 0 : 8);
            }
            int status;
            if (asker < 0 || waitpid(asker, &status, 0) != asker)
                return 3;
            /* Without kernel support, the first such call is a fault. It must not kill itself. */
            if (WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status) != SIGSEGV && WTERMSIG(status) != SIGSYS)
                ESCAPED("asked for signal %d to %ld: %x", signal, victims[which], status);
        }
#endif
    puts("done");
    return 0;
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {
        {"threads", threads}, {"processes", processes}, {"reap", reap},   {"busy", busy},
        {"busy-processes", busy_processes}, {"rewritten", rewritten}, {"nothing", nothing}, {"paths", paths},
        {"old-calls", kill_by_old_calls}, {NULL, NULL}};
    return dispatch(modes, count, arguments);
}
