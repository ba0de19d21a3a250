/* Programs that use disk space where it is hard to detect. Each uses about 64 MiB, more than its limit, and waits a
   while. It succeeds only if that was not noticed. */
#include "misbehave.h"
#include <sys/socket.h>
#include <dirent.h>
#include <linux/openat2.h>
#include <sys/statfs.h>
#include <sys/xattr.h>

static char block[1 << 20];

static int wait_for_judgement(void) {
    rest(0.5);
    ESCAPED("64 MiB on disk");
    return 0;
}

/* The exit code if there is no space. Other failures prove nothing. */
static int full(void) {
    return errno == ENOSPC || errno == EOPNOTSUPP ? 3 : 4;
}

static int filled(const char *name, int flags, size_t bytes) {
    int file = open(name, flags | O_RDWR, 0600);
    ssize_t written;
    for (size_t done = 0; file >= 0 && done < bytes; done += (size_t)written)
        if ((written = write(file, block, sizeof block)) < 0)
            return -1;
    return file;
}

/* A tree with more entries than a watcher may want to store. */
static int folders(char **arguments) {
    (void)arguments;
    char name[32];
    for (int count = 0; count < 70; count++) {
        snprintf(name, sizeof name, "%d", count);
        if (mkdir(name, 0700))
            return full();
    }
    for (int count = 0; count < 70; count++) {
        snprintf(name, sizeof name, "%d/file", count);
        int file = filled(name, O_CREAT, MIB);
        if (file < 0)
            return full();
        close(file);
    }
    return wait_for_judgement();
}

static int small_files(char **arguments) {
    (void)arguments;
    char name[32];
    for (int count = 0; count < 157000; count++) {
        snprintf(name, sizeof name, "%d", count);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file < 0 || write(file, "x", 1) != 1)
            return full();
        close(file);
    }
    return wait_for_judgement();
}

/* Empty files and folders. */
static int empty_folders(char **arguments) {
    (void)arguments;
    char name[32];
    for (int count = 0; count < 100000; count++) {
        snprintf(name, sizeof name, "%d", count);
        if (mkdir(name, 0700))
            return full();
    }
    return wait_for_judgement();
}

/* A folder that is writable and searchable, but not readable. */
static int unlisted(char **arguments) {
    (void)arguments;
    umask(0);
    if (mkdir("closed", 0300) || chdir("closed"))
        return full();
    char name[32];
    for (int count = 0; count < 64; count++) {
        snprintf(name, sizeof name, "%d", count);
        int file = filled(name, O_CREAT, MIB);
        if (file < 0)
            return full();
        close(file);
    }
    return wait_for_judgement();
}

static int hold_deleted(void) {
    for (int count = 0; count < 64; count++)
        if (filled("nameless", O_CREAT, MIB) < 0 || unlink("nameless"))
            return full();
    return wait_for_judgement();
}

/* A process that others may not inspect. */
static int undumpable(char **arguments) {
    (void)arguments;
    prctl(PR_SET_DUMPABLE, 0);
    return hold_deleted();
}

/* Held at paths longer than the kernel reports. */
static int out_of_sight(char **arguments) {
    (void)arguments;
    char name[201];
    memset(name, 'd', 200);
    name[200] = 0;
    for (int depth = 0; depth < 25; depth++)
        if (mkdir(name, 0700) || chdir(name))
            return full();
    return hold_deleted();
}

static int never_named(char **arguments) {
    (void)arguments;
    for (int count = 0; count < 64; count++)
        if (filled(".", O_TMPFILE, MIB) < 0)
            return full();
    return wait_for_judgement();
}

/* Only mapped in memory: no descriptor holds them. */
static int mapped(char **arguments) {
    (void)arguments;
    for (int count = 0; count < 64; count++) {
        int file = filled("nameless", O_CREAT, MIB);
        if (file < 0 || unlink("nameless") || mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED)
            return full();
        close(file);
    }
    return wait_for_judgement();
}

/* In transit between sockets that no process holds. */
static int in_flight(char **arguments) {
    (void)arguments;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return full();
    for (int count = 0; count < 64; count++) {
        int file = filled("nameless", O_CREAT, MIB);
        if (file < 0 || unlink("nameless"))
            return full();
        char byte = 'x', control[CMSG_SPACE(sizeof file)] = {0};
        struct iovec piece = {&byte, 1};
        struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(header), &file, sizeof file);
        if (sendmsg(ends[0], &message, MSG_DONTWAIT) != 1)
            return errno == EPERM ? 3 : full();
        close(file);
    }
    return wait_for_judgement();
}

static volatile int outcome = -1;

static int in_own_table(void *unused) {
    (void)unused;
    outcome = hold_deleted();
    syscall(SYS_exit, 0);
    return 0;
}

/* A thread with its own descriptor table, which the process does not show. */
static int own_table(char **arguments) {
    (void)arguments;
    static char stack[1 << 18];
    int flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD;
    // Such threads may be forbidden.
    if (clone(in_own_table, stack + sizeof stack, flags, NULL) < 0)
        return errno == EPERM ? 3 : 4;
    while (outcome < 0)
        rest(0.01);
    return outcome;
}

