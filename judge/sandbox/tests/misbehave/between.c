/* Programs that try to pass information to the next run through clocks, counters, memory and marks that outlive them. */
#include "misbehave.h"
#include <linux/fs.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { PAGES = 16, STEP = 2, BYTES = PAGES * STEP * 4096 };

/* The raw system calls, because the C library checks some arguments first. */
static long get_clock(clockid_t clock, struct timespec *time) {
    return syscall(SYS_clock_gettime, clock, time);
}

static clockid_t clock_of(int task, int kind) {
    return (clockid_t)((~(unsigned)task << 3) | (unsigned)kind);
}

/* Whether any call accepts the clock. */
static int is_known(clockid_t clock) {
    struct timespec time = {0, 0}, past = {0, 1};
    struct sigevent quiet = {.sigev_notify = SIGEV_NONE};
    int timer, known = get_clock(clock, &time) == 0;
    known |= syscall(SYS_clock_getres, clock, &time) == 0;
    if (syscall(SYS_timer_create, clock, &quiet, &timer) == 0)
        known |= 1 | (int)syscall(SYS_timer_delete, timer);
    return known | (syscall(SYS_clock_nanosleep, clock, TIMER_ABSTIME, &past, NULL) == 0);
}

static void *tell_thread(void *place) {
    *(volatile int *)place = (int)syscall(SYS_gettid);
    for (;;)
        pause();
}

/* The CPU time of processes and threads other than its own. */
static int clocks(char **arguments) {
    (void)arguments;
    volatile int thread_id = 0;
    pthread_t thread;
    int child = fork();
    if (child == 0)
        for (;;)
            pause();
    if (pthread_create(&thread, NULL, tell_thread, (void *)&thread_id))
        return 3;
    while (!thread_id)
        rest(0.001);
    int others[] = {1, getppid(), getppid() - 1, getppid() + 1, 2, 3, 4, 5};
    for (int which = 0; which < 8; which++)
        for (int kind = 0; kind < 8; kind++)
            if (others[which] > 0 && others[which] != getpid() && others[which] != child && others[which] != thread_id)
                if (is_known(clock_of(others[which], kind)))
                    ESCAPED("the clock of task %d, kind %d", others[which], kind);
    for (int descriptor = 0; descriptor < 3; descriptor++)
        if (is_known(clock_of(descriptor, 3)))
            ESCAPED("a clock behind descriptor %d", descriptor);
    /* A process's by its id, a thread's by its id, and both by 0. */
    clockid_t own[] = {clock_of(getpid(), 2), clock_of(thread_id, 6), clock_of(0, 2), clock_of(0, 6), clock_of(child, 2)};
    struct timespec time;
    for (int which = 0; which < 5; which++)
        if (get_clock(own[which], &time))
            ESCAPED("its own clock is refused: %d", which);
    clockid_t theirs;
    if (clock_getcpuclockid(getpid(), &theirs) || pthread_getcpuclockid(thread, &theirs))
        ESCAPED("the C library knows no clock of its own");
    for (clockid_t clock = 0; clock <= CLOCK_BOOTTIME; clock++)
        if (get_clock(clock, &time))
            ESCAPED("clock %d is refused", clock);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return 0;
}

static char *mapped(const char *path) {
    int file = open(path, O_RDONLY);
    char *pages = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (pages == MAP_FAILED)
        exit(3);
    madvise(pages, BYTES, MADV_RANDOM);
    return pages;
}

/* One bit per page: whether accessing it, without touching others, required a read from disk. */
static unsigned read_anew(const char *path) {
    char *pages = mapped(path);
    unsigned found = 0;
    for (int page = 0; page < PAGES; page++) {
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        (void)*(volatile char *)(pages + page * STEP * 4096);
        getrusage(RUSAGE_SELF, &after);
        if (after.ru_majflt != before.ru_majflt)
            found |= 1u << page;
    }
    return found;
}

/* Reads the pages of a file whose bits are set: "read BITS PATH". */
static int read_pages(char **arguments) {
    unsigned bits = (unsigned)atoi(arguments[0]);
    char *pages = mapped(arguments[1]);
    for (int page = 0; page < PAGES; page++)
        if (bits >> page & 1)
            (void)*(volatile char *)(pages + page * STEP * 4096);
    return 0;
}

/* The same, and stays: "hold BITS PATH". */
static int hold(char **arguments) {
    read_pages(arguments);
    for (;;)
        pause();
}

/* Ends while the kernel still reads a file: "ahead BYTES PATH". */
static int ahead(char **arguments) {
    size_t bytes = (size_t)atoi(arguments[0]);
    int file = open(arguments[1], O_RDONLY);
    return madvise(mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0), bytes, MADV_WILLNEED);
}

