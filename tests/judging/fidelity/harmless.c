/* What ordinary programs do. Each line says what came of one thing; nothing in it depends on the machine or the moment. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static void say(const char *what, long result) { printf("%s: %ld%s%s\n", what, result, result == -1 ? " " : "", result == -1 ? strerrorname_np(errno) : ""); fflush(stdout); }

/* Threads. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static __thread int own = 1;
static int sum, turn;
static void *add(void *number) {
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 1000; i++) { pthread_mutex_lock(&mutex); sum += own; pthread_mutex_unlock(&mutex); }
	pthread_mutex_lock(&mutex);
	while (turn != (int)(long)number) pthread_cond_wait(&changed, &mutex);
	turn++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	return number;
}
static void *sleep_on(void *unused) { for (;;) pause(); }
static void threads(void) {
	pthread_t all[8];
	pthread_barrier_init(&barrier, NULL, 8);
	for (long i = 0; i < 8; i++) say("pthread_create", pthread_create(&all[i], NULL, add, (void *)i));
	for (int i = 0; i < 8; i++) { void *back; pthread_join(all[i], &back); say("joined", (long)back); }
	say("sum of threads", sum);
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	say("large stack", pthread_attr_setstacksize(&attributes, 32 << 20));
	say("thread with it", pthread_create(&all[0], &attributes, sleep_on, NULL));
	pthread_cancel(all[0]);
	pthread_join(all[0], NULL);
	say("name", pthread_setname_np(pthread_self(), "harmless"));
	struct sched_param priority = { 0 };
	say("scheduler", pthread_setschedparam(pthread_self(), SCHED_OTHER, &priority));
	say("sched_yield", sched_yield());
	say("gettid is getpid", gettid() == getpid());
	sem_t semaphore;
	say("sem_init", sem_init(&semaphore, 0, 1));
	say("sem_wait", sem_wait(&semaphore));
	say("sem_trywait", sem_trywait(&semaphore));
}

/* Timers. */
static volatile sig_atomic_t caught, code, value;
static void handler(int number, siginfo_t *info, void *context) { caught = number; code = info->si_code; value = info->si_value.sival_int; }
static void handle(int number) {
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	say("sigaction", sigaction(number, &action, NULL));
}
static void await(const char *what, int number) {
	for (int i = 0; i < 4000 && caught != number; i++) usleep(1000);
	say(what, caught);
	caught = 0;
}
static void timers(void) {
	handle(SIGALRM); handle(SIGVTALRM); handle(SIGUSR2);
	struct itimerval soon = { .it_value = { .tv_usec = 5000 } };
	say("setitimer", setitimer(ITIMER_REAL, &soon, NULL));
	await("real timer", SIGALRM);
	say("virtual timer", setitimer(ITIMER_VIRTUAL, &soon, NULL));
	for (volatile long i = 0; i < 2000000000 && caught != SIGVTALRM; i++);
	await("virtual timer went off", SIGVTALRM);
	say("alarm", alarm(1));
	await("alarm went off", SIGALRM);
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2, .sigev_value.sival_int = 7 };
	struct itimerspec once = { .it_value = { .tv_nsec = 5000000 } };
	timer_t timer;
	say("timer_create", timer_create(CLOCK_MONOTONIC, &event, &timer));
	say("timer_settime", timer_settime(timer, 0, &once, NULL));
	await("timer went off", SIGUSR2);
	say("its value", value);
	int descriptor = timerfd_create(CLOCK_MONOTONIC, 0);
	say("timerfd_settime", timerfd_settime(descriptor, 0, &once, NULL));
	unsigned long expired;
	say("timerfd", read(descriptor, &expired, 8));
	struct timespec before, after, pause = { .tv_nsec = 2000000 };
	clock_gettime(CLOCK_MONOTONIC, &before);
	say("nanosleep", nanosleep(&pause, NULL));
	clock_gettime(CLOCK_MONOTONIC, &after);
	say("time passes", (after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >= 2000000);
	say("CPU clock", clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after));
	say("thread's clock", clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after));
	say("clock", clock() != (clock_t)-1);
	struct rusage usage;
	say("getrusage", getrusage(RUSAGE_SELF, &usage));
	say("year", time(NULL) > 1700000000);
}

