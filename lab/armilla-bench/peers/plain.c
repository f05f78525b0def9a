/* Plain sockets: what every other program is compared with. The commands are in README.md. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct task {
  uint32_t kind, count, there, back;
};

static void fail(const char *what) {
  printf("error %s: %s\n", what, strerror(errno));
  fflush(stdout);
  exit(1);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int send_all(int s, const char *p, size_t n) {
  while (n > 0) {
    ssize_t sent = send(s, p, n, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return 0;
    p += sent;
    n -= (size_t)sent;
  }
  return 1;
}

static int recv_all(int s, char *p, size_t n) {
  while (n > 0) {
    ssize_t got = recv(s, p, n, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    p += got;
    n -= (size_t)got;
  }
  return 1;
}

/* Begins at a page: how fast the kernel copies depends on where a buffer begins. */
static void *grow(void *buffer, size_t *have, size_t need) {
  void *larger;
  if (need <= *have) return buffer;
  if (posix_memalign(&larger, 4096, need) != 0) fail("posix_memalign");
  memset(larger, 'x', need);
  free(buffer);
  *have = need;
  return larger;
}

static int tcp(const char *transport) { return strcmp(transport, "tcp") == 0; }

static int make_socket(const char *transport, int queue) {
  int s = socket(tcp(transport) ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
  if (s < 0) fail("socket");
  if (queue > 0) {
    setsockopt(s, SOL_SOCKET, SO_SNDBUF, &queue, sizeof queue);
    setsockopt(s, SOL_SOCKET, SO_RCVBUF, &queue, sizeof queue);
  }
  if (tcp(transport)) {
    const char *congestion = getenv("BENCH_CONGESTION");
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (congestion)
      setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, congestion, (socklen_t)strlen(congestion));
  }
  return s;
}

static void serve_one(int s) {
  static char *buffer;
  static size_t have;
  struct task t;
  while (recv_all(s, (char *)&t, sizeof t)) {
    size_t chunk = t.there > t.back ? t.there : t.back;
    buffer = grow(buffer, &have, chunk > 8 ? chunk : 8);
    if (t.kind == 1) {
      /* A flood: whatever a read brings counts. */
      uint64_t left = (uint64_t)t.there * t.count, total = left;
      while (left > 0) {
        ssize_t got = recv(s, buffer, left < chunk ? left : chunk, 0);
        if (got <= 0) return;
        left -= (uint64_t)got;
      }
      if (!send_all(s, (char *)&total, sizeof total)) return;
    } else {
      for (uint32_t i = 0; i < t.count; i++)
        if (!recv_all(s, buffer, t.there) || !send_all(s, buffer, t.back)) return;
    }
  }
}

static void server(const char *transport, const char *address, int queue) {
  int listener = make_socket(transport, queue);
  if (tcp(transport)) {
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t length = sizeof a;
    inet_pton(AF_INET, address, &a.sin_addr);
    if (bind(listener, (struct sockaddr *)&a, sizeof a) < 0) fail("bind");
    if (listen(listener, 8) < 0) fail("listen");
    getsockname(listener, (struct sockaddr *)&a, &length);
    printf("%s:%d\n", address, ntohs(a.sin_port));
  } else {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    strncpy(a.sun_path, address, sizeof a.sun_path - 1);
    if (bind(listener, (struct sockaddr *)&a, sizeof a) < 0) fail("bind");
    if (listen(listener, 8) < 0) fail("listen");
    printf("%s\n", address);
  }
  fflush(stdout);
  for (;;) {
    int s = accept(listener, NULL, NULL), one = 1;
    if (s < 0) fail("accept");
    if (tcp(transport)) setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    serve_one(s);
    close(s);
  }
}

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void report(int64_t total, int64_t *samples, size_t n) {
  qsort(samples, n, sizeof *samples, compare);
  printf("ok %lld %lld %lld %lld %lld %lld %lld\n", (long long)total, (long long)samples[n / 2],
         (long long)samples[n / 100], (long long)samples[n - 1 - n / 100],
         (long long)samples[n - 1 - n / 1000], (long long)samples[0], (long long)samples[n - 1]);
}

static void client(const char *transport, char *where, int queue) {
  static char line[256], *buffer;
  static int64_t *samples;
  static size_t have, room;
  // The counting run must not count the clock calls.
  int whole = getenv("BENCH_WHOLE") != NULL;
  int s = make_socket(transport, queue);
  if (tcp(transport)) {
    struct sockaddr_in a = {.sin_family = AF_INET};
    char *colon = strrchr(where, ':');
    if (!colon) fail("address");
    *colon = 0;
    inet_pton(AF_INET, where, &a.sin_addr);
    a.sin_port = htons((uint16_t)atoi(colon + 1));
    if (connect(s, (struct sockaddr *)&a, sizeof a) < 0) fail("connect");
  } else {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    strncpy(a.sun_path, where, sizeof a.sun_path - 1);
    if (connect(s, (struct sockaddr *)&a, sizeof a) < 0) fail("connect");
  }
  printf("ready\n");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    struct task t = {0};
    if (sscanf(line, "exchange %u %u %u", &t.there, &t.back, &t.count) == 3) {
      buffer = grow(buffer, &have, t.there > t.back ? t.there : t.back);
      samples = grow(samples, &room, t.count * sizeof *samples);
      int64_t begun = now(), before = begun;
      if (!send_all(s, (char *)&t, sizeof t)) fail("send");
      for (uint32_t i = 0; i < t.count; i++) {
        if (!send_all(s, buffer, t.there)) fail("send");
        if (!recv_all(s, buffer, t.back)) fail("recv");
        if (whole) continue;
        int64_t after = now();
        samples[i] = after - before;
        before = after;
      }
      int64_t total = (whole ? now() : before) - begun;
      if (whole)
        report(total, &total, 1);
      else
        report(total, samples, t.count);
    } else if (sscanf(line, "flood %u %u", &t.there, &t.count) == 2) {
      uint64_t confirmed = 0;
      t.kind = 1;
      buffer = grow(buffer, &have, t.there);
      int64_t begun = now();
      if (!send_all(s, (char *)&t, sizeof t)) fail("send");
      for (uint32_t i = 0; i < t.count; i++)
        if (!send_all(s, buffer, t.there)) fail("send");
      if (!recv_all(s, (char *)&confirmed, sizeof confirmed)) fail("recv");
      int64_t total = now() - begun;
      if (confirmed != (uint64_t)t.there * t.count) fail("delivery");
      report(total, &total, 1);
    } else {
      printf("no such command here\n");
    }
    fflush(stdout);
  }
}

int main(int count, char **words) {
  if (count != 5) return 2;
  if (strcmp(words[1], "server") == 0)
    server(words[2], words[3], atoi(words[4]));
  else
    client(words[2], words[3], atoi(words[4]));
  return 0;
}
