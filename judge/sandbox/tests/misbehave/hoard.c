/* Programs that hold memory that no process's size shows: in kernel structures, and in pages that only those reference.
   Each takes far more than its limit, waits, and releases it. */
#include "misbehave.h"
#include <linux/bpf_common.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/xattr.h>

#define HUGE (2 * MIB)

static char block[64 << 10];

/* In a thread that has finished its work. */
static void stay(void) {
    char byte;
    read(gate[0], &byte, 1);
}

static void *reserve(size_t size, int protection, int flags) {
    void *place = mmap(NULL, size, protection, flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return place == MAP_FAILED ? NULL : place;
}

/* Reading a page that was never written allocates part of a page table but no page. */
static void read_far_and_wide(void) {
    volatile char *place = reserve((size_t)48 << 30, PROT_READ, MAP_PRIVATE);
    for (size_t at = 0; place && at < (size_t)48 << 30; at += HUGE)
        (void)place[at];
}

static char *huge_page(void) {
    char *place = reserve(2 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    if (!place)
        return NULL;
    char *page = (char *)(((size_t)place + HUGE - 1) / HUGE * HUGE);
    munmap(place, (size_t)(page - place));
    munmap(page + HUGE, (size_t)(place + HUGE - page));
    madvise(page, HUGE, MADV_HUGEPAGE);
    memset(page, 1, 1);
    return page;
}

static void give_huge_pages(void) {
    for (int count = 0, ends[2]; count < 90 && pipe(ends) == 0; count++) {
        char *page = huge_page();
        struct iovec gift = {page, 1};
        if (!page || vmsplice(ends[1], &gift, 1, SPLICE_F_GIFT) < 0)
            return;
        munmap(page, HUGE);
    }
}

static void keep_rests_of_huge_pages(void) {
    for (int count = 0; count < 90; count++) {
        char *page = huge_page();
        if (!page)
            return;
        munmap(page + 4096, HUGE - 4096);
    }
}

/* A socket keeps a page for each byte sent from a file, and the file releases the page. */
static void send_pages(void) {
    char name[32];
    snprintf(name, sizeof name, "pages-%d", getpid());
    int file = open(name, O_CREAT | O_RDWR, 0600);
    for (int count = 0, ends[2]; count < 20 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0; count++)
        for (int round = 0; round < 40; round++) {
            for (int piece = 0; piece < 16; piece++)
                write(file, block, sizeof block);
            fcntl(ends[0], F_SETFL, O_NONBLOCK);
            for (off_t at = 0, from = 0; at < (off_t)MIB; from = at += 4096)
                if (sendfile(ends[0], file, &from, 1) < 0 && splice(file, &from, ends[0], NULL, 1, 0) < 0)
                    break;
            if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET))
                return;
        }
}

/* Up to 64 MiB in each process. */
static void fill(int end) {
    static size_t filled;
    int size = MIB;
    setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    fcntl(end, F_SETFL, O_NONBLOCK);
    for (ssize_t written; filled < 64 * MIB && (written = write(end, block, sizeof block)) > 0;)
        filled += (size_t)written;
}

static void fill_sockets(void) {
    for (int count = 0, ends[2]; count < 120 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0; count++) {
        fill(ends[0]);
        fill(ends[1]);
    }
}

/* Data that a socket has received remains after the sender ends. */
static void fill_single_sockets(void) {
    for (int count = 0, ends[2]; count < 240 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0; count++) {
        fill(ends[0]);
        close(ends[0]);
    }
}

/* The last packet is accepted whole. */
static void fill_with_packets(void) {
    static char packet[200 << 10];
    for (int count = 0, ends[2]; count < 240 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0; count++) {
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        for (size_t size = 90 << 10; send(ends[0], packet, size, 0) > 0; size = sizeof packet) {
        }
        close(ends[0]);
    }
}

static void *fill_in_thread(void *unused) {
    if (syscall(SYS_close_range, 900, 900, 2 /* CLOSE_RANGE_UNSHARE */) == 0)
        fill_single_sockets();
    *(int *)unused = 1;
    stay();
    return unused;
}

