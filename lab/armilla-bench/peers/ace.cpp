// ACE's socket wrappers, without a protocol: what plain.c does. The commands are in README.md.
#include "worker.hpp"

#include <ace/INET_Addr.h>
#include <ace/LSOCK_Acceptor.h>
#include <ace/LSOCK_Connector.h>
#include <ace/SOCK_Acceptor.h>
#include <ace/SOCK_Connector.h>
#include <ace/UNIX_Addr.h>
#include <netinet/tcp.h>
#include <cstdlib>
#include <new>

struct Task {
  uint32_t kind, count, there, back;
};

// Octets that begin at a page, as in plain.c.
class Pages {
 public:
  ~Pages() { std::free(memory_); }
  char *data() { return memory_; }
  void resize(std::size_t octets) {
    if (octets <= have_) return;
    std::free(memory_);
    void *larger = nullptr;
    if (posix_memalign(&larger, 4096, octets) != 0) throw std::bad_alloc();
    memory_ = static_cast<char *>(std::memset(larger, 'x', octets));
    have_ = octets;
  }

 private:
  char *memory_ = nullptr;
  std::size_t have_ = 0;
};

template <class Endpoint>
static void set_queues(Endpoint &endpoint, int queue) {
  if (queue <= 0) return;
  endpoint.set_option(SOL_SOCKET, SO_SNDBUF, &queue, sizeof queue);
  endpoint.set_option(SOL_SOCKET, SO_RCVBUF, &queue, sizeof queue);
}

template <class Endpoint>
static void set_tcp(Endpoint &endpoint) {
  int one = 1;
  endpoint.set_option(IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (const char *congestion = std::getenv("BENCH_CONGESTION"))
    endpoint.set_option(IPPROTO_TCP, TCP_CONGESTION, (void *)congestion, (int)std::strlen(congestion));
}

template <class Stream>
static void serve(Stream &stream) {
  Pages buffer;
  Task t;
  while (stream.recv_n(&t, sizeof t) == (ssize_t)sizeof t) {
    buffer.resize(std::max<std::size_t>({t.there, t.back, 8}));
    if (t.kind == 1) {
      uint64_t total = (uint64_t)t.there * t.count, left = total;
      while (left > 0) {
        ssize_t got = stream.recv(buffer.data(), std::min<uint64_t>(left, t.there));
        if (got <= 0) return;
        left -= (uint64_t)got;
      }
      if (stream.send_n(&total, sizeof total) <= 0) return;
    } else {
      for (uint32_t i = 0; i < t.count; ++i)
        if (stream.recv_n(buffer.data(), t.there) <= 0 || stream.send_n(buffer.data(), t.back) <= 0) return;
    }
  }
}

template <class Stream>
static void drive(Stream &stream) {
  Pages buffer;
  auto must = [](bool good, const char *what) {
    if (good) return;
    std::printf("error %s: %s\n", what, std::strerror(errno));
    std::exit(1);
  };
  worker::serve_commands([&](const std::vector<std::string> &words) {
    if (words.size() == 4 && words[0] == "exchange") {
      Task t = {0, worker::number(words[3]), worker::number(words[1]), worker::number(words[2])};
      buffer.resize(std::max(t.there, t.back));
      must(stream.send_n(&t, sizeof t) > 0, "send");
      worker::each(t.count, [&](unsigned) {
        must(stream.send_n(buffer.data(), t.there) > 0, "send");
        must(stream.recv_n(buffer.data(), t.back) > 0, "recv");
      });
    } else if (words.size() == 3 && words[0] == "flood") {
      Task t = {1, worker::number(words[2]), worker::number(words[1]), 0};
      buffer.resize(t.there);
      worker::all([&] {
        uint64_t confirmed = 0;
        must(stream.send_n(&t, sizeof t) > 0, "send");
        for (uint32_t i = 0; i < t.count; ++i) must(stream.send_n(buffer.data(), t.there) > 0, "send");
        must(stream.recv_n(&confirmed, sizeof confirmed) > 0, "recv");
        must(confirmed == (uint64_t)t.there * t.count, "delivery");
      });
    } else {
      worker::cannot();
    }
  });
}

static int server_tcp(const char *host, int queue) {
  ACE_INET_Addr any((u_short)0, host), here;
  ACE_SOCK_Acceptor acceptor;
  // Not acceptor.open, which listens at once: the options must be set at the same moment as in
  // plain.c.
  if (acceptor.ACE_SOCK::open(SOCK_STREAM, AF_INET, 0, 1) < 0) return 1;
  set_queues(acceptor, queue);
  set_tcp(acceptor);
  ACE_HANDLE socket = acceptor.get_handle();
  if (ACE_OS::bind(socket, (sockaddr *)any.get_addr(), any.get_size()) < 0) return 1;
  if (ACE_OS::listen(socket, 8) < 0) return 1;
  acceptor.get_local_addr(here);
  std::printf("%s:%d\n", host, here.get_port_number());
  std::fflush(stdout);
  for (ACE_SOCK_Stream stream; acceptor.accept(stream) == 0; stream.close()) {
    set_tcp(stream);
    serve(stream);
  }
  return 1;
}

static int server_unix(const char *path, int queue) {
  ACE_LSOCK_Acceptor acceptor;
  if (acceptor.open(ACE_UNIX_Addr(path)) < 0) return 1;
  set_queues(acceptor, queue);
  std::printf("%s\n", path);
  std::fflush(stdout);
  for (ACE_LSOCK_Stream stream; acceptor.accept(stream) == 0; stream.close()) serve(stream);
  return 1;
}

int main(int count, char **words) {
  if (count != 5) return 2;
  const bool tcp = !std::strcmp(words[2], "tcp"), server = !std::strcmp(words[1], "server");
  const int queue = std::atoi(words[4]);
  if (server) return tcp ? server_tcp(words[3], queue) : server_unix(words[3], queue);
  if (tcp) {
    // The queues must be set before the connection is established, because they determine the
    // window.
    ACE_SOCK_Stream stream;
    ACE_SOCK_Connector connector;
    if (stream.open(SOCK_STREAM, AF_INET, 0, 0) < 0) return 1;
    set_queues(stream, queue);
    set_tcp(stream);
    if (connector.connect(stream, ACE_INET_Addr(words[3])) < 0) return 1;
    drive(stream);
  } else {
    ACE_LSOCK_Stream stream;
    ACE_LSOCK_Connector connector;
    if (connector.connect(stream, ACE_UNIX_Addr(words[3])) < 0) return 1;
    set_queues(stream, queue);
    drive(stream);
  }
  return 0;
}
