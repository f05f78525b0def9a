/* Plain sockets move images: what every other program of E6 is compared with. README.md has the
 * commands. A client asks with 4 octets, the number of an image; the server sends its octets, as
 * many as both know of. The kernel moves them from the file to the socket, or the server reads them
 * into memory and sends them from there, as a program does that has to look at them. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "images.h"

static int make_socket(void) {
  int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
  const char *congestion = getenv("BENCH_CONGESTION");
  if (s < 0) fail("socket");
  setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (congestion)
    setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, congestion, (socklen_t)strlen(congestion));
  return s;
}

static int recv_all(int s, void *to, size_t n) {
  for (char *p = to; n > 0;) {
    ssize_t got = recv(s, p, n, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    p += got;
    n -= (size_t)got;
  }
  return 1;
}

static int send_all(int s, const void *from, size_t n) {
  for (const char *p = from; n > 0;) {
    ssize_t sent = send(s, p, n, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return 0;
    p += sent;
    n -= (size_t)sent;
  }
  return 1;
}

static int send_file(int s, const struct image *image) {
  off_t at = image->offset;
  size_t left = image->size;
  while (left > 0) {
    ssize_t sent = sendfile(s, image->file, &at, left);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return 0;
    left -= (size_t)sent;
  }
  return 1;
}

/* The octets that are read at a time, and the bit of a number that asks for this. */
enum { PART = 1 << 20, READ = 1 << 30 };

static int read_and_send(int s, const struct image *image, char *part) {
  for (size_t at = 0; at < image->size;) {
    size_t left = image->size - at;
    ssize_t got = pread(image->file, part, left < PART ? left : PART, image->offset + (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !send_all(s, part, (size_t)got)) return 0;
    at += (size_t)got;
  }
  return 1;
}

static void *serve_one(void *argument) {
  int s = (int)(intptr_t)argument;
  uint32_t number;
  char *part = malloc(PART);
  while (part && recv_all(s, &number, sizeof number) && (number & ~READ) < image_count) {
    const struct image *image = &images[number & ~READ];
    if (!(number & READ ? read_and_send(s, image, part) : send_file(s, image))) break;
  }
  free(part);
  close(s);
  return NULL;
}

static void *accept_all(void *argument) {
  int listener = (int)(intptr_t)argument, one = 1;
  for (;;) {
    pthread_t thread;
    int s = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (s < 0) continue;
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)s) == 0) pthread_detach(thread);
    else close(s);
  }
  return NULL;
}

static void server(const char *address, const char *directory) {
  int listener = make_socket();
  struct sockaddr_in a = {.sin_family = AF_INET};
  socklen_t length = sizeof a;
  pthread_t thread;
  open_images(directory);
  inet_pton(AF_INET, address, &a.sin_addr);
  if (bind(listener, (struct sockaddr *)&a, sizeof a) < 0) fail("bind");
  if (listen(listener, 64) < 0) fail("listen");
  getsockname(listener, (struct sockaddr *)&a, &length);
  if (pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)listener)) fail("thread");
  printf("%s:%d\n", address, ntohs(a.sin_port));
  tell_usage();
}

/* Whether each image has a connection of its own, and the bit that goes with its number. */
static int anew;
static uint32_t read_bit;
static struct sockaddr_in where;

static int connected(void) {
  int s = make_socket();
  if (connect(s, (struct sockaddr *)&where, sizeof where) < 0) fail("connect");
  return s;
}

static void fetch(struct viewer *viewer, uint32_t number, unsigned char *to, size_t size) {
  if (anew || viewer->socket < 0) viewer->socket = connected();
  number |= read_bit;
  if (send(viewer->socket, &number, sizeof number, MSG_NOSIGNAL) != sizeof number) fail("send");
  if (!recv_all(viewer->socket, to, size)) fail("recv");
  if (anew) close(viewer->socket);
}

int main(int count, char **words) {
  char *colon;
  if (count < 6) return 2;
  if (strcmp(words[1], "server") == 0) {
    server(words[3], words[5]);
    return 0;
  }
  colon = strrchr(words[3], ':');
  if (!colon) fail("address");
  *colon = 0;
  where.sin_family = AF_INET;
  inet_pton(AF_INET, words[3], &where.sin_addr);
  where.sin_port = htons((uint16_t)atoi(colon + 1));
  anew = strcmp(words[5], "new") == 0;
  read_bit = strcmp(words[5], "read") == 0 ? READ : 0;
  serve_commands(fetch);
  return 0;
}
