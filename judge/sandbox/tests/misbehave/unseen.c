/* Programs that use time where the kernel's counters miss it: from an executable but unreadable file, and under a
   parent that ignores its children's end. */
#include "misbehave.h"

extern char **environ;

static char *const BUSY[] = {"unseen", "busy", NULL};

static int busy(char **arguments) {
    (void)arguments;
    spin(NULL);
    return 0;
}

static int brief(char **arguments) {
    burn(atof(arguments[0]));
    return 0;
}

/* Copies the program's own file to a descriptor, and removes all read permissions. */
static int copy_to(int to, const char *own) {
    int from = open(own, O_RDONLY);
    char block[65536];
    if (from < 0 || to < 0)
        return -1;
    for (ssize_t count; (count = read(from, block, sizeof block)) > 0;)
        if (write(to, block, (size_t)count) != count)
            return -1;
    close(from);
    fchmod(to, 0111);
    return 0;
}

static int make_copy(const char *own) {
    int to = open("copy", O_CREAT | O_EXCL | O_WRONLY, 0111);
    int made = copy_to(to, own);
    close(to);
    return made;
}

static int copied(char **arguments) {
    if (make_copy(arguments[0]))
        return 3;
    execv("./copy", BUSY);
    return 4;
}

static int by_descriptor(char **arguments) {
    if (make_copy(arguments[0]))
        return 3;
    int fd = open("copy", O_PATH);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    execv(path, BUSY);
    syscall(SYS_execveat, fd, "", BUSY, environ, AT_EMPTY_PATH);
    return 4;
}

static int linked(char **arguments) {
    if (make_copy(arguments[0]) || symlink("copy", "link") || mkdir("inner", 0700) || rename("copy", "inner/copy"))
        return 3;
    execv("inner/copy", BUSY);
    link("inner/copy", "other");
    execv("other", BUSY);
    return 4;
}

static int memory_file(char **arguments) {
    int fd = (int)syscall(SYS_memfd_create, "copy", 0);
    if (fd < 0)
        return 4;
    if (copy_to(fd, arguments[0]))
        return 3;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int again = open(path, O_PATH);
    close(fd);
    syscall(SYS_execveat, again, "", BUSY, environ, AT_EMPTY_PATH);
    return 4;
}

/* Written and executed below a folder that it may write to. */
static int elsewhere(char **arguments) {
    if (chdir(arguments[1]))
        return 3;
    unlink("copy");
    return copied(arguments);
}

static int foreign(char **arguments) {
    execv(arguments[0], BUSY);
    return 3;
}

static int foreign_headless(char **arguments) {
    execl(arguments[0], "unseen", "headless", (char *)NULL);
    return 3;
}

/* Several at once, without a wait. */
static int brood(char **arguments) {
    signal(SIGCHLD, SIG_IGN);
    for (int count = 0; count < 3; count++)
        if (fork() == 0)
            _exit(foreign(arguments));
    for (;;)
        pause();
}

/* One after another, each short-lived and reaped automatically. */
static int chain(char **arguments) {
    struct sigaction reaped_by_itself = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    if (arguments[2])
        sigaction(SIGCHLD, &reaped_by_itself, NULL);
    else
        signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int gate[2];
        char byte;
        if (pipe(gate))
            return 3;
        if (fork() == 0) {
            execl(arguments[0], "unseen", "brief", arguments[1], (char *)NULL);
            _exit(3);
        }
        close(gate[1]);
        while (read(gate[0], &byte, 1) > 0) {
        }
        close(gate[0]);
    }
}

/* Each starts the next one before it works. All but the first are orphans of orphans. */
static int relay(char **arguments) {
    signal(SIGCHLD, SIG_IGN);
    pid_t first = getpid();
    for (;;) {
        pid_t next = fork();
        if (next < 0)
            return 3;
        if (next > 0) {
            while (getpid() == first)
                pause();
            burn(atof(arguments[0]));
            _exit(0);
        }
        rest(atof(arguments[0]));
    }
}

/* Makes itself undumpable first, as a program may. */
static int closed_relay(char **arguments) {
    prctl(PR_SET_DUMPABLE, 0);
    return relay(arguments);
}

/* Works alone for a third of its time. */
static int late_relay(char **arguments) {
    burn(0.1);
    return relay(arguments);
}

static void *relay_of_thread(void *arguments) {
    relay(arguments);
    return NULL;
}

/* A thread other than the first starts the others, after both have worked. */
static int threads_relay(char **arguments) {
    pthread_t thread;
    burn(0.05);
    if (pthread_create(&thread, NULL, relay_of_thread, arguments))
        return 3;
    burn(0.05);
    pthread_join(thread, NULL);
    return 3;
}

static int foreign_relay(char **arguments) {
    signal(SIGCHLD, SIG_IGN);
    if (fork() == 0) {
        execl(arguments[0], "unseen", "relay", arguments[1], (char *)NULL);
        _exit(3);
    }
    for (;;)
        pause();
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {
        {"busy", busy},
        {"brief", brief},
        {"headless", spin_headless},
        {"copied", copied},
        {"by-descriptor", by_descriptor},
        {"linked", linked},
        {"memory-file", memory_file},
        {"elsewhere", elsewhere},
        {"foreign", foreign},
        {"foreign-headless", foreign_headless},
        {"brood", brood},
        {"chain", chain},
        {"relay", relay},
        {"closed-relay", closed_relay},
        {"late-relay", late_relay},
        {"threads-relay", threads_relay},
        {"foreign-relay", foreign_relay},
        {NULL, NULL},
    };
    return dispatch(modes, count, arguments);
}
