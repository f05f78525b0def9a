/* Ping-pong and flood over plain sockets: what examples/bench.rs does, in C. See bench/run.
 *
 *     plain tcp|unix [QUEUE]
 *
 * Reads lines `ping-pong|flood BYTES COUNT`, plays each over a connection of its own, and answers with
 * the nanoseconds of one round trip, or of one message of the flood: those that passed, and those for
 * which the processor worked. COUNT / 4 more, before that, warm up. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static size_t bytes, count;
static int flood;

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void die(const char *what) {
    perror(what);
    exit(1);
}

/* So much memory the allocator fetches from the system, and gives back, every time. */
#define ROOM (33 << 20)

/* At the start of a page and in new memory for each turn, as on the other side: what the kernel's copying
 * costs depends on where it lies, by a tenth and more. */
static char *room(void) {
    char *buffer = aligned_alloc(4096, ROOM + (bytes + 4095) / 4096 * 4096);
    if (!buffer) die("aligned_alloc");
    return memset(buffer, 1, bytes);
}

static void catch_all(int fd, char *buffer, size_t length) {
    for (size_t caught = 0; caught < length;) {
        ssize_t n = recv(fd, buffer + caught, length - caught, 0);
        if (n <= 0) die("recv");
        caught += n;
    }
}

static void send_all(int fd, const char *buffer, size_t length) {
    for (size_t sent = 0; sent < length;) {
        ssize_t n = send(fd, buffer + sent, length - sent, MSG_NOSIGNAL);
        if (n < 0) die("send");
        sent += n;
    }
}

static void *serve(void *argument) {
    int fd = *(int *)argument;
    char *buffer = room();
    for (size_t i = 0; i < count / 4 + count; i++) {
        catch_all(fd, buffer, bytes);
        if (!flood) send_all(fd, buffer, bytes);
    }
    if (flood) send_all(fd, "!", 1);
    free(buffer);
    return NULL;
}

static void play(int client, int server) {
    pthread_t thread;
    pthread_create(&thread, NULL, serve, &server);
    char *buffer = room(), end;
    double start = 0, work = 0;
    for (size_t i = 0; i < count / 4 + count; i++) {
        if (i == count / 4) {
            start = now(CLOCK_MONOTONIC);
            work = now(CLOCK_PROCESS_CPUTIME_ID);
        }
        send_all(client, buffer, bytes);
        if (!flood) catch_all(client, buffer, bytes);
    }
    if (flood) catch_all(client, &end, 1);
    start = now(CLOCK_MONOTONIC) - start;
    work = now(CLOCK_PROCESS_CPUTIME_ID) - work;
    pthread_join(thread, NULL);
    free(buffer);
    printf("%.1f %.1f\n", start / count, work / count);
    fflush(stdout);
}

static void set(int fd, int level, int name, int value) {
    if (setsockopt(fd, level, name, &value, sizeof value)) die("setsockopt");
}

static void prepare(int fd, int tcp, int queue) {
    if (queue) {
        set(fd, SOL_SOCKET, SO_SNDBUF, queue);
        set(fd, SOL_SOCKET, SO_RCVBUF, queue);
    }
    if (tcp) {
        set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
        if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4)) die("reno");
    }
}

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: see the source\n"), 2;
    int tcp = !strcmp(argv[1], "tcp"), queue = argc > 2 ? atoi(argv[2]) : 0;

    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_un un;
    } address;
    socklen_t length;
    memset(&address, 0, sizeof address);
    if (tcp) {
        address.in.sin_family = AF_INET;
        address.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        length = sizeof address.in;
    } else {
        address.un.sun_family = AF_UNIX; /* an abstract name */
        length = sizeof(sa_family_t) + 1 +
                 snprintf(address.un.sun_path + 1, 100, "plain-%d", (int)getpid());
    }
    int listener = socket(address.any.sa_family, SOCK_STREAM, 0);
    prepare(listener, tcp, queue);
    if (bind(listener, &address.any, length) || listen(listener, 8)) die("listen");
    length = sizeof address;
    getsockname(listener, &address.any, &length);
    char mode[16];
    while (scanf("%15s %zu %zu", mode, &bytes, &count) == 3) {
        flood = !strcmp(mode, "flood");
        int client = socket(address.any.sa_family, SOCK_STREAM, 0);
        prepare(client, tcp, queue);
        if (connect(client, &address.any, length)) die("connect");
        int server = accept(listener, NULL, NULL);
        if (server < 0) die("accept");
        if (!tcp) prepare(server, tcp, queue);
        play(client, server);
        close(client);
        close(server);
    }
    return 0;
}