/* Says how many pages of a file are in memory: "resident BYTES PATH". */
static int resident(char **arguments) {
    static unsigned char pages[1 << 16];
    size_t bytes = (size_t)atoi(arguments[0]), count = 0;
    int file = open(arguments[1], O_RDONLY);
    if (mincore(mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0), bytes, pages))
        return 3;
    for (size_t page = 0; page < bytes / 4096; page++)
        count += pages[page] & 1;
    return printf("%zu", count) < 0;
}

/* Reads a page of a file after the time that the input says, in milliseconds; without an input, one page after another. */
static int linger(char **arguments) {
    char *pages = mapped(arguments[0]);
    struct pollfd input = {.fd = 0, .events = POLLIN};
    int time = -1;
    if (poll(&input, 1, 0) > 0 && scanf("%d", &time) == 1)
        rest(time / 1000.0);
    for (int page = 0; page < (time < 0 ? PAGES : 1); page++) {
        (void)*(volatile char *)(pages + page * STEP * 4096);
        rest(time < 0 ? 0.03 : 0);
    }
    return 0;
}

/* Says which pages of a file had to be read from a disk: "anew PATH". */
static int anew(char **arguments) {
    printf("%u", read_anew(arguments[0]));
    return 0;
}

static void throw_out(const char *path, unsigned bits) {
    static const int advice[] = {20 /* MADV_COLD */, 21 /* MADV_PAGEOUT */};
    int file = open(path, O_RDONLY), self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    char *pages = mapped(path);
    fsync(file);
    for (int page = 0; page < PAGES; page++)
        for (int which = 0; bits >> page & 1 && which < 2; which++) {
            struct iovec place = {pages + page * STEP * 4096, 4096};
            (void)*(volatile char *)place.iov_base;
            madvise(place.iov_base, 4096, advice[which]);
            syscall(SYS_process_madvise, self, &place, 1, advice[which], 0);
            posix_fadvise(file, page * STEP * 4096, 4096, POSIX_FADV_DONTNEED);
        }
}

/* The page cache of a file: which pages it contains, and how to change that. */
static int paging(char **arguments) {
    static const int advice[] = {12 /* MERGEABLE */, 20 /* COLD */, 21 /* PAGEOUT */, 25 /* COLLAPSE */, 26, 100, 101, 104};
    unsigned char resident[PAGES * STEP];
    unsigned long range[2] = {0, 0}, counts[5];
    int file = open(arguments[0], O_RDONLY), self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    char *pages = mapped(arguments[0]);
    for (int which = 0; which < 8; which++)
        if (madvise(pages, BYTES, advice[which]) == 0)
            ESCAPED("advice %d", advice[which]);
    struct iovec all = {pages, BYTES};
    if (syscall(SYS_process_madvise, self, &all, 1, 21, 0) > 0)
        ESCAPED("advice to itself");
    if (mincore(pages, BYTES, resident) == 0)
        ESCAPED("what is in memory");
    if (syscall(451 /* cachestat */, file, range, counts, 0) == 0)
        ESCAPED("what of a file is in memory");
    char byte;
    struct iovec one = {&byte, 1};
    for (int flag = 8; flag < 1024; flag *= 2)
        if (flag != 16 && preadv2(file, &one, 1, 0, flag) >= 0)
            ESCAPED("reading with flag %d", flag);
    if (open(arguments[0], O_RDONLY | O_DIRECT) >= 0 || fcntl(file, F_SETFL, O_DIRECT) == 0)
        ESCAPED("reading beside the machine's memory");
    throw_out(arguments[0], 0xffff);
    unsigned gone = read_anew(arguments[0]);
    if (gone)
        ESCAPED("pages were thrown out: %x", gone);
    return 0;
}

/* The kernel's counters and object addresses. */
static int counters(char **arguments) {
    struct stat found;
    int ends[2], descriptor = (int)syscall(SYS_pidfd_open, getpid(), 0), version = 0;
    if (descriptor >= 0 && fstat(descriptor, &found) == 0)
        ESCAPED("processes of the machine: %lu", (unsigned long)found.st_ino);
    int child = (int)syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, &descriptor, 0, 0);
    if (child == 0)
        _exit(0);
    if (child > 0)
        ESCAPED("a descriptor of a child");
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 3;
    unsigned long long answer;
    static const int options[] = {57 /* SO_COOKIE */, 71 /* SO_NETNS_COOKIE */, 77 /* SO_PEERPIDFD */};
    for (int which = 0; which < 3; which++) {
        socklen_t size = sizeof answer;
        if (getsockopt(ends[0], SOL_SOCKET, options[which], &answer, &size) == 0)
            ESCAPED("option %d of a socket", options[which]);
    }
    socklen_t size = sizeof version;
    if (getsockopt(ends[0], SOL_SOCKET, SO_TYPE, &version, &size) || version != SOCK_STREAM)
        ESCAPED("a socket's type is refused");
    if (prctl(62 /* PR_SCHED_CORE */, 0, 0, 0, &answer) == 0 || errno != EINVAL)
        ESCAPED("an address of the kernel's");
    int file = open(arguments[0], O_RDONLY), space = open("/proc/self/ns/pid", O_RDONLY);
    static const unsigned long requests[] = {FS_IOC_GETVERSION, FS_IOC_SETVERSION, FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FICLONE};
    for (int which = 0; which < 5; which++)
        if (ioctl(file, requests[which], &version) == 0 || errno != ENOTTY)
            ESCAPED("request %lx of a file", requests[which]);
    for (unsigned number = 1; number < 16; number++)
        if (space >= 0 && ioctl(space, 0xb700 | number, 0) >= 0)
            ESCAPED("request %u of a namespace", number);
    for (unsigned number = 0x8900; number < 0x8a00; number++)
        if (ioctl(ends[0], number, &answer) == 0)
            ESCAPED("request %x of a socket", number);
    return ioctl(ends[0], FIONREAD, &version) ? 4 : 0;
}

