/* Prints the vectors of binary128.txt with the arithmetic of GCC and its libquadmath:
 * gcc binary128.c -lquadmath && ./a.out > binary128.txt */
#include <inttypes.h>
#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 34;
static uint64_t next(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 16 ^ state << 31;
}
static void bits(__float128 x) {
  uint64_t words[2];
  memcpy(words, &x, 16);
  printf(" %016" PRIx64 "%016" PRIx64, words[1], words[0]);
}
static __float128 number(void) {
  uint64_t words[2] = {next() << 16 ^ next(), next() & 0x0000ffffffffffffu};
  static const int fields[] = {0, 0, 1, 0x3fff, 0x4000, 0x7ffe, 0x3f80, 0x4060};
  uint64_t field = next() % 3 ? (uint64_t)fields[next() % 8] + next() % 3 : next() % 0x7fff;
  if (field > 0x7ffe) field = 0x7ffe;
  if (next() % 5 == 0) words[0] = 0;
  if (next() % 5 == 0) words[1] = next() % 2 ? 0 : 0xffffffffffffu;
  words[1] |= field << 48 | (next() & 1) << 63;
  __float128 x;
  memcpy(&x, words, 16);
  return x;
}
static void parse(const char *text) {
  printf("parse %s", text);
  bits(strtoflt128(text, NULL));
  puts("");
}
static void both(const char *name, __float128 a, __float128 b, __float128 c) {
  printf("%s", name);
  bits(a), bits(b), bits(c);
  puts("");
}
int main(void) {
  static const char *texts[] = {"0.1", "0.0", "1.0", "1e4000", "1.0e400", "1e-4000", "1e4932", "1e4933",
    "1.189731495357231765085759326628007016e4932", "1.189731495357231765085759326628007017e4932",
    "3.362103143112093506262677817321752602e-4932", "6.475175119438025110924438958227646552e-4966",
    "3.237587559719012555462219479113823276e-4966", "3.2375875597190125e-4966", "1e-4966", "1e-5000",
    "3.14159265358979323846264338327950288", "9007199254740993.0", "1e22", "1e23", "123456789e-20",
    "0.00000000000000000000000000000000000001", "5192296858534827628530496329220095.5",
    "10384593717069655257060992658440191.0", "10384593717069655257060992658440193.0",
    "10384593717069655257060992658440193.00000000000000000000000000000000000000001"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) parse(texts[i]);
  for (int i = 0; i < 150; i++) {
    char text[80];
    int digits = 1 + next() % 45, at = 0;
    text[at++] = '1' + next() % 9, text[at++] = '.';
    for (int d = 0; d < digits; d++) text[at++] = '0' + next() % 10;
    sprintf(text + at, "e%d", (int)(next() % 9900) - 4966);
    parse(text);
  }
  for (int i = 0; i < 150; i++) {
    __float128 a = number(), b = number();
    both("add", a, b, a + b), both("subtract", a, b, a - b), both("multiply", a, b, a * b);
    if (b != 0) both("divide", a, b, a / b);
    printf("narrow"), bits(a);
    double d = a; float f = a; uint64_t dw; uint32_t fw;
    memcpy(&dw, &d, 8), memcpy(&fw, &f, 4);
    printf(" %016" PRIx64 " %08" PRIx32 "\n", dw, fw);
  }
  for (int i = 0; i < 60; i++) { /* near the numbers of the narrower formats */
    uint64_t words[2] = {i % 3 ? 0 : next(), 0};
    words[1] = ((0x3fffull - (i % 2 ? 1080 : 150) + next() % (i % 2 ? 2200 : 300)) << 48) | (next() & 0xffffffffffffull);
    words[1] &= i % 4 ? ~0ull << 20 : ~0ull;
    if (i % 5 == 0) words[0] = 1ull << 59, words[1] |= 1;
    __float128 a; memcpy(&a, words, 16);
    printf("narrow"), bits(a);
    double d = a; float f = a; uint64_t dw; uint32_t fw;
    memcpy(&dw, &d, 8), memcpy(&fw, &f, 4);
    printf(" %016" PRIx64 " %08" PRIx32 "\n", dw, fw);
  }
}
