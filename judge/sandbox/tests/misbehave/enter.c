/* Executes another program in a reduced environment: `enter container PROGRAM…`, `enter alone PROGRAM…`. */
#include "misbehave.h"
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

#define NUMBER offsetof(struct seccomp_data, nr)
#define FLAGS offsetof(struct seccomp_data, args)
#define REFUSE(call, error) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

static int go_on(char **program) {
    execv(program[0], program);
    perror(program[0]);
    return 1;
}

/* Calls that create namespaces and mounts are refused, and root only has the usual capabilities. */
static int container(char **program) {
    static const int usual[] = {CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FSETID, CAP_FOWNER, CAP_MKNOD, CAP_NET_RAW, CAP_SETGID,
                                CAP_SETUID, CAP_SETFCAP, CAP_SETPCAP, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_KILL,
                                CAP_AUDIT_WRITE};
    for (int right = 0; right < 64; right++) {
        int is_usual = 0;
        for (unsigned which = 0; which < sizeof usual / sizeof *usual; which++)
            is_usual |= usual[which] == right;
        if (!is_usual)
            prctl(PR_CAPBSET_DROP, right, 0, 0, 0);
    }
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
        REFUSE(SYS_unshare, EPERM),
        REFUSE(SYS_setns, EPERM),
        REFUSE(SYS_mount, EPERM),
        REFUSE(SYS_fsopen, EPERM),
        /* Its flags are behind a pointer. Libraries have a fallback. */
        REFUSE(SYS_clone3, ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FLAGS),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER | CLONE_NEWNS, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all)) {
        perror("seccomp");
        return 1;
    }
    return go_on(program);
}

static int write_to(const char *path, const char *text) {
    int file = open(path, O_WRONLY);
    return file < 0 || write(file, text, strlen(text)) < 0 || close(file);
}

/* A user namespace whose only user is root, mapped to this user outside. */
static int alone(char **program) {
    char user[64], group[64];
    snprintf(user, sizeof user, "0 %d 1", geteuid());
    snprintf(group, sizeof group, "0 %d 1", getegid());
    if (unshare(CLONE_NEWUSER) || write_to("/proc/self/setgroups", "deny") || write_to("/proc/self/uid_map", user) ||
        write_to("/proc/self/gid_map", group)) {
        perror("user namespace");
        return 1;
    }
    return go_on(program);
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {{"container", container}, {"alone", alone}, {NULL, NULL}};
    return dispatch(modes, count, arguments);
}
