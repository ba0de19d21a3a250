/* Programs that try to escape through files, the network, kernel interfaces and privileges. */
#include "misbehave.h"
#include <dirent.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/xattr.h>
#include <utime.h>

static void try_read(const char *path) {
    char byte;
    int file = open(path, O_RDONLY | O_NONBLOCK);
    if (file >= 0 && read(file, &byte, 1) == 1)
        ESCAPED("read %s", path);
}

static int secrets(char **arguments) {
    static const char *const known[] = {
        "/etc/shadow", "/etc/passwd", "/etc/ssh/sshd_config", "/root/.bashrc", "/proc/1/environ", "/proc/1/maps",
        "/proc/kallsyms", "/proc/kcore", "/proc/kmsg", "/proc/mounts", "/proc/net/tcp", "/proc/sys/kernel/hostname",
        "/sys/class/dmi/id/product_name", "/dev/mem", "/dev/vda", "/dev/sda", "/var/log/dpkg.log", "/boot/config",
        "../../../../../../../../../../../../etc/passwd", "/proc/self/root/etc/passwd", "/proc/self/cwd/../../etc/passwd",
    };
    for (unsigned which = 0; which < sizeof known / sizeof *known; which++)
        try_read(known[which]);
    for (; *arguments; arguments++)
        try_read(*arguments);
    return 0;
}

/* The arguments are a file and a folder of another user. */
static int meddle(char **arguments) {
    const char *file = arguments[0], *folder = arguments[1];
    char path[512];
    snprintf(path, sizeof path, "%s/new", folder);
    if (open(path, O_CREAT | O_WRONLY, 0600) >= 0)
        ESCAPED("created a file");
    if (mkdir(path, 0700) == 0)
        ESCAPED("created a folder");
    if (symlink("/", path) == 0 || mkfifo(path, 0600) == 0 || link(file, path) == 0)
        ESCAPED("created a link");
    if (open(file, O_WRONLY) >= 0 || open(file, O_RDONLY | O_TRUNC) >= 0 || truncate(file, 0) == 0)
        ESCAPED("opened for writing");
    if (unlink(file) == 0 || rename(file, path) == 0 || rmdir(folder) == 0)
        ESCAPED("removed");
    if (chmod(file, 0) == 0 || chmod(folder, 0) == 0 || chown(file, getuid(), getgid()) == 0)
        ESCAPED("changed mode or owner");
    if (utime(file, NULL) == 0 || setxattr(file, "user.x", "x", 1, 0) == 0)
        ESCAPED("changed times or attributes");
    return 0;
}

static int privileges(char **arguments) {
    (void)arguments;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        ESCAPED("new privileges are allowed");
    struct {
        unsigned version;
        int pid;
    } header = {0x20080522, 0};
    struct {
        unsigned effective, permitted, inheritable;
    } sets[2] = {{0, 0, 0}, {0, 0, 0}};
    syscall(SYS_capget, &header, sets);
    if (sets[0].effective | sets[0].permitted | sets[1].effective | sets[1].permitted)
        ESCAPED("capabilities");
    if (setuid(0) == 0 && getuid() != 0)
        ESCAPED("root");
    if (getuid() == 0)
        ESCAPED("runs as root");
    if (setgid(0) == 0 && getgid() != 0)
        ESCAPED("root's group");
    if (setpriority(PRIO_PROCESS, 0, -5) == 0)
        ESCAPED("priority");
    struct sched_param first = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO, &first) == 0)
        ESCAPED("real time");
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    if (sched_setaffinity(0, sizeof all, &all) == 0)
        ESCAPED("other cores");
    for (int resource = 0; resource < RLIM_NLIMITS; resource++) {
        struct rlimit limit;
        if (getrlimit(resource, &limit) || limit.rlim_max == RLIM_INFINITY)
            continue;
        rlim_t before = limit.rlim_max++;
        if (setrlimit(resource, &limit) == 0 && getrlimit(resource, &limit) == 0 && limit.rlim_max > before)
            ESCAPED("a higher limit %d", resource);
    }
    /* With 0, a crash starts the machine's program for core dumps. */
    struct rlimit none = {0, 0}, core;
    if (getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_cur != 0 &&
        (core.rlim_cur != 1 || setrlimit(RLIMIT_CORE, &none) || getrlimit(RLIMIT_CORE, &core) || core.rlim_cur != 1))
        ESCAPED("core dumps");
    int score = open("/proc/self/oom_score_adj", O_WRONLY);
    if (score >= 0 && write(score, "-1000", 5) == 5)
        ESCAPED("spared by the OOM killer");
    return 0;
}

