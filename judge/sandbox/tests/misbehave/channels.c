/* Programs that try to reach or observe others without files. */
#include "misbehave.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

static int connected(int family, int type, const void *address, socklen_t size) {
    int end = socket(family, type, 0);
    if (end < 0)
        return 0;
    return connect(end, address, size) == 0 && send(end, "x", 1, MSG_NOSIGNAL) == 1;
}

/* Sends from either end of a pair to a named socket, with a descriptor. */
static void whisper(int type, struct sockaddr_un *to, socklen_t size, const char *how) {
    int ends[2];
    if (socketpair(AF_UNIX, type, 0, ends))
        return;
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    memcpy(CMSG_DATA(&control.header), ends, sizeof(int));
    struct iovec byte = {"x", 1};
    struct mmsghdr message = {{to, size, &byte, 1, &control, sizeof control, 0}, 0};
    int sent = sendto(ends[0], "x", 1, MSG_NOSIGNAL, (struct sockaddr *)to, size) == 1;
    sent |= sendmsg(ends[0], &message.msg_hdr, MSG_NOSIGNAL) == 1;
    sent |= sendmmsg(ends[0], &message, 1, MSG_NOSIGNAL) == 1;
    sent |= connect(ends[1], (struct sockaddr *)to, size) == 0;
    send(ends[1], "x", 1, MSG_NOSIGNAL);
    if (sent)
        ESCAPED("%s, type %d", how, type);
    struct sockaddr_un own = {.sun_family = AF_UNIX, .sun_path = "own"};
    if (bind(ends[0], (struct sockaddr *)&own, sizeof own) == 0 || listen(ends[0], 1) == 0)
        ESCAPED("a name of its own, type %d", type);
}

/* The arguments are a port on this host, the name of abstract sockets, and the paths of others. */
static int network(char **arguments) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(arguments[0]))};
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connected(AF_INET, SOCK_STREAM, &four, sizeof four))
        ESCAPED("tcp");
    if (connected(AF_INET, SOCK_DGRAM, &four, sizeof four))
        ESCAPED("udp");
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    strcpy(local.sun_path + 1, arguments[1]);
    socklen_t nameless = (socklen_t)(3 + strlen(arguments[1]));
    if (connected(AF_UNIX, SOCK_STREAM, &local, nameless))
        ESCAPED("abstract");
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_RAW};
    for (int which = 0; which < 4; which++)
        whisper(types[which], &local, nameless, "abstract");
    memset(local.sun_path, 0, sizeof local.sun_path);
    strcpy(local.sun_path, arguments[2]);
    if (connected(AF_UNIX, SOCK_STREAM, &local, sizeof local))
        ESCAPED("path");
    strcpy(local.sun_path, arguments[3]);
    for (int which = 0; which < 4; which++)
        whisper(types[which], &local, sizeof local, "path");
    static const int families[] = {AF_NETLINK, AF_PACKET, 40 /* vsock */, 38 /* alg */, 44 /* xdp */, 31 /* bluetooth */};
    for (int which = 0; which < 6; which++)
        for (int type = 1; type < 6; type++) {
            int end = socket(families[which], type, 0);
            if (end >= 0)
                ESCAPED("a socket of family %d", families[which]);
        }
    return 0;
}

/* The namespace's counters, which are the same in every run. */
static int ids(char **arguments) {
    (void)arguments;
    printf("%d", getpid());
    fflush(stdout);
    for (int child = 0; child < 5; child++) {
        int pid = fork();
        if (pid == 0)
            _exit(0);
        waitpid(pid, NULL, 0);
        printf(" %d", pid);
    }
    char name[64] = "";
    gethostname(name, sizeof name);
    printf(" %s\n", name);
    return 0;
}

/* Locks of others: the argument is a file of theirs. It holds any lock it gets for a while. */
static int locks(char **arguments) {
    int file = open(arguments[0], O_RDONLY);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int told = fcntl(file, F_GETLK, &lock);
    printf("%d %d", told, told == 0 && lock.l_type != F_UNLCK);
    lock = (struct flock){.l_type = F_RDLCK, .l_whence = SEEK_SET};
    printf(" %d", fcntl(file, F_SETLK, &lock));
    printf(" %d", fcntl(file, F_OFD_SETLK, &lock));
    printf(" %d", flock(file, LOCK_EX | LOCK_NB));
    printf(" %d\n", fcntl(file, F_SETLEASE, F_RDLCK));
    fflush(stdout);
    rest(0.2);
    return file < 0;
}

int main(int count, char **arguments) {
    static const struct mode modes[] = {{"network", network}, {"ids", ids}, {"locks", locks}, {NULL, NULL}};
    return dispatch(modes, count, arguments);
}
