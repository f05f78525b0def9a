// omniORB in the real-time experiment: the same processes as ours in src/worker/realtime.
//
//   server                                prints the references of the low and of the high object
//   high REF rate=N periods=N             prints the latencies of periodic calls, as ours does
//   load REF clients=N load=WORD percent=N   calls until standard input ends
//
// All threads of the server are ordinary ones: omniORB has no priorities. The client that is timed
// is real-time.
#include <algorithm>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <string>
#include <thread>
#include <vector>

#include "realtime.hh"

static int64_t now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static volatile uint64_t sink;

// Works for a time of the processor.
static void spend(int64_t nanos) {
  int64_t begun = now(CLOCK_THREAD_CPUTIME_ID);
  while (now(CLOCK_THREAD_CPUTIME_ID) - begun < nanos)
    for (uint64_t n = 0; n < 500; ++n) sink = sink * 31 + n;
}

class Workshop : public virtual POA_RealTime::Task {
 public:
  void work(CORBA::ULong micros) override { spend(micros * 1000LL); }

  void churn(CORBA::ULong micros) override {
    for (CORBA::ULong round = 0; round < micros / 100; ++round) {
      std::vector<std::vector<char>> blocks;
      for (size_t n = 1; n < 32; ++n) blocks.emplace_back(n * 1024, char(n));
      sink = sink + blocks.size();
      spend(50000);
    }
  }
};

static long option(int argc, char **argv, const char *name, long usual) {
  size_t length = std::strlen(name);
  for (int i = 1; i < argc; ++i)
    if (!std::strncmp(argv[i], name, length) && argv[i][length] == '=')
      return std::atol(argv[i] + length + 1);
  return usual;
}

static void wait_for_end() {
  char octet;
  while (read(0, &octet, 1) > 0) {
  }
}

static int serve() {
  const char *options[][2] = {{"endPoint", "giop:tcp:127.0.0.1:"}, {nullptr, nullptr}};
  int none = 0;
  CORBA::ORB_var orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);
  CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  std::string references;
  for (int i = 0; i < 2; ++i) {
    PortableServer::Servant_var<Workshop> servant = new Workshop;
    PortableServer::ObjectId_var id = poa->activate_object(servant);
    CORBA::Object_var object = poa->id_to_reference(id);
    CORBA::String_var text = orb->object_to_string(object);
    references += (i ? " " : "") + std::string(text);
  }
  std::printf("%s\n", references.c_str());
  std::fflush(stdout);
  wait_for_end();
  return 0;
}

static RealTime::Task_var resolve(CORBA::ORB_ptr orb, const char *reference) {
  CORBA::Object_var object = orb->string_to_object(reference);
  return RealTime::Task::_narrow(object);
}

static int high(int argc, char **argv) {
  int none = 0;
  CORBA::ORB_var orb = CORBA::ORB_init(none, nullptr, "omniORB4");
  RealTime::Task_var task = resolve(orb, argv[2]);
  for (int i = 0; i < 10; ++i) task->work(100);
  sched_param parameters{};
  parameters.sched_priority = 90;
  if (sched_setscheduler(0, SCHED_FIFO, &parameters)) std::perror("the client");
  const int64_t period = 1000000000LL / option(argc, argv, "rate", 100);
  const int64_t count = option(argc, argv, "periods", 100);
  std::vector<int64_t> times;
  times.reserve(2 * count);
  const int64_t start = now(CLOCK_MONOTONIC) + 20000000;
  for (int64_t index = 0; index < count;) {
    const int64_t release = start + index * period;
    timespec until{release / 1000000000, release % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr)) {
    }
    const int64_t woken = now(CLOCK_MONOTONIC) - release;
    task->work(100);
    const int64_t ended = now(CLOCK_MONOTONIC) - release;
    times.push_back(woken);
    times.push_back(ended);
    index += 1 + ended / period;
  }
  std::printf("%lld", (long long)count);
  for (int64_t time : times) std::printf(" %lld", (long long)time);
  std::printf("\n");
  std::fflush(stdout);
  return 0;
}

static int load(int argc, char **argv) {
  int none = 0;
  // As many connections as clients, as ours has.
  const char *options[][2] = {{"oneCallPerConnection", "1"},
                              {"maxGIOPConnectionPerServer", "100"},
                              {nullptr, nullptr}};
  CORBA::ORB_var orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);
  RealTime::Task_var task = resolve(orb, argv[2]);
  const long clients = option(argc, argv, "clients", 1);
  const long percent = option(argc, argv, "percent", 100);
  const int64_t period = percent < 100 ? 1000000LL * clients * 100 / percent : 0;
  bool churns = false;
  for (int i = 1; i < argc; ++i) churns |= !std::strcmp(argv[i], "load=churn");
  for (long i = 0; i < clients; ++i)
    std::thread([task, period, churns] {
      int64_t release = now(CLOCK_MONOTONIC);
      try {
        for (;;) {
          churns ? task->churn(1000) : task->work(1000);
          release = std::max(release + period, now(CLOCK_MONOTONIC));
          timespec until{release / 1000000000, release % 1000000000};
          if (period) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
        }
      } catch (const CORBA::Exception &e) {
        std::fprintf(stderr, "load: %s\n", e._name());
      }
    }).detach();
  std::printf("ready\n");
  std::fflush(stdout);
  wait_for_end();
  _exit(0);
}

int main(int argc, char **argv) {
  mlockall(MCL_CURRENT | MCL_FUTURE);
  try {
    if (argc > 1 && !std::strcmp(argv[1], "server")) return serve();
    if (argc > 2 && !std::strcmp(argv[1], "high")) return high(argc, argv);
    if (argc > 2 && !std::strcmp(argv[1], "load")) return load(argc, argv);
  } catch (const CORBA::Exception &e) {
    std::fprintf(stderr, "%s\n", e._name());
    return 1;
  }
  std::fprintf(stderr, "usage: server | high REF … | load REF …\n");
  return 2;
}