static int walls(char **arguments) {
    (void)arguments;
    static const int kinds[] = {0x10000000, 0x20000000, 0x00020000, 0x40000000, 0x08000000, 0x04000000, 0x02000000};
    for (int which = 0; which < 7; which++) {
        if (unshare(kinds[which]) == 0)
            ESCAPED("a namespace %x", kinds[which]);
        long child = syscall(SYS_clone, kinds[which] | SIGCHLD, 0, 0, 0, 0);
        if (child == 0)
            _exit(0);
        if (child > 0)
            ESCAPED("a child in a namespace %x", kinds[which]);
    }
    struct {
        unsigned long flags, rest[10];
    } request = {0x10000000, {0}};
    request.rest[3] = SIGCHLD;
    long child = syscall(SYS_clone3, &request, 88);
    if (child == 0)
        _exit(0);
    if (child > 0)
        ESCAPED("clone3 with a namespace");
    if (mount("none", "/", "tmpfs", 0, NULL) == 0 || umount2("/proc", MNT_DETACH) == 0 || chroot(".") == 0)
        ESCAPED("mounts");
    if (syscall(SYS_pivot_root, ".", ".") == 0 || syscall(SYS_fsopen, "tmpfs", 0) >= 0)
        ESCAPED("new mounts");
    if (sethostname("x", 1) == 0)
        ESCAPED("host name");
    struct timeval now = {0, 0};
    struct timespec then = {0, 0};
    struct timex nothing = {.modes = ADJ_OFFSET};
    if (settimeofday(&now, NULL) == 0 || clock_settime(CLOCK_REALTIME, &then) == 0 || adjtimex(&nothing) >= 0)
        ESCAPED("time");
    return 0;
}

static int kernel(char **arguments) {
    (void)arguments;
    char buffer[256];
    memset(buffer, 0, sizeof buffer);
    if (syscall(SYS_io_uring_setup, 4, buffer) >= 0)
        ESCAPED("io_uring");
    if (syscall(SYS_add_key, "user", "x", "x", 1, -3) >= 0 || syscall(SYS_keyctl, 0, -3, 1) >= 0)
        ESCAPED("keys");
    if (syscall(SYS_bpf, 0, buffer, 72) >= 0 || syscall(SYS_perf_event_open, buffer, 0, -1, -1, 0) >= 0)
        ESCAPED("bpf or perf");
    if (syscall(SYS_userfaultfd, 1) >= 0 || syscall(SYS_personality, 0x0040000) >= 0)
        ESCAPED("userfaultfd or personality");
    if (syscall(SYS_mq_open, "/x", O_CREAT, 0600, NULL) >= 0 || syscall(SYS_msgget, 0, 01600) >= 0 ||
        syscall(SYS_semget, 0, 1, 01600) >= 0)
        ESCAPED("queues or semaphores");
    if (syscall(SYS_init_module, buffer, 0, "") == 0 || syscall(SYS_reboot, 0, 0, 0, NULL) == 0)
        ESCAPED("modules or reboot");
    if (syscall(SYS_name_to_handle_at, AT_FDCWD, "/", buffer, buffer + 200, 0) == 0)
        ESCAPED("file handles");
    /* The two numbers before 337 belong to kernel probes, which bypass filters. */
    for (long number = 337; number < 700; number++)
        if ((number < 424 || number > 469 || number == 467) && (syscall(number, -1, 0, 0, 0, 0) != -1 || errno != ENOSYS))
            ESCAPED("call %ld, which does not exist", number);
    if (syscall(SYS_inotify_init1, 0) >= 0 || syscall(SYS_fanotify_init, 0x200, 0) >= 0)
        ESCAPED("watches the system's files");
    if (syscall(451 /* cachestat */, 0, buffer, buffer + 100, 0) == 0)
        ESCAPED("what others have read");
#ifdef __x86_64__
    if (syscall(SYS_inotify_init) >= 0)
        ESCAPED("watches the system's files");
    if (syscall(0x40000000 | 39) > 0)
        ESCAPED("x32");
    long number = 20;
    __asm__ volatile("int $0x80" : "+a"(number)::"memory");
    if (number > 0)
        ESCAPED("int 0x80");
#endif
    char typed = 'x';
    for (int stream = 0; stream < 3; stream++)
        if (ioctl(stream, TIOCSTI, &typed) == 0)
            ESCAPED("typed");
    if (open("/dev/tty", O_RDWR) >= 0 || open("/dev/console", O_RDWR) >= 0)
        ESCAPED("terminal");
    return 0;
}

/* The initial state of a program must contain nothing of the judge's. */
static int inherited(char **arguments) {
    (void)arguments;
    extern char **environ;
    for (char **entry = environ; *entry; entry++)
        if (strcmp(*entry, "GIVEN=yes"))
            ESCAPED("environment: %s", *entry);
    if (!getenv("GIVEN"))
        return 4;
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            ESCAPED("descriptor %d", fd);
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int number = 1; number < 65; number++) {
        struct sigaction action;
        if (sigismember(&mask, number) == 1)
            ESCAPED("signal %d is blocked", number);
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
            ESCAPED("signal %d is not as usual", number);
    }
    if (umask(0) != 022)
        ESCAPED("umask");
    char where[4096];
    if (!getcwd(where, sizeof where))
        ESCAPED("no working folder");
    DIR *folder = opendir(".");
    int entries = 0;
    while (folder && readdir(folder))
        entries++;
    if (entries != 2)
        ESCAPED("the working folder has %d entries", entries - 2);
    FILE *note = fopen("note", "w");
    if (!note || fputs("x", note) < 0 || fclose(note))
        return 5;
    if (getsid(0) != getpid())
        ESCAPED("another session");
    puts("done");
    return 0;
}

