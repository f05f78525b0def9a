// Ping-pong and flood over the wrappers of ACE: what examples/bench.rs does. See bench/run and plain.c.
#include <ace/INET_Addr.h>
#include <ace/SOCK_Acceptor.h>
#include <ace/SOCK_Connector.h>
#include <netinet/tcp.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

static size_t bytes, count;
static bool flood;

static double now(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void must(bool good, const char *what) {
    if (good) return;
    perror(what);
    exit(1);
}

// See plain.c.
static const size_t ROOM = 33 << 20;

static char *room() {
    void *buffer = aligned_alloc(4096, ROOM + (bytes + 4095) / 4096 * 4096);
    must(buffer != nullptr, "aligned_alloc");
    return static_cast<char *>(memset(buffer, 1, bytes));
}

static void *serve(void *argument) {
    auto &stream = *static_cast<ACE_SOCK_Stream *>(argument);
    char *buffer = room();
    for (size_t i = 0; i < count / 4 + count; i++) {
        must(stream.recv_n(buffer, bytes) > 0, "recv");
        if (!flood) must(stream.send_n(buffer, bytes) > 0, "send");
    }
    if (flood) must(stream.send_n("!", 1) > 0, "send");
    free(buffer);
    return nullptr;
}

static void play(ACE_SOCK_Stream &client, ACE_SOCK_Stream &server) {
    pthread_t thread;
    pthread_create(&thread, nullptr, serve, &server);
    char *buffer = room(), end;
    double start = 0, work = 0;
    for (size_t i = 0; i < count / 4 + count; i++) {
        if (i == count / 4) {
            start = now(CLOCK_MONOTONIC);
            work = now(CLOCK_PROCESS_CPUTIME_ID);
        }
        must(client.send_n(buffer, bytes) > 0, "send");
        if (!flood) must(client.recv_n(buffer, bytes) > 0, "recv");
    }
    if (flood) must(client.recv_n(&end, 1) > 0, "recv");
    start = now(CLOCK_MONOTONIC) - start;
    work = now(CLOCK_PROCESS_CPUTIME_ID) - work;
    pthread_join(thread, nullptr);
    free(buffer);
    printf("%.1f %.1f\n", start / count, work / count);
    fflush(stdout);
}

static void prepare(ACE_SOCK &socket, int queue) {
    int on = 1;
    char reno[] = "reno";
    if (queue) {
        must(socket.set_option(SOL_SOCKET, SO_SNDBUF, &queue, sizeof queue) == 0, "queue");
        must(socket.set_option(SOL_SOCKET, SO_RCVBUF, &queue, sizeof queue) == 0, "queue");
    }
    must(socket.set_option(IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "no-delay");
    must(socket.set_option(IPPROTO_TCP, TCP_CONGESTION, reno, 4) == 0, "reno");
}

int main(int argc, char **argv) {
    if (argc < 2 || strcmp(argv[1], "tcp")) return fprintf(stderr, "usage: wrapped tcp [QUEUE]\n"), 2;
    int queue = argc > 2 ? atoi(argv[2]) : 0;
    ACE_SOCK_Acceptor acceptor;
    ACE_SOCK_Stream client, server;
    ACE_INET_Addr any(static_cast<u_short>(0), INADDR_LOOPBACK), here;
    must(acceptor.open(any, 1) == 0, "listen");
    prepare(acceptor, queue);
    acceptor.get_local_addr(here);
    char mode[16];
    while (scanf("%15s %zu %zu", mode, &bytes, &count) == 3) {
        flood = !strcmp(mode, "flood");
        must(client.open(SOCK_STREAM, AF_INET, 0, 0) == 0, "socket");
        prepare(client, queue);
        ACE_SOCK_Connector connector;
        must(connector.connect(client, here) == 0, "connect");
        must(acceptor.accept(server) == 0, "accept");
        play(client, server);
        client.close();
        server.close();
    }
    return 0;
}