/* In the thread's own descriptor table. */
static void fill_aside(void) {
    pthread_t thread;
    static volatile int filled;
    if (pthread_create(&thread, NULL, fill_in_thread, (void *)&filled) == 0)
        while (!filled)
            rest(0.01);
}

/* Descriptors in transit between sockets are in no table. */
static void send_sockets(void) {
    int way[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, way))
        return;
    for (int count = 0, ends[2]; count < 240 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0; count++) {
        fill(ends[0]);
        union {
            char bytes[CMSG_SPACE(sizeof(int))];
            struct cmsghdr header;
        } control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
        memcpy(CMSG_DATA(&control.header), &ends[1], sizeof(int));
        struct iovec byte = {block, 1};
        struct msghdr message = {.msg_iov = &byte, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        sendmsg(way[0], &message, MSG_DONTWAIT);
        close(ends[0]);
        close(ends[1]);
    }
}

static void fill_pipes(void) {
    for (int count = 0, ends[2]; count < 100 && pipe(ends) == 0; count++) {
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        fill(ends[1]);
    }
}

/* Every second name is not valid text. */
static void fill_named_pipes(void) {
    char name[32];
    for (int count = 0; count < 400; count++) {
        snprintf(name, sizeof name, "pipe%s-%d-%d", count % 2 ? "\xff" : "", getpid(), count);
        mkfifo(name, 0600);
        int end = open(name, O_RDWR);
        unlink(name);
        if (end < 0)
            return;
        fcntl(end, F_SETPIPE_SZ, 1 << 20);
        fill(end);
    }
}

/* One epoll item for each pair of a file and a descriptor number it has had. */
static void watch_all(void) {
    int watchers[40], files[40];
    for (int which = 0; which < 40; which++) {
        watchers[which] = epoll_create1(0);
        int ends[2];
        if (pipe(ends))
            return;
        files[which] = ends[0];
        close(ends[1]);
    }
    struct epoll_event event = {.events = EPOLLIN};
    for (int which = 0; which < 40; which++)
        for (int number = 150; number < 250; number++) {
            if (dup2(files[which], number) < 0)
                return;
            for (int watcher = 0; watcher < 40; watcher++)
                epoll_ctl(watchers[watcher], EPOLL_CTL_ADD, number, &event);
            close(number);
        }
}

/* The kernel keeps its output for a reader until the reader closes the file. */
static void read_reports(void) {
    int watcher = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    for (int which = 0; which < 60; which++) {
        int ends[2];
        if (pipe(ends))
            return;
        close(ends[1]);
        for (int number = 200; number < 250; number++) {
            dup2(ends[0], number);
            epoll_ctl(watcher, EPOLL_CTL_ADD, number, &event);
            close(number);
        }
    }
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fdinfo/%d", watcher);
    for (int count = 0; count < 120; count++)
        read(open(name, O_RDONLY), block, sizeof block);
}

static void lock_every_byte(void) {
    char name[32];
    for (int count = 0; count < 200; count++) {
        snprintf(name, sizeof name, "lock-%d-%d", getpid(), count);
        int file = open(name, O_CREAT | O_RDWR, 0600);
        for (int byte = 800; byte > 0; byte -= 2) {
            struct flock lock = {.l_type = F_WRLCK, .l_start = byte, .l_len = 1};
            fcntl(file, F_SETLK, &lock);
        }
    }
}

static void *add_filters(void *unused) {
    static struct sock_filter code[4000];
    for (int which = 0; which < 4000; which++)
        code[which] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
    code[3999] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {4000, code};
    for (int count = 0; count < 7; count++)
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
            break;
    __atomic_add_fetch((int *)unused, 1, __ATOMIC_SEQ_CST);
    stay();
    return unused;
}

static void filter_threads(void) {
    pthread_t thread;
    static volatile int filtered;
    int count = 0;
    while (count < 6 && pthread_create(&thread, NULL, add_filters, (void *)&filtered) == 0)
        count++;
    while (filtered < count)
        rest(0.01);
}

