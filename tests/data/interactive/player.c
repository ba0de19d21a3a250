/* One side of a conversation: does what its arguments say, one after the other. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int main(int argc, char **argv) {
    static char flood[65536], heard[256];
    memset(flood, 'x', sizeof flood);
    const char *path = "";
    for (int i = 1; i < argc; i++) {
        char *word = argv[i], *value = strchr(word, '=');
        if (value != NULL)
            *value++ = 0;
        long number = value == NULL ? 0 : atol(value);
        if (strcmp(word, "report-to") == 0)
            path = value;
        else if (strcmp(word, "say") == 0)
            say(value);
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
        else if (strcmp(word, "report") == 0)
            report(path, value);
        else if (strcmp(word, "count") == 0)
            count(path);
        else if (strcmp(word, "echo") == 0)
            echo();
        else if (strcmp(word, "ask") == 0)
            ask(number);
        else if (strcmp(word, "close") == 0)
            close((int)number);
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