/* Signals. */
static sigjmp_buf back;
static void fault(int number, siginfo_t *info, void *context) { siglongjmp(back, number); }
static void deep(int depth) { volatile char block[4096]; block[0] = depth; deep(depth + 1); block[1] = block[0]; }
static void signals(void) {
	handle(SIGUSR1);
	say("raise", raise(SIGUSR1));
	say("caught", caught);
	say("code", code);
	say("kill", kill(getpid(), SIGUSR1));
	union sigval seven = { .sival_int = 7 };
	say("sigqueue", sigqueue(getpid(), SIGUSR1, seven));
	say("value", value);
	say("thread", pthread_kill(pthread_self(), SIGUSR1));
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	say("sigaltstack", sigaltstack(&stack, NULL));
	struct sigaction action = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	int number = sigsetjmp(back, 1);
	if (!number) *(volatile int *)8 = 1;
	say("bad address", number);
	number = sigsetjmp(back, 1);
	if (!number) raise(SIGFPE);
	say("arithmetic", number);
	struct rlimit small = { 1 << 20, RLIM_INFINITY };
	pid_t child = fork();
	if (!child) {
		setrlimit(RLIMIT_STACK, &small);
		if (!sigsetjmp(back, 1)) deep(0);
		_exit(9);
	}
	int status;
	waitpid(child, &status, 0);
	say("stack overflow on another stack", WEXITSTATUS(status));
	sigset_t set;
	sigemptyset(&set); sigaddset(&set, SIGTERM);
	say("sigprocmask", sigprocmask(SIG_BLOCK, &set, NULL));
	raise(SIGTERM);
	say("sigwait", sigwait(&set, &number));
	int descriptor = signalfd(-1, &set, 0);
	raise(SIGTERM);
	struct signalfd_siginfo info;
	say("signalfd", read(descriptor, &info, sizeof info) == sizeof info && info.ssi_signo == SIGTERM);
	signal(SIGPIPE, SIG_IGN);
	int ends[2];
	pipe(ends); close(ends[0]);
	say("broken pipe", write(ends[1], "x", 1));
	child = fork();
	if (!child) { for (;;) pause(); }
	say("kill child", kill(child, SIGKILL));
	waitpid(child, &status, 0);
	say("it was killed by", WTERMSIG(status));
	say("nobody to signal", kill(child, 0));
	/* A fault from here on is one, and has nowhere to go back to. */
	signal(SIGSEGV, SIG_DFL);
	signal(SIGFPE, SIG_DFL);
}