static void add_rules(void) {
    struct {
        unsigned long files, network;
    } handled = {0, 3};
    for (int set = 0; set < 3; set++) {
        int rules = (int)syscall(444, &handled, sizeof handled, 0);
        for (unsigned long port = 0; rules >= 0 && port < 65536; port++) {
            struct {
                unsigned long access, port;
            } rule = {1, port};
            if (syscall(445, rules, 2, &rule, 0))
                return;
        }
    }
}

/* Every other page is a separate mapping. */
static void cut_up(void) {
    char *place = reserve((size_t)64000 * 4096, PROT_NONE, MAP_PRIVATE);
    for (size_t page = 0; place && page < 64000; page += 2)
        if (mprotect(place + page * 4096, 4096, PROT_READ))
            return;
}

/* A kernel table of any chosen size. */
static void add_buckets(void) {
    prctl(78 /* PR_FUTEX_HASH */, 1, 1L << 20, 0, 0);
}

static void list_access(void) {
    static struct {
        unsigned version;
        struct {
            unsigned short tag, permission;
            unsigned id;
        } entries[8000];
    } list = {2};
    list.entries[0].tag = 1;
    for (int entry = 1; entry < 7997; entry++) {
        list.entries[entry].tag = 2;
        list.entries[entry].id = getuid();
    }
    list.entries[7997].tag = 4;
    list.entries[7998].tag = 0x10;
    list.entries[7999].tag = 0x20;
    for (int entry = 0; entry < 8000; entry++)
        if (list.entries[entry].tag != 2)
            list.entries[entry].id = ~0U;
    char name[32];
    for (int count = 0; count < 1000; count++) {
        snprintf(name, sizeof name, "list-%d-%d", getpid(), count);
        close(open(name, O_CREAT | O_RDWR, 0600));
        if (setxattr(name, "system.posix_acl_access", &list, sizeof list, 0))
            return;
    }
}

/* The input is a file in memory. */
static void grow_input(void) {
    int file = open("/proc/self/fd/0", O_RDWR);
    for (int count = 0; count < 1600 && write(file, block, sizeof block) > 0; count++) {
    }
}

static void fill_folder(void) {
    char name[32];
    for (int count = 0; count < 50; count++) {
        snprintf(name, sizeof name, "file-%d-%d", getpid(), count);
        int file = open(name, O_CREAT | O_RDWR, 0600);
        for (int piece = 0; piece < 16; piece++)
            if (write(file, block, sizeof block) < 0)
                return;
        close(file);
    }
}

CREW(tables, 8, read_far_and_wide)
CREW(gifts, 4, give_huge_pages)
CREW(rests, 4, keep_rests_of_huge_pages)
CREW(pages, 6, send_pages)
CREW(sockets, 12, fill_sockets)
CREW(singles, 12, fill_single_sockets)
CREW(packets, 12, fill_with_packets)
CREW(aside, 6, fill_aside)
CREW(travelling, 12, send_sockets)
CREW(pipes, 12, fill_pipes)
CREW(named, 12, fill_named_pipes)
CREW(watches, 10, watch_all)
CREW(reports, 10, read_reports)
CREW(locks, 14, lock_every_byte)
CREW(filters, 2, filter_threads)
CREW(rules, 8, add_rules)
CREW(mappings, 14, cut_up)
CREW(buckets, 10, add_buckets)
CREW(lists, 4, list_access)
CREW(input, 1, grow_input)
CREW(folder, 8, fill_folder)

int main(int count, char **arguments) {
    static const struct mode modes[] = {
        {"tables", tables},   {"gifts", gifts},         {"rests", rests},     {"pages", pages},       {"sockets", sockets},
        {"singles", singles}, {"packets", packets}, {"aside", aside},         {"travelling", travelling}, {"pipes", pipes}, {"named", named},
        {"watches", watches}, {"reports", reports},     {"locks", locks},     {"filters", filters},   {"rules", rules},
        {"mappings", mappings}, {"buckets", buckets}, {"lists", lists},       {"input", input},         {"folder", folder},   {NULL, NULL},
    };
    return dispatch(modes, count, arguments);
}