static int by_children(char **arguments) {
    (void)arguments;
    for (int child = 0; child < 8; child++)
        if (fork() == 0) {
            char name[32];
            snprintf(name, sizeof name, "%d", child);
            for (int count = 0; count < 8; count++)
                if (filled(name, O_CREAT, MIB) < 0 || unlink(name))
                    _exit(full());
            rest(0.5);
            _exit(0);
        }
    int bad = 0;
    for (int status; wait(&status) > 0;)
        bad |= WEXITSTATUS(status);
    return bad ? bad : wait_for_judgement();
}

/* Finished before the first check. */
static int at_the_end(char **arguments) {
    (void)arguments;
    char name[32];
    for (int count = 0; count < 16; count++) {
        snprintf(name, sizeof name, "%d", count);
        if (filled(name, O_CREAT, MIB) < 0)
            return full();
    }
    return 0;
}

/* Normal behaviour that must stay within the limits. */
static int modest(char **arguments) {
    (void)arguments;
    int ends[2];
    char name[64];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || mkdir("sub", 0700) || mkdir("sub/sub", 0700))
        return 3;
    for (int count = 0; count < 1000; count++) {
        snprintf(name, sizeof name, "sub/%d", count);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file < 0)
            return 4;
        close(file);
    }
    for (int count = 0; count < 4; count++) {
        int file = filled("scratch", O_CREAT, MIB);
        if (file < 0 || mmap(NULL, MIB, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED || unlink("scratch"))
            return 5;
    }
    rest(0.2);
    puts("done");
    return 0;
}

/* Any difference from one run to the next is shared state. */
static int recall(char **arguments) {
    (void)arguments;
    struct stat folder;
    DIR *entries = opendir(".");
    int count = 0;
    while (entries && readdir(entries))
        count++;
    if (stat(".", &folder) || !entries)
        return 3;
    printf("%d entries, mode %o, %ld bytes, %ld attributes\n", count, folder.st_mode, (long)folder.st_size,
           (long)listxattr(".", NULL, 0));
    return 0;
}

/* With its own file system, it can check more. */
static int recall_all(char **arguments) {
    struct stat file;
    struct statfs disk;
    int fresh = open("fresh", O_CREAT | O_RDWR, 0600);
    if (fresh < 0 || fstat(fresh, &file) || statfs(".", &disk) || unlink("fresh"))
        return 3;
    printf("%ld free, %ld files, number %ld, ", (long)disk.f_bfree, (long)disk.f_ffree, (long)file.st_ino);
    return recall(arguments);
}

/* Leaves traces, one kind for each number, some without modifying the folder, and continues for a number of
   milliseconds. */
static int leave(char **arguments) {
    struct open_how nameless = {.flags = O_TMPFILE | O_RDWR, .mode = 0600};
    rest(atof(arguments[1]) / 1e3);
    switch (atoi(arguments[0])) {
    case 0:
        open("left", O_CREAT | O_WRONLY, 0600);
        break;
    case 1:
        mkdir("left", 0700);
        rmdir("left");
        break;
    case 2:
        for (int count = 0; count < 5; count++)
            close(open(".", O_TMPFILE | O_RDWR, 0600));
        for (int count = 0; count < 5; count++)
            close((int)syscall(SYS_openat2, AT_FDCWD, ".", &nameless, sizeof nameless));
        break;
    case 3:
        setxattr(".", "user.left", "x", 1, 0);
        // If that is refused, it leaves something else.
        if (chmod(".", 0750))
            mkdir("left", 0700);
        break;
    }
    return 0;
}

static void *nothing(void *unused) {
    return unused;
}

/* Prints the folder's mount without modifying the folder: alone, briefly or not, with a thread, or with a child. */
static int mounted(char **arguments) {
    enum { MNT_ID_UNIQUE = 0x4000 };
    struct statx folder;
    pthread_t thread;
    pid_t child;
    if (statx(AT_FDCWD, ".", 0, MNT_ID_UNIQUE, &folder))
        return 3;
    printf("%llu\n", folder.stx_mask & MNT_ID_UNIQUE ? (unsigned long long)folder.stx_mnt_id : 0);
    switch (atoi(arguments[0])) {
    case 1:
        rest(0.02);
        return 0;
    case 2:
        return pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL) ? 3 : 0;
    case 3:
        if ((child = fork()) == 0)
            _exit(0);
        return waitpid(child, NULL, 0) != child;
    }
    return 0;
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {
        {"folders", folders},         {"small-files", small_files}, {"empty-folders", empty_folders},
        {"unlisted", unlisted},       {"undumpable", undumpable},   {"out-of-sight", out_of_sight},
        {"never-named", never_named}, {"mapped", mapped},           {"in-flight", in_flight},
        {"own-table", own_table},     {"by-children", by_children}, {"at-the-end", at_the_end},
        {"modest", modest},           {"recall", recall},           {"recall-all", recall_all},   {"leave", leave},
        {"mounted", mounted},
        {NULL, NULL},
    };
    return dispatch(modes, count, arguments);
}
