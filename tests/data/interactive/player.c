/* One side of a conversation: does what its arguments say, one after the other. As a tester it starts the other side. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Reads one line, of which it keeps what there is room for; returns 0 when there is none. */
static int hear(char *line, size_t room) {
    size_t length = 0;
    char letter;
    while (read(0, &letter, 1) == 1) {
        if (letter == '\n') {
            line[length] = 0;
            return 1;
        }
        if (length + 1 < room)
            line[length++] = letter;
    }
    return 0;
}

static void say(const char *text) {
    if (write(1, text, strlen(text)) < 0 || write(1, "\n", 1) < 0)
        _exit(50);
}

/* Says as many lines of a kilobyte. */
static void pour(long kilobytes) {
    char line[1024];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = 10;
    for (long said = 0; said < kilobytes; said++)
        if (write(1, line, sizeof line) < 0)
            _exit(50);
}

static void pause_for(long milliseconds) {
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0) {
    }
}

static void compute_for(long milliseconds) {
    clock_t end = clock() + milliseconds * (CLOCKS_PER_SEC / 1000);
    while (clock() < end) {
    }
}

/* Does the same millions of steps on every machine, however long they take. */
static void work(long millions) {
    volatile unsigned long state = 1;
    for (long step = 0; step < millions * 1000000; step++)
        state = state * 6364136223846793005UL + 1442695040888963407UL;
}

/* Says the microseconds of CPU time that it has used by its own account. */
static void say_cpu(void) {
    struct timespec used;
    char text[32];
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    snprintf(text, sizeof text, "%ld", used.tv_sec * 1000000 + used.tv_nsec / 1000);
    say(text);
}

static void report(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || write(file, text, strlen(text)) < 0 || close(file) != 0)
        _exit(51);
}

/* Hears one line after the other until the end, and says how many there were by its report. */
static void count(const char *path) {
    char line[256], text[32];
    int lines = 0;
    while (hear(line, sizeof line))
        lines++;
    snprintf(text, sizeof text, "%d", lines);
    report(path, text);
}

/* Adds one to every number that it hears. */
static void echo(void) {
    char line[256], text[32];
    while (hear(line, sizeof line)) {
        snprintf(text, sizeof text, "%ld", atol(line) + 1);
        say(text);
    }
}

/* Says this many numbers and expects each plus one. */
static void ask(long rounds) {
    char line[256], text[32];
    for (long round = 0; round < rounds; round++) {
        snprintf(text, sizeof text, "%ld", round);
        say(text);
        if (!hear(line, sizeof line) || atol(line) != round + 1)
            _exit(52);
    }
}

/* Where a tester prints: its standard output, also once it converses on that. */
static int out = 1;

/* Starts a program without an environment, and converses with it from now on. */
static pid_t start(char *program, char *argument) {
    int to_child[2], from_child[2];
    if (pipe2(to_child, O_CLOEXEC) != 0 || pipe2(from_child, O_CLOEXEC) != 0)
        _exit(56);
    pid_t child = fork();
    if (child == 0) {
        char *arguments[] = {program, argument, NULL}, *none[] = {NULL};
        dup2(to_child[0], 0);
        dup2(from_child[1], 1);
        execve(program, arguments, none);
        _exit(57);
    }
    if (out == 1)
        out = fcntl(1, F_DUPFD_CLOEXEC, 3);
    dup2(from_child[0], 0);
    dup2(to_child[1], 1);
    for (int end = 0; end < 2; end++) {
        close(to_child[end]);
        close(from_child[end]);
    }
    return child;
}

/* Waits for the end of what was started, and says on standard error what it was. */
static void await(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        fprintf(stderr, "signal %d\n", WTERMSIG(status));
    else
        fprintf(stderr, "exit %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv) {
    static char flood[65536], heard[256];
    memset(flood, 'x', sizeof flood);
    const char *path = "";
    pid_t child = 0;
    for (int i = 1; i < argc; i++) {
        char *word = argv[i], *value = strchr(word, '=');
        if (value != NULL)
            *value++ = 0;
        long number = value == NULL ? 0 : atol(value);
        if (strcmp(word, "report-to") == 0)
            path = value;
        else if (strcmp(word, "say") == 0)
            say(value);
        else if (strcmp(word, "pour") == 0)
            pour(number);
        else if (strcmp(word, "hear") == 0) {
            if (!hear(heard, sizeof heard))
                return 53;
        } else if (strcmp(word, "try-to-hear") == 0)
            hear(heard, sizeof heard);
        else if (strcmp(word, "pause") == 0)
            pause_for(number);
        else if (strcmp(word, "wait") == 0)
            pause();
        else if (strcmp(word, "compute") == 0)
            compute_for(number);
        else if (strcmp(word, "work") == 0)
            work(number);
        else if (strcmp(word, "say-cpu") == 0)
            say_cpu();
        else if (strcmp(word, "report") == 0)
            report(path, value);
        else if (strcmp(word, "report-heard") == 0)
            report(path, heard);
        else if (strcmp(word, "count") == 0)
            count(path);
        else if (strcmp(word, "echo") == 0)
            echo();
        else if (strcmp(word, "ask") == 0)
            ask(number);
        else if (strcmp(word, "close") == 0)
            close((int)number);
        else if (strcmp(word, "start") == 0)
            child = start(value, NULL);
        else if (strcmp(word, "start-with") == 0)
            child = start(value, argv[++i]);
        else if (strcmp(word, "await") == 0)
            await(child);
        else if (strcmp(word, "kill") == 0)
            kill(child, SIGKILL);
        else if (strcmp(word, "error") == 0)
            fprintf(stderr, "%s\n", value);
        else if (strcmp(word, "print") == 0)
            dprintf(out, "%s\n", value);
        else if (strcmp(word, "repeat") == 0)
            dprintf(out, "%s\n", heard);
        else if (strcmp(word, "flood") == 0)
            while (write(1, flood, sizeof flood) > 0 || number == 1) {
            }
        else if (strcmp(word, "fill") == 0) {
            char *memory = malloc((size_t)number << 20);
            if (memory == NULL)
                return 54;
            memset(memory, 1, (size_t)number << 20);
        } else if (strcmp(word, "crash") == 0)
            raise(SIGSEGV);
        else if (strcmp(word, "exit") == 0)
            return (int)number;
        else
            return 55;
    }
    return 0;
}
