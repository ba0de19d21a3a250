/* Programs whose processes share memory, legitimately or to hide it from every process's size. */
#include "misbehave.h"
#include <sys/socket.h>

static char *piece(size_t size) {
    char *place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return place == MAP_FAILED ? NULL : place;
}

/* Children that only read memory inherited from their parent, which exists once. */
static int copies(char **arguments) {
    size_t size = (size_t)atol(arguments[0]) * MIB;
    char *all = malloc(size);
    if (!all)
        return 3;
    memset(all, 1, size);
    for (int child = 0; child < 4; child++)
        if (fork() == 0) {
            long sum = 0;
            for (int round = 0; round < 3; round++, rest(0.05))
                for (size_t at = 0; at < size; at += 4096)
                    sum += all[at];
            _exit(sum != 3 * (long)(size / 4096));
        }
    int status, bad = 0;
    while (wait(&status) > 0)
        bad |= status;
    puts(bad ? "bad" : "done");
    return 0;
}

/* Shared memory between processes, in pieces of normal size. */
static int pieces(char **arguments) {
    size_t size = (size_t)atol(arguments[0]) * MIB;
    char *all = piece(size);
    if (!all)
        return 3;
    for (int child = 0; child < 4; child++)
        if (fork() == 0) {
            memset(all + (size_t)child * size / 4, 1, size / 4);
            rest(0.05);
            _exit(0);
        }
    while (wait(NULL) > 0) {
    }
    rest(0.05);
    for (size_t at = 0; at < size; at++)
        if (all[at] != 1)
            return 4;
    puts("done");
    return 0;
}

/* One piece after another from several processes in turn, never much at once. */
static int again(char **arguments) {
    (void)arguments;
    for (int child = 0; child < 3; child++)
        if (fork() == 0) {
            for (int round = 0; round < 100; round++) {
                char *place = piece(4 * MIB);
                if (!place)
                    _exit(5);
                memset(place, 1, 4 * MIB);
                munmap(place, 4 * MIB);
            }
            _exit(0);
        }
    int status, bad = 0;
    while (wait(&status) > 0)
        bad |= status;
    puts(bad ? "bad" : "done");
    return 0;
}

/* A child that shares its parent's memory until it ends. */
static int vforked(char **arguments) {
    (void)arguments;
    char *all = malloc(60 * MIB);
    if (!all)
        return 3;
    memset(all, 1, 60 * MIB);
    for (int child = 0; child < 3; child++)
        if (vfork() == 0) {
            rest(0.05);
            _exit(0);
        }
    while (wait(NULL) > 0) {
    }
    puts("done");
    return 0;
}

/* Connections to children, as scripting languages create them. */
static int connections(char **arguments) {
    (void)arguments;
    char *all = malloc(30 * MIB);
    if (!all)
        return 3;
    memset(all, 1, 30 * MIB);
    int ends[2], bytes = 0;
    char byte;
    for (int child = 0; child < 8; child++)
        for (int stream = 0; stream < 3; stream++) {
            if (stream == 0 ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends))
                return 4;
            bytes += write(ends[1], "x", 1) == 1 && read(ends[0], &byte, 1) == 1;
        }
    rest(0.1);
    puts(bytes == 24 ? "done" : "bad");
    return 0;
}

/* Touched by a child that has ended. */
static void touch_by_proxy(void) {
    char *place = piece(40 * MIB);
    for (size_t at = 0; place && at < 40 * MIB; at += 4 * MIB) {
        if (fork() == 0) {
            memset(place + at, 1, 4 * MIB);
            _exit(0);
        }
        wait(NULL);
    }
}

/* One page of each remains mapped and keeps the others alive. */
static void trim(void) {
    for (int count = 0; count < 10; count++) {
        char *place = piece(4 * MIB);
        if (!place)
            return;
        memset(place, 1, 4 * MIB);
        munmap(place + 4096, 4 * MIB - 4096);
    }
}

static void forget(void) {
    char *place = piece(40 * MIB);
    for (size_t at = 0; place && at < 40 * MIB; at += 4 * MIB) {
        memset(place + at, 1, 4 * MIB);
        madvise(place + at, 4 * MIB, MADV_DONTNEED);
    }
}

/* The same from the device, which needs no flag. */
static void map_zeroes(void) {
    int device = open("/dev/zero", O_RDWR);
    for (int count = 0; count < 25; count++) {
        char *place = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
        if (place == MAP_FAILED)
            return;
        memset(place, 1, 4 * MIB);
        munmap(place + 4096, 4 * MIB - 4096);
    }
}

static char *ballast;

/* Until it is modified, it exists once. */
static void change_all(void) {
    memset(ballast, 2, 48 * MIB);
}

CREW(proxies, 12, touch_by_proxy)
CREW(trimmed, 12, trim)
CREW(forgotten, 12, forget)
CREW(zeroes, 6, map_zeroes)

static int changed(char **arguments) {
    (void)arguments;
    ballast = malloc(48 * MIB);
    memset(ballast, 1, 48 * MIB);
    return crew(12, change_all);
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {
        {"copies", copies},   {"pieces", pieces},   {"again", again},         {"vforked", vforked}, {"connections", connections},
        {"proxies", proxies}, {"trimmed", trimmed}, {"forgotten", forgotten}, {"zeroes", zeroes},   {"changed", changed},
        {NULL, NULL},
    };
    return dispatch(modes, count, arguments);
}
