/* Programs that write too much, too little or to the wrong end, and programs that end abnormally. */
#include "misbehave.h"
#include <sys/sendfile.h>
#include <sys/uio.h>

static char block[1 << 16];

static int flood(int stream) {
    for (;;)
        if (write(stream, block, sizeof block) < 0 && errno != EPIPE)
            return 3;
}

static int letters(char **arguments) {
    (void)arguments;
    memset(block, 'a', sizeof block);
    return flood(1);
}

static int stubborn(char **arguments) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return letters(arguments);
}

/* Bytes that were never in its own buffer. */
static int sent(char **arguments) {
    (void)arguments;
    int zeroes = open("zeroes", O_RDWR | O_CREAT, 0600);
    if (ftruncate(zeroes, MIB) != 0)
        return 4;
    for (off_t from = 0; sendfile(1, zeroes, &from, MIB) > 0; from = 0) {
    }
    for (loff_t from = 0; splice(zeroes, &from, 1, NULL, MIB, 0) > 0; from = 0) {
    }
    return 3;
}

static int gifted(char **arguments) {
    (void)arguments;
    struct iovec gift = {block, sizeof block};
    while (vmsplice(1, &gift, 1, 0) > 0) {
    }
    return 3;
}

static int both(char **arguments) {
    memset(block, 'e', sizeof block);
    if (fork() == 0)
        return flood(2);
    return letters(arguments);
}

/* Treats its output as its own file. */
static int reshaped(char **arguments) {
    (void)arguments;
    if (ftruncate(1, 1 << 30) == 0 || lseek(1, 1 << 30, SEEK_SET) >= 0 || fallocate(1, 0, 0, 1 << 30) == 0)
        ESCAPED("the output is a file");
    fcntl(1, F_SETFL, O_NONBLOCK | O_APPEND | O_DIRECT);
    fcntl(1, F_SETPIPE_SZ, 4096);
    fcntl(1, F_SETOWN, getppid());
    puts("done");
    return 0;
}

/* A child that writes after everything has ended. */
static int late(char **arguments) {
    (void)arguments;
    if (fork() == 0) {
        setsid();
        rest(0.05);
        for (;;)
            write(1, "late\n", 5);
    }
    puts("done");
    return 0;
}

static int all_closed(char **arguments) {
    (void)arguments;
    syscall(SYS_close_range, 0, ~0U, 0);
    burn(0.02);
    return 0;
}

static int complaints(char **arguments) {
    (void)arguments;
    memset(block, 'e', sizeof block);
    for (int count = 0; count < 64; count++)
        if (write(2, block, sizeof block) < 0)
            return 3;
    puts("done");
    return 0;
}

static int exactly(char **arguments) {
    for (long left = atol(arguments[0]); left > 0; left--)
        putchar('x');
    return 0;
}

static int echo(char **arguments) {
    (void)arguments;
    for (ssize_t count; (count = read(0, block, sizeof block)) > 0;)
        for (ssize_t done = 0; done < count;) {
            ssize_t written = write(1, block + done, (size_t)(count - done));
            if (written < 0)
                return 3;
            done += written;
        }
    return 0;
}

static int silent(char **arguments) {
    (void)arguments;
    close(1);
    burn(0.2);
    return 0;
}

static int unread(char **arguments) {
    (void)arguments;
    rest(1000);
    return 0;
}

static int closed_input(char **arguments) {
    (void)arguments;
    close(0);
    puts("done");
    return 0;
}

static int daemonize(char **arguments) {
    (void)arguments;
    puts("done");
    fflush(stdout);
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            rest(1000);
        _exit(0);
    }
    wait(NULL);
    return 0;
}

static int answer_and_hang(char **arguments) {
    (void)arguments;
    puts("done");
    fflush(stdout);
    rest(1000);
    return 0;
}

static int code(char **arguments) {
    return atoi(arguments[0]);
}

static int by_signal(char **arguments) {
    raise(atoi(arguments[0]));
    return 98;
}

/* Leaves a core file if the system allows it. */
static int core(char **arguments) {
    (void)arguments;
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &limit);
    prctl(PR_SET_DUMPABLE, 1);
    abort();
}

static int null_pointer(char **arguments) {
    (void)arguments;
    *(volatile int *)0 = 1;
    return 0;
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {
        {"letters", letters},       {"stubborn", stubborn},   {"complaints", complaints},
        {"exactly", exactly},       {"echo", echo},           {"silent", silent},
        {"unread", unread},         {"closed-input", closed_input}, {"daemonize", daemonize},
        {"answer-and-hang", answer_and_hang}, {"code", code}, {"signal", by_signal},
        {"core", core},             {"null-pointer", null_pointer},
        {"sent", sent},             {"gifted", gifted},       {"both", both},
        {"reshaped", reshaped},     {"late", late},           {"all-closed", all_closed}, {NULL, NULL},
    };
    return dispatch(modes, count, arguments);
}