/* Memory. */
static void memory(void) {
	volatile int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork();
	if (!child) { *shared = 42; _exit(0); }
	waitpid(child, NULL, 0);
	say("shared page", *shared);
	char *block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	block[0] = 1;
	say("madvise", madvise(block, 1 << 20, MADV_DONTNEED));
	say("empty again", block[0]);
	say("mprotect", mprotect(block, 4096, PROT_READ));
	say("mremap", mremap(block, 1 << 20, 2 << 20, MREMAP_MAYMOVE) != MAP_FAILED);
	say("huge page advice", madvise((void *)shared, 4096, MADV_HUGEPAGE));
	char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(code, "\xb8\x07\x00\x00\x00\xc3", 6);
	say("code made by the program", mprotect(code, 4096, PROT_READ | PROT_EXEC));
#ifdef __x86_64__
	say("it returns", ((int (*)(void))code)());
#endif
	say("write and execute", mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	int file = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
	ftruncate(file, 8192);
	char *mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	strcpy(mapped + 4096, "text");
	say("msync", msync(mapped, 8192, MS_SYNC));
	char read_back[5] = "";
	pread(file, read_back, 4, 4096);
	say("mapped file", strcmp(read_back, "text"));
	unlink("mapped");
	int memory_file = memfd_create("m", MFD_CLOEXEC);
	say("memory file", write(memory_file, "abc", 3));
	char *large = malloc(50 << 20);
	memset(large, 1, 50 << 20);
	say("50 MB", large[40 << 20]);
	free(large);
	say("sbrk", sbrk(4096) != (void *)-1);
	say("alignment", posix_memalign((void **)&large, 1 << 16, 1 << 16));
	say("page", sysconf(_SC_PAGESIZE));
}

/* Locale. */
static int by_locale(const void *left, const void *right) { return strcoll(*(char **)left, *(char **)right); }
static void locales(void) {
	say("setlocale", setlocale(LC_ALL, "") != NULL);
	printf("locale: %s, point %s\n", setlocale(LC_ALL, NULL), localeconv()->decimal_point);
	wchar_t wide[8];
	say("letters", mbstowcs(wide, "\xc3\xa9\xe2\x82\xac", 8));
	char *words[] = { "b", "A", "a", "B", "\xc3\xa9" };
	qsort(words, 5, sizeof *words, by_locale);
	for (int i = 0; i < 5; i++) printf("%s ", words[i]);
	struct tm day = { .tm_year = 100, .tm_mon = 1, .tm_mday = 29 };
	char text[64];
	strftime(text, 64, "%A %x %Z", &day);
	printf("%s %.17g %a %s\n", text, 0.1, exp(1), strerror(ENOENT));
	setenv("TZ", "UTC-3", 1);
	tzset();
	time_t zero = 0;
	say("hour", localtime(&zero)->tm_hour);
	say("another locale", setlocale(LC_ALL, "xx_XX") == NULL);
}

/* Files in the working folder. */
static void files(void) {
	char name[] = "temporaryXXXXXX", text[PATH_MAX] = "", target[64] = "";
	int file = mkstemp(name);
	say("mkstemp", file < 0 ? -1 : 0);
	say("write", write(file, "hello", 5));
	say("lseek", lseek(file, 1 << 20, SEEK_END) > 0);
	say("sparse", write(file, "!", 1));
	say("fsync", fsync(file));
	say("flock", flock(file, LOCK_EX | LOCK_NB));
	struct flock lock = { .l_type = F_WRLCK };
	say("lock", fcntl(file, F_SETLK, &lock));
	say("fallocate", posix_fallocate(file, 0, 4096));
	say("mode", fchmod(file, 0640));
	struct stat about;
	fstat(file, &about);
	say("its mode", about.st_mode & 07777);
	say("its size", about.st_size);
	say("owner", about.st_uid == geteuid());
	struct timespec times[2] = { { 1 }, { 2 } };
	say("times", futimens(file, times));
	say("rename", rename(name, "renamed"));
	say("link", link("renamed", "linked"));
	say("symlink", symlink("renamed", "symbolic"));
	say("readlink", readlink("symbolic", target, 63));
	say("truncate", truncate("renamed", 3));
	say("mkdir", mkdir("folder", 0755));
	say("not empty", rename("renamed", "folder/inside") || rmdir("folder"));
	DIR *folder = opendir("folder");
	int count = 0;
	while (readdir(folder)) count++;
	closedir(folder);
	say("entries", count);
	say("dangling", access("symbolic", R_OK));
	say("mkfifo", mkfifo("fifo", 0600));
	say("unlink", unlink("folder/inside") + unlink("linked") + unlink("symbolic") + rmdir("folder") + unlink("fifo"));
	say("missing", open("renamed", O_RDONLY));
	int nameless = open(".", O_TMPFILE | O_RDWR, 0600);
	say("nameless file", write(nameless, "x", 1));
	FILE *temporary = tmpfile();
	say("tmpfile", temporary ? fputs("x", temporary) : -1);
	struct statvfs system;
	say("statvfs", statvfs(".", &system));
	say("getcwd", getcwd(text, sizeof text) && text[0] == '/' ? 0 : -1);
	say("chdir", chdir("/"));
	say("null", write(open("/dev/null", O_WRONLY), "x", 1));
	say("zero", read(open("/dev/zero", O_RDONLY), text, 8));
	say("random", read(open("/dev/urandom", O_RDONLY), text, 8));
	say("full", write(open("/dev/full", O_WRONLY), "x", 1));
	say("own file", readlink("/proc/self/exe", text, sizeof text) > 0);
	say("own status", access("/proc/self/status", R_OK));
	say("own descriptors", access("/proc/self/fd/1", F_OK));
	say("standard output by name", open("/dev/stdout", O_WRONLY) < 0 ? -1 : 0);
}

/* Processes. */
extern char **environ;
static void processes(void) {
	int status, ends[2];
	say("system", WEXITSTATUS(system("exit 3")));
	say("shell", WEXITSTATUS(system("x=$(echo 4 | cat); test \"$x\" = 4 && for i in 1 2; do :; done; exit $((x+1))")));
	FILE *stream = popen("tr a b", "w");
	fputs("banana\n", stream);
	say("pclose", pclose(stream));
	pid_t child;
	char *words[] = { "sh", "-c", "echo spawned; exit 6", NULL };
	int spawned = posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ);
	waitpid(child, &status, 0);
	say("posix_spawn", spawned);
	say("it ended with", WEXITSTATUS(status));
	child = vfork();
	if (!child) _exit(7);
	waitpid(child, &status, 0);
	say("vfork", WEXITSTATUS(status));
	pipe(ends);
	child = fork();
	if (!child) { dup2(ends[1], 1); execl("/bin/sh", "sh", "-c", "echo piped", NULL); _exit(127); }
	close(ends[1]);
	char text[16] = "";
	waitpid(child, &status, 0);
	say("pipe", read(ends[0], text, 15));
	fputs(text, stdout);
	child = fork();
	if (!child) { setsid(); raise(SIGABRT); }
	waitpid(child, &status, 0);
	say("abort", WTERMSIG(status));
	child = fork();
	if (!child) _exit(getppid() > 1 || getppid() == 1 ? 0 : 1);
	say("setpgid", setpgid(child, child));
	say("wait", waitpid(child, &status, 0) == child);
	say("no child", waitpid(-1, &status, WNOHANG));
	say("no such program", execl("/nonexistent", "x", NULL));
	say("no program", execl("/dev/null", "x", NULL));
	say("nice", setpriority(PRIO_PROCESS, 0, 5));
	say("prctl", prctl(PR_SET_NAME, "x"));
	struct utsname name;
	uname(&name);
	say("Linux", strcmp(name.sysname, "Linux"));
	say("terminal", isatty(0));
	say("end of input", read(0, text, 1));
	say("processors", sysconf(_SC_NPROCESSORS_ONLN) > 0);
}