/* Leaves something beside its folder or in a place that outlives the run. */
static int outside(char **arguments) {
    (void)arguments;
    mkdir("mine", 0700);
    if (rename("mine", "../mine") == 0 || link("/usr/bin/env", "env") == 0 || symlink("x", "../link") == 0)
        ESCAPED("moved or linked something out or in");
    if (chmod("..", 0777) == 0 || rename(".", "../other") == 0 || rmdir("../box") == 0)
        ESCAPED("changed the folder above");
    static const char *const files[] = {"../file", "/var/tmp/file", "/run/lock/file", "/dev/file", "/file", "/etc/file"};
    for (int which = 0; which < 6; which++)
        if (open(files[which], O_CREAT | O_WRONLY, 0600) >= 0)
            ESCAPED("created %s", files[which]);
    open("/tmp/misbehave-left", O_CREAT | O_WRONLY, 0600);
    open("/dev/shm/misbehave-left", O_CREAT | O_WRONLY, 0600);
    return 0;
}

/* Its limits are set in files that it must not see. */
static int control_groups(char **arguments) {
    (void)arguments;
    static const char *const files[] = {
        "/sys/fs/cgroup", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/unified/cgroup.procs", "/sys", "/proc/1/cgroup",
        "/proc/sys/kernel/pid_max", "/proc/sysrq-trigger",
    };
    for (unsigned which = 0; which < sizeof files / sizeof *files; which++)
        if (open(files[which], O_RDONLY) >= 0 || open(files[which], O_WRONLY) >= 0)
            ESCAPED("opened %s", files[which]);
    return 0;
}

/* Its input may be another user's file. */
static int input(char **arguments) {
    (void)arguments;
    int again = open("/proc/self/fd/0", O_RDWR);
    write(again, "changed", 7);
    ftruncate(again, 0);
    write(0, "changed", 7);
    ftruncate(0, 0);
    fchmod(0, 0777);
    fchown(0, getuid(), getgid());
    futimens(0, NULL);
    fsetxattr(0, "user.changed", "x", 1, 0);
    open("/dev/stdin", O_WRONLY | O_TRUNC);
    chmod("/proc/self/fd/0", 0777);
    return 0;
}

static int traps(char **arguments) {
    (void)arguments;
    int bad = symlink("/etc/passwd", "output") | mkfifo("answer", 0600) | mkdir("closed", 0) | symlink(".", "loop");
    bad |= mkdir("line\nbreak\xff", 0700) | mkdir("line\nbreak\xff/-rf *", 0700) | mkdir("shut", 0700);
    bad |= mkdir("shut/inner", 0700) | mkdir("shut/inner/most", 0);
    chmod("shut/inner", 0);
    chmod("shut", 0);
    int hole = open("hole", O_CREAT | O_WRONLY, 0);
    bad |= hole < 0;
    chmod(".", 0);
    return bad ? 3 : 0;
}

static int deep(char **arguments) {
    int depth = 0;
    for (; depth < atoi(arguments[0]); depth++)
        if (mkdir("d", 0700) || chdir("d"))
            break;
    printf("%d\n", depth);
    return 0;
}

static int crowd(char **arguments) {
    char name[32];
    int count = 0;
    for (; count < atoi(arguments[0]); count++) {
        snprintf(name, sizeof name, "%d", count);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file < 0)
            break;
        close(file);
    }
    printf("%d\n", count);
    return 0;
}

static int descriptors(char **arguments) {
    (void)arguments;
    int count = 0;
    while (dup(1) >= 0 && count < 100000)
        count++;
    if (count >= 100000)
        ESCAPED("%d descriptors", count);
    return 0;
}

static int setuid_programs(char **arguments) {
    (void)arguments;
    execl("/bin/su", "su", "-c", "echo ESCAPED su", (char *)NULL);
    execl("/usr/bin/su", "su", "-c", "echo ESCAPED su", (char *)NULL);
    return 0;
}

static int overwrite(char **arguments) {
    (void)arguments;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", getppid());
    if (open("/proc/self/exe", O_WRONLY) >= 0 || open(path, O_WRONLY) >= 0 || open(path, O_PATH) >= 0)
        ESCAPED("the executable is writable");
    return 0;
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {
        {"secrets", secrets},     {"meddle", meddle},   {"privileges", privileges},
        {"walls", walls},         {"kernel", kernel},   {"inherited", inherited}, {"traps", traps},
        {"deep", deep},           {"crowd", crowd},     {"descriptors", descriptors},
        {"setuid", setuid_programs}, {"overwrite", overwrite}, {"outside", outside},
        {"control-groups", control_groups}, {"input", input},   {NULL, NULL},
    };
    return dispatch(modes, count, arguments);
}
