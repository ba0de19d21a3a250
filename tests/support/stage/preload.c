// Preloaded into the judge: makes it fat, or shows it a clock that leaps.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// Not static: a compiler may leave out what no other file can see.
void *ballast;

__attribute__((constructor)) static void eat(void) {
    const char *text = getenv("BALLAST_MIB");
    size_t size = text ? strtoul(text, NULL, 10) << 20 : 0;
    // Touched, so that it is resident.
    if (size > 0 && (ballast = malloc(size))) memset(ballast, 1, size);
}

// Each look at the date is an hour after the last one.
static time_t leap(void) {
    static time_t passed;
    return getenv("LEAPING_CLOCK") ? (passed += 3600) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int answer = syscall(SYS_clock_gettime, clock, now);
    if (answer == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += leap();
    return answer;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *place) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (place) *place = exact.tv_sec;
    return exact.tv_sec;
}
