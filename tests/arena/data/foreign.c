/* A bot for Flip 7 that answers with the first legal action, and, by its first argument, does something else at its first
 * question. What an attack gets is printed as GOT. Linked statically: cc -static. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *mode = "";
static int first = 1, given = -1;

static int is(const char *name) { return strcmp(mode, name) == 0; }

static void say(const char *text) { if (write(1, text, strlen(text)) < 0) exit(9); }

static void got(const char *what, long result) {
    if (result >= 0) fprintf(stderr, "GOT: %s\n", what);
    else fprintf(stderr, "refused: %s, errno %d\n", what, errno);
}

/* What must be refused while the program lives on. */
static void try_all(void) {
    struct sockaddr_in home = {.sin_family = AF_INET, .sin_port = 80, .sin_addr = {0x0100007f}};
    struct stat status;
    struct rlimit more = {1ul << 40, 1ul << 40}, ticks = {1000, 1000};
    char *none[] = {NULL};
    int pair[2];
    got("fork", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    got("vfork", syscall(SYS_clone, 0x4000 | 0x100 | SIGCHLD, 0, 0, 0, 0));
    got("a process by clone3", syscall(SYS_clone3, NULL, 0));
    got("open to read", open("/etc/passwd", O_RDONLY));
    got("open to write", open("/tmp/foreign", O_WRONLY | O_CREAT, 0600));
    got("open its own file", open("/proc/self/exe", O_RDONLY));
    got("stat", stat("/etc/passwd", &status));
    got("access", access("/", F_OK));
    got("chdir", chdir("/"));
    got("readlink", readlink("/proc/self/exe", (char *)&status, 8));
    got("socket", socket(AF_INET, SOCK_STREAM, 0));
    got("connect", connect(0, (struct sockaddr *)&home, sizeof home));
    got("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    got("pipe", pipe(pair));
    got("dup", dup(0));
    got("dup2", dup2(0, 8));
    got("a copy by fcntl", fcntl(0, F_DUPFD, 5));
    got("memfd", syscall(SYS_memfd_create, "x", 0));
    got("execve", execve("/bin/sh", none, none));
    got("execveat by path", syscall(SYS_execveat, AT_FDCWD, "/bin/sh", none, none, 0));
    got("execveat by descriptor", syscall(SYS_execveat, 8, "", none, none, AT_EMPTY_PATH));
    got("execveat of the log", syscall(SYS_execveat, 2, "", none, none, AT_EMPTY_PATH));
    got("kill everybody", kill(-1, 0));
    got("kill the parent", kill(getppid(), 0));
    got("a queued signal", kill(getpid(), SIGRTMIN));
    got("more memory", setrlimit(RLIMIT_AS, &more));
    got("a limit of CPU time", setrlimit(RLIMIT_CPU, &ticks));
    got("shared memory", (long)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == -1 ? -1 : 0);
    got("write its log anew", ftruncate(2, 0));
    got("read its log", pread(2, &status, 1, 0) > 0 ? 0 : -1);
    got("another descriptor", fcntl(3, F_GETFD));
    for (int fd = 4; fd < 128; fd++)
        if (fcntl(fd, F_GETFD) >= 0) got("a descriptor that was left open", 0);
#ifdef SYS_arch_prctl
    got("another segment", syscall(SYS_arch_prctl, 0x1001, 0));
#endif
}

/* A file of its folder, whose descriptor the second argument names: it can be read and nothing else. */
static void its_file(int fd) {
    char text[64] = {0};
    long length = read(fd, text, sizeof text - 1);
    char *map = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    fprintf(stderr, "read %ld: %s, mapped: %.4s\n", length, text, map == MAP_FAILED ? "not" : map);
    got("write", write(fd, "x", 1));
    got("write by another call", pwrite(fd, "x", 1, 0));
    got("make it longer", ftruncate(fd, 1 << 20));
    got("make room", fallocate(fd, 0, 0, 1 << 20));
    got("map it shared", (long)mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0) == -1 ? -1 : 0);
    got("map it to write", (long)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == -1 ? -1 : 0);
    got("lock it", fcntl(fd, F_SETLK, &(struct flock){.l_type = F_RDLCK}));
    got("seal it", fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
    got("open it anew", open("/proc/self/fd/10", O_RDWR));
    got("start it", syscall(SYS_execveat, fd, "", (char *[]){NULL}, (char *[]){NULL}, AT_EMPTY_PATH));
    for (int other = 3; other < 128; other++)
        if (other != fd && fcntl(other, F_GETFD) >= 0) got("a descriptor that was left open", 0);
}

static const struct { const char *mode, *line; } ANSWERS[] = {
    {"garbage", "garbage\n"},
    {"an empty line", "\n"},
    {"deep", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n"},
    {"no utf-8", "{\"id\":%d,\"actions\":[\"\xff\xfe\"]}\n"},
    {"no object", "[]\n"},
    {"another id", "{\"id\":77,\"actions\":[0]}\n"},
    {"true id", "{\"id\":true,\"actions\":[0]}\n"},
    {"two lines", "{\"id\":1,\"actions\":[0]}\n{\"id\":2,\"actions\":[0]}\n"},
    {"no actions", "{\"id\":%d}\n"},
    {"too many actions", "{\"id\":%d,\"actions\":[0,0]}\n"},
    {"null", "{\"id\":%d,\"actions\":[null]}\n"},
    {"a half", "{\"id\":%d,\"actions\":[0.5]}\n"},
    {"not legal", "{\"id\":%d,\"actions\":[30]}\n"},
    {"minus one", "{\"id\":%d,\"actions\":[-1]}\n"},
    {"a huge number", "{\"id\":%d,\"actions\":[99999999999999999999]}\n"},
    {"unknown text", "{\"id\":%d,\"actions\":[\"\\u001b[2Jfold\"]}\n"},
    {"by text", "{\"id\":%d,\"actions\":[\"hit\"]}\n"},
};

/* Returns 1 if the question has been answered. */
static int misbehave(int id) {
    for (size_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; i++)
        if (is(ANSWERS[i].mode)) return printf(ANSWERS[i].line, id) > 0;
    if (is("try all")) try_all();
    else if (is("its file")) its_file(given);
    else if (is("ptrace")) syscall(SYS_ptrace, 0, 0, 0, 0);
    else if (is("unshare")) syscall(SYS_unshare, 0x10000000);
    else if (is("exit at a question")) exit(3);
    else if (is("crash")) raise(SIGSEGV);
    else if (is("loop")) for (volatile int i = 0;; i++) {}
    else if (is("sleep")) for (;;) sleep(100);
    else if (is("half a line")) { say("{\"id\":"); for (;;) sleep(100); }
    else if (is("half a line and exit")) { say("{\"id\":"); exit(0); }
    else if (is("byte by byte")) for (int i = 0; i < 30000; i++) { say(" "); usleep(20); }
    else if (is("no line")) { close(1); for (;;) sleep(100); }
    else if (is("an endless line")) for (;;) say("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    else if (is("nul")) return write(1, "\0\n", 2) > 0;
    else if (is("a full log")) for (int i = 0; i < 40000; i++) fprintf(stderr, "a line of the log\n");
    else if (is("less memory")) setrlimit(RLIMIT_AS, &(struct rlimit){0, 0});
    else if (is("page tables"))  /* two pages across the border of two tables, and of two tables of tables */
        for (uintptr_t at = 1ul << 40; at < 1ul << 46; at += 1ul << 30)
            mmap((void *)(at - 4096), 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    else if (is("all memory")) {
        size_t taken = 0;
        char *piece;
        while ((piece = malloc(1 << 20)) != NULL) { memset(piece, 1, 1 << 20); taken++; }
        fprintf(stderr, "took %zu MiB\n", taken);
        abort();
    }
    return 0;
}

int main(int count, char **words) {
    char *line = NULL;
    size_t room = 0;
    if (count > 1) mode = words[1];
    if (count > 2) given = atoi(words[2]);
    if (is("exit at once")) return 7;
    if (is("loop at once")) for (volatile int i = 0;; i++) {}
    while (getline(&line, &room, stdin) > 0) {
        int id = atoi(strstr(line, "\"id\":") + 5), many = 0, answered = 0;
        if (strstr(line, "\"event\":\"decisions\"") && first) {
            first = 0;
            answered = misbehave(id);
        }
        if (!answered) {
            printf("{\"id\":%d,\"actions\":[", id);
            for (char *at = line; (at = strstr(at, "\"numbers\":[")) != NULL; at += 11)
                printf("%s%d", many++ ? "," : "", atoi(at + 11));
            printf("]}\n");
        }
        fflush(stdout);
    }
    return 0;
}
