// Starts a program the way a careless parent or a container does: words up to `--` say how, the rest is the program.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void must(long answer, const char *what) {
    if (answer < 0) {
        fprintf(stderr, "launcher: %s: %s\n", what, strerror(errno));
        _exit(125);
    }
}

// Signals ignored and blocked, an unusual mask, a folder that is gone, a preloaded library that does not exist.
static void odd(void) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGCHLD);
    must(sigprocmask(SIG_BLOCK, &blocked, NULL), "sigprocmask");
    umask(077);
    char gone[] = "/tmp/judge-test-gone-XXXXXX";
    must(mkdtemp(gone) ? 0 : -1, "mkdtemp");
    must(chdir(gone), "chdir");
    must(rmdir(gone), "rmdir");
    setenv("SECRET", "hidden", 1);
}

// As a container's default profile does: no new namespaces, no mounts.
static void refuse_namespaces(void) {
    const int namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWUTS;
#define REFUSE(number, code) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (code))
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        REFUSE(SYS_unshare, EPERM),
        REFUSE(SYS_setns, EPERM),
        REFUSE(SYS_mount, EPERM),
        REFUSE(SYS_perf_event_open, EPERM),
        REFUSE(SYS_clone3, ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, namespaces, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges");
    must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "seccomp");
}

static void have_own_mounts(void) {
    must(unshare(CLONE_NEWNS), "unshare");
    must(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), "private mounts");
}

// Nothing of the control groups is mounted: for root alone.
static void hide_control_groups(void) {
    have_own_mounts();
    must(mount("none", "/sys/fs/cgroup", "tmpfs", MS_RDONLY, NULL), "mount over the control groups");
}

// A disk of its own at this folder: for root alone.
static void mount_disk(const char *folder, unsigned long flags, const char *options) {
    have_own_mounts();
    must(mount("none", folder, "tmpfs", flags, options), "mount a disk");
}

// The capabilities that docker leaves to root.
static void drop_capabilities(void) {
    const unsigned kept = 1u << 0 | 1u << 1 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 8 | 1u << 10 |
        1u << 13 | 1u << 18 | 1u << 27 | 1u << 29 | 1u << 31;
    for (int number = 0; number < 64; number++) {
        if (number > 31 || !(kept & 1u << number)) prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
    }
    struct { unsigned version; int pid; } header = {0x20080522, 0};
    struct { unsigned effective, permitted, inheritable; } data[2];
    must(syscall(SYS_capget, &header, data), "capget");
    for (int half = 0; half < 2; half++) {
        unsigned mask = half == 0 ? kept : 0;
        data[half].effective &= mask;
        data[half].permitted &= mask;
        data[half].inheritable = 0;
    }
    must(syscall(SYS_capset, &header, data), "capset");
}

static void become(int user) {
    must(setgroups(0, NULL), "setgroups");
    must(setresgid(user, user, user), "setresgid");
    must(setresuid(user, user, user), "setresuid");
}

static void limit(int resource, const char *text) {
    struct rlimit value = {strtoul(text, NULL, 10), strtoul(text, NULL, 10)};
    must(setrlimit(resource, &value), "setrlimit");
}

static void enter(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/cgroup.procs", folder);
    int file = open(path, O_WRONLY);
    must(file, path);
    must(write(file, "0", 1), path);
    close(file);
}

int main(int count, char **words) {
    int at = 1;
    for (; at < count && strcmp(words[at], "--") != 0; at++) {
        const char *word = words[at];
        if (strcmp(word, "odd") == 0) odd();
        else if (strcmp(word, "no-namespaces") == 0) refuse_namespaces();
        else if (strcmp(word, "no-control-groups") == 0) hide_control_groups();
        else if (strcmp(word, "few-capabilities") == 0) drop_capabilities();
        else if (strcmp(word, "user") == 0) become(atoi(words[++at]));
        else if (strcmp(word, "join") == 0) enter(words[++at]);
        else if (strcmp(word, "small-disk") == 0) mount_disk(words[++at], 0, "size=256k");
        else if (strcmp(word, "few-files-disk") == 0) mount_disk(words[++at], 0, "nr_inodes=1");
        else if (strcmp(word, "noexec-disk") == 0) mount_disk(words[++at], MS_NOEXEC, "mode=1777");
        else if (strcmp(word, "files") == 0) limit(RLIMIT_NOFILE, words[++at]);
        else if (strcmp(word, "file-size") == 0) limit(RLIMIT_FSIZE, words[++at]);
        else if (strcmp(word, "processes") == 0) limit(RLIMIT_NPROC, words[++at]);
        else if (strcmp(word, "closed") == 0) close(0), close(1), close(2);
        else must((errno = EINVAL, -1), word);
    }
    must(at + 1 < count ? 0 : -1, "nothing to start");
    execv(words[at + 1], words + at + 1);
    must(-1, words[at + 1]);
}
