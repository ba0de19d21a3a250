/* Programs that allocate memory in all the ways a kernel provides. */
#include "misbehave.h"
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>

static char block[1 << 20];
static char untouched[(size_t)1 << 30];

static int heap(char **arguments) {
    (void)arguments;
    for (;;) {
        char *more = malloc(MIB);
        if (!more)
            return 3;
        memset(more, 1, MIB);
    }
}

/* Under a name that is not valid text. */
static int unspeakable(char **arguments) {
    prctl(PR_SET_NAME, "\xd1\x80\xd0\xb5\xff", 0, 0, 0);
    return heap(arguments);
}

static int at_once(char **arguments) {
    (void)arguments;
    char *all = malloc(8192 * MIB);
    if (!all)
        return 3;
    for (size_t at = 0; at < 8192 * MIB; at += 4096)
        all[at] = 1;
    ESCAPED("8 GiB");
    return 0;
}

static int grow(char **arguments) {
    (void)arguments;
    for (;;) {
        char *more = sbrk((long)MIB);
        if (more == (void *)-1)
            return 3;
        memset(more, 1, MIB);
    }
}

static int map(int flags) {
    for (int count = 0; count < 4096; count++) {
        char *more = mmap(NULL, MIB, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED)
            return 3;
        memset(more, 1, MIB);
        if (flags & MAP_SHARED)
            munmap(more + 4096, 0);
    }
    ESCAPED("4 GiB mapped");
    return 0;
}

static int mapped(char **arguments) {
    (void)arguments;
    return map(MAP_PRIVATE);
}

static int mapped_shared(char **arguments) {
    (void)arguments;
    return map(MAP_SHARED);
}

static int fill(int file) {
    if (file < 0)
        return 3;
    memset(block, 1, sizeof block);
    for (int count = 0; count < 4096; count++)
        if (write(file, block, sizeof block) != (ssize_t)sizeof block)
            return 3;
    ESCAPED("4 GiB written");
    return 0;
}

static void *map_in_thread(void *unused) {
    _exit(map(MAP_PRIVATE));
    return unused;
}

/* The first thread has ended, and with it the process's size as most tools read it. */
static int headless(char **arguments) {
    (void)arguments;
    pthread_t thread;
    if (pthread_create(&thread, NULL, map_in_thread, NULL))
        return 3;
    pthread_exit(NULL);
}

static int memory_file(char **arguments) {
    (void)arguments;
    return fill((int)syscall(SYS_memfd_create, "x", 0));
}

static int files(char **arguments) {
    char name[200];
    memset(block, 1, sizeof block);
    for (int count = 0; count < 4096; count++) {
        snprintf(name, sizeof name, "%s/%d", arguments[0], count);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file < 0)
            return 3;
        for (int piece = 0; piece < 4; piece++)
            if (write(file, block, sizeof block) != (ssize_t)sizeof block)
                return 3;
        close(file);
    }
    ESCAPED("16 GiB of files");
    return 0;
}

static int one_file(char **arguments) {
    return fill(open(arguments[0], O_CREAT | O_WRONLY, 0600));
}

/* Unnamed files, which no folder shows. */
static int deleted_files(char **arguments) {
    (void)arguments;
    memset(block, 1, sizeof block);
    for (int count = 0; count < 900; count++) {
        int file = open("nameless", O_CREAT | O_WRONLY, 0600);
        if (file < 0 || unlink("nameless"))
            return 3;
        for (int piece = 0; piece < 4; piece++)
            if (write(file, block, sizeof block) != (ssize_t)sizeof block)
                return 3;
    }
    ESCAPED("3.5 GiB of deleted files");
    return 0;
}

static int mapped_files(char **arguments) {
    (void)arguments;
    char name[32];
    for (int count = 0; count < 1024; count++) {
        snprintf(name, sizeof name, "%d", count);
        int file = open(name, O_CREAT | O_RDWR, 0600);
        if (file < 0 || ftruncate(file, 4 * MIB))
            return 3;
        char *place = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (place == MAP_FAILED)
            return 3;
        memset(place, 1, 4 * MIB);
        munmap(place, 4 * MIB);
        close(file);
    }
    ESCAPED("4 GiB of mapped files");
    return 0;
}

