// omniORB: calls from many threads over one connection, and oneway calls. The commands are those of
// `links`.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>
#include "ttcp.hh"

using Clock = std::chrono::steady_clock;

class Sink : public virtual POA_ttcp_sequence {
 public:
  void sendStructSeq_2way(const ttcp_sequence::StructSeq &) override {}
  void sendShortSeq_2way(const ttcp_sequence::ShortSeq &) override {}
  void sendCharSeq_2way(const ttcp_sequence::CharSeq &) override {}
  void sendLongSeq_2way(const ttcp_sequence::LongSeq &) override {}
  void sendOctetSeq_2way(const ttcp_sequence::OctetSeq &) override {}
  void sendDoubleSeq_2way(const ttcp_sequence::DoubleSeq &) override {}
  void sendNoParams_2way() override {}
  void sendStructSeq_1way(const ttcp_sequence::StructSeq &) override {}
  void sendShortSeq_1way(const ttcp_sequence::ShortSeq &) override {}
  void sendCharSeq_1way(const ttcp_sequence::CharSeq &) override {}
  void sendLongSeq_1way(const ttcp_sequence::LongSeq &) override {}
  void sendOctetSeq_1way(const ttcp_sequence::OctetSeq &) override {}
  void sendDoubleSeq_1way(const ttcp_sequence::DoubleSeq &) override {}
  void sendNoParams_1way() override {}
};

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

double twoway(ttcp_sequence_ptr sink, int threads, double seconds) {
  std::atomic<long> calls{0};
  std::vector<std::thread> all;
  const auto begun = Clock::now();
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&] {
      long mine = 0;
      for (; mine % 64 != 0 || seconds_since(begun) < seconds; ++mine) sink->sendNoParams_2way();
      calls += mine;
    });
  for (auto &thread : all) thread.join();
  return calls / seconds_since(begun);
}

// The last call has a reply. When it arrives, all others have arrived.
double oneway(ttcp_sequence_ptr sink, double seconds) {
  const auto begun = Clock::now();
  long calls = 0;
  for (; calls % 256 != 0 || seconds_since(begun) < seconds; ++calls) sink->sendNoParams_1way();
  sink->sendNoParams_2way();
  return calls / seconds_since(begun);
}

int main(int count, char **words) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(count, words, "omniORB4");
    if (count == 2 && std::strcmp(words[1], "serve") == 0) {
      CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
      PortableServer::POA_var root = PortableServer::POA::_narrow(object);
      PortableServer::POAManager_var(root->the_POAManager())->activate();
      auto *sink = new Sink;
      PortableServer::ObjectId_var id = root->activate_object(sink);
      ttcp_sequence_var reference = sink->_this();
      std::printf("%s\n", CORBA::String_var(orb->object_to_string(reference)).in());
      std::fflush(stdout);
      orb->run();
      return 0;
    }
    if (count < 4) return 2;
    CORBA::Object_var object = orb->string_to_object(words[count - 1]);
    ttcp_sequence_var sink = ttcp_sequence::_narrow(object);
    const double rate = std::strcmp(words[1], "oneway") == 0
                          ? oneway(sink, std::atof(words[2]))
                          : twoway(sink, std::atoi(words[2]), std::atof(words[3]));
    std::printf("%.0f\n", rate);
    std::fflush(stdout);
    std::_Exit(0);
  } catch (const CORBA::Exception &e) {
    std::fprintf(stderr, "error %s\n", e._name());
    return 1;
  }
}