/* Events, and what processes share. */
static void events(void) {
	int pair[2];
	say("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	say("send", send(pair[0], "abc", 3, 0));
	struct pollfd one = { pair[1], POLLIN };
	say("poll", poll(&one, 1, 1000));
	fd_set set;
	FD_ZERO(&set); FD_SET(pair[1], &set);
	struct timeval patience = { 1 };
	say("select", select(pair[1] + 1, &set, NULL, NULL, &patience));
	int waiter = epoll_create1(0);
	struct epoll_event event = { .events = EPOLLIN };
	say("epoll_ctl", epoll_ctl(waiter, EPOLL_CTL_ADD, pair[1], &event));
	say("epoll_wait", epoll_wait(waiter, &event, 1, 1000));
	say("eventfd", write(eventfd(0, 0), &(unsigned long){ 1 }, 8));
	struct iovec parts[2] = { { "a", 1 }, { "b", 1 } };
	say("writev", writev(pair[0], parts, 2));
	char text[8];
	say("readv", recv(pair[1], text, 8, 0));
	int copies = dup(pair[0]);
	say("dup", copies > pair[1]);
	say("nonblocking", fcntl(pair[1], F_SETFL, O_NONBLOCK));
	say("nothing to read", recv(pair[1], text, 8, 0));
	pthread_mutexattr_t shared;
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_t *between = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutex_init(between, &shared);
	pid_t child = fork();
	if (!child) { pthread_mutex_lock(between); _exit(0); }
	waitpid(child, NULL, 0);
	say("robust mutex", pthread_mutex_lock(between));
	say("random bytes", getentropy(text, 8));
}

int main(int count, char **words) {
	setvbuf(stdout, NULL, _IOLBF, 0);
	threads(); timers(); signals(); memory(); locales(); files(); events(); processes();
	return 11;
}