/* Requests all pages in one call and locks them. */
static int populated(char **arguments) {
    (void)arguments;
    mlockall(MCL_CURRENT | MCL_FUTURE);
    char *all = mmap(NULL, 1024 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (all == MAP_FAILED)
        return 3;
    memset(all, 1, 1024 * MIB);
    ESCAPED("1 GiB populated");
    return 0;
}

static int sockets(char **arguments) {
    (void)arguments;
    long filled = 0;
    for (int ends[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;) {
        int size = 64 << 20;
        setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        for (ssize_t written; (written = write(ends[0], block, sizeof block)) > 0;)
            filled += written;
        if (filled > (long)(1024 * MIB)) {
            ESCAPED("1 GiB in sockets");
            return 0;
        }
    }
    return 0;
}

/* Timers that never fire, which use kernel memory. */
static int timers(char **arguments) {
    (void)arguments;
    struct sigevent nothing = {.sigev_notify = SIGEV_NONE};
    timer_t timer;
    long count = 0;
    while (count < 20000 && timer_create(CLOCK_MONOTONIC, &nothing, &timer) == 0)
        count++;
    if (count >= 20000)
        ESCAPED("%ld timers", count);
    puts("done");
    return 0;
}

static int sparse(char **arguments) {
    (void)arguments;
    int file = open("sparse", O_CREAT | O_RDWR, 0600);
    if (file < 0 || ftruncate(file, (off_t)1 << 42))
        return 3;
    ESCAPED("a file of 4 TiB");
    return 0;
}

static int segments(char **arguments) {
    (void)arguments;
    for (int count = 0; count < 64; count++) {
        int segment = shmget(IPC_PRIVATE, 64 * MIB, IPC_CREAT | 0600);
        if (segment < 0)
            return 3;
        char *place = shmat(segment, NULL, 0);
        if (place == (void *)-1)
            return 3;
        memset(place, 1, 64 * MIB);
        shmdt(place);
    }
    ESCAPED("4 GiB in segments");
    return 0;
}

static int pipes(char **arguments) {
    (void)arguments;
    long filled = 0;
    for (int ends[2]; pipe(ends) == 0;) {
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        ssize_t written = write(ends[1], block, sizeof block);
        filled += written > 0 ? written : 0;
        if (filled > (long)(1024 * MIB)) {
            ESCAPED("1 GiB in pipes");
            return 0;
        }
    }
    return 0;
}

static int spike(char **arguments) {
    size_t size = (size_t)atol(arguments[0]) * MIB;
    char *all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return 3;
    memset(all, 1, size);
    munmap(all, size);
    puts("done");
    return 0;
}

static int reserve(char **arguments) {
    (void)arguments;
    char *all = mmap(NULL, (size_t)64 << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED || mprotect(all, 16 * MIB, PROT_READ | PROT_WRITE))
        return 3;
    memset(all, 1, 16 * MIB);
    puts("done");
    return 0;
}

static int unused(char **arguments) {
    (void)arguments;
    untouched[12345] = 1;
    puts("done");
    return 0;
}

static int descend(int depth) {
    volatile char frame[4096];
    frame[depth % 4096] = (char)depth;
    return descend(depth + 1) + frame[0];
}

static int recursion(char **arguments) {
    (void)arguments;
    return descend(0);
}

static int deep_stack(char **arguments) {
    (void)arguments;
    volatile char frame[64 << 20];
    for (size_t at = sizeof frame; at >= 4096; at -= 4096)
        frame[at - 1] = 1;
    puts("done");
    return 0;
}

static int children(char **arguments) {
    (void)arguments;
    for (int count = 0; count < 8; count++)
        if (fork() == 0) {
            char *more = malloc(64 * MIB);
            if (more)
                memset(more, 1, 64 * MIB);
            rest(1);
            _exit(0);
        }
    int status, bad = 0;
    while (wait(&status) > 0)
        bad |= status;
    return bad ? 3 : 0;
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {
        {"heap", heap},         {"at-once", at_once},         {"grow", grow},
        {"mapped", mapped},     {"mapped-shared", mapped_shared}, {"memory-file", memory_file},
        {"files", files},       {"one-file", one_file},       {"sparse", sparse},
        {"segments", segments}, {"pipes", pipes},             {"spike", spike},
        {"reserve", reserve},   {"unused", unused},           {"recursion", recursion},
        {"deep-stack", deep_stack}, {"children", children},     {"unspeakable", unspeakable},
        {"deleted-files", deleted_files}, {"mapped-files", mapped_files}, {"populated", populated},
        {"sockets", sockets},   {"headless", headless},       {"timers", timers},           {NULL, NULL},
    };
    return dispatch(modes, count, arguments);
}
