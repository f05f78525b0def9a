/* What the programs in C and C++ of E6 share: the images of a server, the viewers of a client, and
 * the commands. See README.md. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct image {
  int file;
  off_t offset;
  size_t size;
};

/* At most so many images, and viewers at once. */
enum { IMAGES = 4096, VIEWERS = 16 };

static struct image images[IMAGES];
static uint32_t image_count;

static void fail(const char *what) {
  printf("error %s: %s\n", what, strerror(errno));
  fflush(stdout);
  exit(1);
}

static int64_t clock_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Reads DIRECTORY/list: a line for each image with its file, the offset there, and the size. */
static inline void open_images(const char *directory) {
  char name[64], path[4096], before[4096] = "";
  long long offset;
  size_t size;
  FILE *list;
  int file = -1;
  snprintf(path, sizeof path, "%s/list", directory);
  list = fopen(path, "r");
  if (!list) fail(path);
  while (image_count < IMAGES && fscanf(list, "%63s %lld %zu", name, &offset, &size) == 3) {
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (strcmp(path, before) != 0) file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) fail(path);
    strcpy(before, path);
    images[image_count].file = file;
    images[image_count].offset = (off_t)offset;
    images[image_count++].size = size;
  }
  fclose(list);
}

/* A server: answers each line with the processor time that it has used, in nanoseconds. */
static inline void tell_usage(void) {
  char line[64];
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    printf("%lld\n", (long long)clock_of(CLOCK_PROCESS_CPUTIME_ID));
    fflush(stdout);
  }
}

/* A viewer keeps what it has fetched in a buffer of its own. */
struct viewer {
  unsigned char *buffer;
  size_t room;
  int number, socket;
  uint32_t first, count;
  size_t size;
};

/* Fetches an image. */
typedef void fetch_image(struct viewer *viewer, uint32_t number, unsigned char *to, size_t size);

static struct viewer viewers[VIEWERS];
static pthread_barrier_t begun, ended;
static fetch_image *fetch_one;

/* The same as in src/imaging/images.rs. */
static inline uint64_t checksum(const unsigned char *octets, size_t size) {
  uint64_t sum = size, word;
  for (size_t i = 0; i + 8 <= size; i += 8) {
    memcpy(&word, octets + i, 8);
    sum = ((sum << 5 | sum >> 59) ^ word) * 0x9E3779B97F4A7C15ULL;
  }
  return sum;
}

static inline void *view(void *argument) {
  struct viewer *viewer = (struct viewer *)argument;
  pthread_barrier_wait(&begun);
  for (uint32_t i = 0; i < viewer->count; i++)
    fetch_one(viewer, viewer->first + i, viewer->buffer + i * viewer->size, viewer->size);
  pthread_barrier_wait(&ended);
  return NULL;
}

/* fetch FIRST COUNT SIZE VIEWERS: the clock runs from the moment when all viewers begin to that when
 * the last one has everything. What has come is checked afterwards. */
static inline void fetch_all(uint32_t first, uint32_t count, size_t size, unsigned many) {
  pthread_t threads[VIEWERS];
  uint64_t sum = 0;
  int64_t before, used;
  pthread_barrier_init(&begun, NULL, many + 1);
  pthread_barrier_init(&ended, NULL, many + 1);
  for (unsigned i = 0; i < many; i++) {
    struct viewer *viewer = &viewers[i];
    if (viewer->room < size * count) {
      free(viewer->buffer);
      viewer->room = size * count;
      viewer->buffer = (unsigned char *)malloc(viewer->room);
      if (!viewer->buffer) fail("malloc");
    }
    memset(viewer->buffer, 0, size * count);
    viewer->first = first, viewer->count = count, viewer->size = size;
    if (pthread_create(&threads[i], NULL, view, viewer)) fail("thread");
  }
  before = clock_of(CLOCK_MONOTONIC), used = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  pthread_barrier_wait(&begun);
  pthread_barrier_wait(&ended);
  before = clock_of(CLOCK_MONOTONIC) - before, used = clock_of(CLOCK_PROCESS_CPUTIME_ID) - used;
  for (unsigned i = 0; i < many; i++) {
    uint64_t found = checksum(viewers[i].buffer, size * count);
    pthread_join(threads[i], NULL);
    if (i > 0 && found != sum) {
      printf("error the viewers got different octets\n");
      return;
    }
    sum = found;
  }
  pthread_barrier_destroy(&begun);
  pthread_barrier_destroy(&ended);
  printf("ok %lld %lld %llx\n", (long long)before, (long long)used, (unsigned long long)sum);
}

/* A client: carries out the commands of its standard input. */
static inline void serve_commands(fetch_image *fetch) {
  char line[256];
  fetch_one = fetch;
  for (int i = 0; i < VIEWERS; i++) viewers[i].number = i, viewers[i].socket = -1;
  printf("ready\n");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    uint32_t first, count;
    size_t size;
    unsigned many;
    if (sscanf(line, "fetch %u %u %zu %u", &first, &count, &size, &many) == 4 && many > 0 &&
        many <= VIEWERS)
      fetch_all(first, count, size, many);
    else
      printf("error no such command\n");
    fflush(stdout);
  }
}