/* Memory that no process's figures include. */
static int huge(char **arguments) {
    static const unsigned sizes[] = {0, 16, 21, 30};
    (void)arguments;
    for (int which = 0; which < 4; which++) {
        unsigned size = sizes[which] << 26;
        if (syscall(SYS_memfd_create, "huge", 4 /* MFD_HUGETLB */ | size) >= 0)
            ESCAPED("a file of huge pages, 2^%u", sizes[which]);
        if (mmap(NULL, 1 << 21, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (int)size, -1, 0) != MAP_FAILED)
            ESCAPED("a mapping of huge pages, 2^%u", sizes[which]);
        if (syscall(SYS_shmget, 0, 1 << 21, 0600 | 04000 /* SHM_HUGETLB */ | size) >= 0)
            ESCAPED("a segment of huge pages, 2^%u", sizes[which]);
    }
    if (syscall(SYS_memfd_create, "odd", 0x20) >= 0 || syscall(447 /* memfd_secret */, 0) >= 0 || errno != ENOSYS)
        ESCAPED("a file in memory of an unknown kind");
    if (syscall(453 /* map_shadow_stack */, 0, 4096, 0) != -1 || errno != ENOSYS)
        ESCAPED("a shadow stack");
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (page == MAP_FAILED || mremap(page, 4096, 8192, MREMAP_MAYMOVE) == MAP_FAILED)
        ESCAPED("ordinary memory is refused");
    return 0;
}

static long parents_clock(void) {
    struct timespec time;
    return get_clock(clock_of(getppid(), 2), &time) ? -1 : time.tv_nsec / 1000000;
}

/* Leaves a number of four bits in every way it knows. The next arguments are paths of files that remain. */
static int leave(char **arguments) {
    int number = atoi(arguments[0]), ends[2], sockets[32];
    for (int count = 0; count < 20 * number && (count == 0 || parents_clock() % 64 != number * 4); count++) {
        int child = vfork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    for (char **path = arguments + 1; *path; path++) {
        int file = open(*path, O_RDONLY), value = number;
        char byte;
        ioctl(file, FS_IOC_SETVERSION, &value);
        if (number & 1)
            read(file, &byte, 1);
        throw_out(*path, (unsigned)number * 0x1111);
        close(file);
    }
    struct stat unused;
    unsigned long long cookie;
    for (int count = 0; count < number; count++) {
        socklen_t size = sizeof cookie;
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0)
            getsockopt(ends[0], SOL_SOCKET, 57 /* SO_COOKIE */, &cookie, &size);
        sockets[count] = ends[0];
    }
    for (int count = number; count-- > 0;)
        close(sockets[count]);
    return stat(".", &unused);
}

/* Reads the number in those ways. */
static int recall(char **arguments) {
    int ends[2];
    unsigned long long cookie = 0;
    socklen_t size = sizeof cookie;
    struct stat found = {0};
    printf("clock %ld", parents_clock());
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    getsockopt(ends[0], SOL_SOCKET, 57 /* SO_COOKIE */, &cookie, &size);
    fstat((int)syscall(SYS_pidfd_open, getpid(), 0), &found);
    printf(", cookie %llu, process %lu\n", cookie, (unsigned long)found.st_ino);
    for (char **path = arguments; *path; path++) {
        /* Before this program itself reads the file. */
        stat(*path, &found);
        int file = open(*path, O_RDONLY), version = -1;
        unsigned char resident[PAGES * STEP] = {0};
        mincore(mapped(*path), BYTES, resident);
        for (int page = 0; page < PAGES; page++)
            printf("%d", resident[page * STEP] & 1);
        ioctl(file, FS_IOC_GETVERSION, &version);
        printf(", generation %d, read anew %x, read at %ld\n", version, read_anew(*path), (long)found.st_atime);
    }
    return 0;
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {{"clocks", clocks}, {"paging", paging}, {"counters", counters}, {"huge", huge},
                                        {"leave", leave},   {"recall", recall}, {"read", read_pages},   {"hold", hold},
                                        {"linger", linger}, {"ahead", ahead},   {"anew", anew},         {"resident", resident},
                                        {NULL, NULL}};
    return dispatch(modes, count, arguments);
}
