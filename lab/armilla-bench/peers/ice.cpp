// Ice: the same calls as ours, the same commands. They are in README.md.
#include "worker.hpp"

#include <Ice/Ice.h>
#include "target.h"

class Servant : public Bench::Target {
  long long drained = 0;
  Bench::StringSeq strings = Bench::StringSeq(100, std::string(80, 'x'));

 public:
  void sendNothing(const Ice::Current &) override {}
  void sendStructs(Bench::StructSeq, const Ice::Current &) override {}
  void sendOctets(Bench::OctetSeq, const Ice::Current &) override {}
  void drainOctets(Bench::OctetSeq, const Ice::Current &) override { ++drained; }
  void drainString(std::string, const Ice::Current &) override { ++drained; }
  void drainNothing(const Ice::Current &) override { ++drained; }
  long long confirm(const Ice::Current &) override { return std::exchange(drained, 0); }
  std::string getString(int index, const Ice::Current &) override { return strings.at(index); }
  Bench::StringSeq getStrings(int index, int count, const Ice::Current &) override {
    return {strings.begin() + index, strings.begin() + index + count};
  }
};

static void carry_out(Bench::TargetPrx &target, const std::vector<std::string> &words) {
  if (words.size() != 5 || words[0] != "call") return worker::cannot();
  const std::string &what = words[1];
  const unsigned units = worker::number(words[2]), count = worker::number(words[3]);
  const Bench::StructSeq structs(what == "structs" ? units : 0, Bench::BinStruct{7, 'x', 1, 255, 0.5});
  const Bench::OctetSeq octets(units, 'x');
  const std::string text(units, 'x');
  if (what == "void") return worker::each(count, [&](unsigned) { target.sendNothing(); });
  if (what == "structs") return worker::each(count, [&](unsigned) { target.sendStructs(structs); });
  if (what == "octets") return worker::each(count, [&](unsigned) { target.sendOctets(octets); });
  if (what == "single-strings")
    return worker::each(count, [&](unsigned) { for (unsigned i = 0; i < units; ++i) target.getString((int)i); });
  if (what == "many-strings") return worker::each(count, [&](unsigned) { target.getStrings(0, (int)units); });
  if (what.rfind("flood-", 0) != 0) return worker::cannot();
  const auto oneway = target.ice_oneway();
  worker::all([&] {
    for (unsigned i = 0; i < count; ++i) {
      if (what == "flood-sequence") oneway->drainOctets(octets);
      else if (what == "flood-string") oneway->drainString(text);
      else oneway->drainNothing();
    }
    worker::settle(count, [&] { return (std::uint64_t)target.confirm(); });
  });
}

int main(int count, char **words) {
  if (count != 5 || std::string(words[2]) != "tcp") return 2;
  Ice::InitializationData data;
  data.properties = Ice::createProperties();
  data.properties->setProperty("Ice.MessageSizeMax", "65536");
  if (words[4][0] != '0') {
    data.properties->setProperty("Ice.TCP.SndSize", words[4]);
    data.properties->setProperty("Ice.TCP.RcvSize", words[4]);
  }
  try {
    const Ice::CommunicatorHolder ice(data);
    if (std::string(words[1]) == "server") {
      const auto adapter = ice->createObjectAdapterWithEndpoints("bench", "tcp -h " + std::string(words[3]));
      const auto target = adapter->add(std::make_shared<Servant>(), Ice::stringToIdentity("target"));
      adapter->activate();
      std::printf("%s\n", ice->proxyToString(target).c_str());
      std::fflush(stdout);
      ice->waitForShutdown();
    } else {
      const auto target = Ice::uncheckedCast<Bench::TargetPrx>(ice->stringToProxy(words[3]));
      worker::serve_commands([&](const std::vector<std::string> &command) { carry_out(*target, command); });
    }
  } catch (const std::exception &e) {
    std::printf("error %s\n", e.what());
    return 1;
  }
  return 0;
}
