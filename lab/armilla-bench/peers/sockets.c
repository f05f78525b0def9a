/* Preloaded into a broker: gives every stream socket the same queues and congestion control, even if
   the broker has no options for them. Options that the broker sets later take precedence. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int socket(int domain, int type, int protocol) {
  int s = (int)syscall(SYS_socket, domain, type, protocol);
  int tcp = domain == AF_INET || domain == AF_INET6;
  const char *words = getenv("BENCH_QUEUE"), *congestion = getenv("BENCH_CONGESTION");
  int queue = words ? atoi(words) : 0;
  if (s < 0 || (type & 0xf) != SOCK_STREAM || (!tcp && domain != AF_UNIX)) return s;
  /* Before the connection is made, so that both ends know the window; accepted sockets inherit it. */
  if (queue > 0) {
    setsockopt(s, SOL_SOCKET, SO_SNDBUF, &queue, sizeof queue);
    setsockopt(s, SOL_SOCKET, SO_RCVBUF, &queue, sizeof queue);
  }
  if (tcp && congestion) setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, congestion, (socklen_t)strlen(congestion));
  return s;
}
