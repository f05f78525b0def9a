// Cap'n Proto: the same calls as ours, the same commands. They are in README.md. A flood is a stream.
#include "worker.hpp"

#include <capnp/ez-rpc.h>
#include "capnp.capnp.h"

class Servant final : public Target::Server {
  std::uint64_t drained = 0;

  kj::Promise<void> sendNothing(SendNothingContext) override { return kj::READY_NOW; }
  kj::Promise<void> sendStructs(SendStructsContext context) override {
    for (auto item : context.getParams().getStructs()) drained += item.getO() & 0;
    return kj::READY_NOW;
  }
  kj::Promise<void> sendOctets(SendOctetsContext) override { return kj::READY_NOW; }
  kj::Promise<void> drain(DrainContext context) override {
    drained += context.getParams().getOctets().size();
    return kj::READY_NOW;
  }
  kj::Promise<void> confirm(ConfirmContext context) override {
    context.getResults().setOctets(drained);
    drained = 0;
    return kj::READY_NOW;
  }
  kj::Promise<void> getStrings(GetStringsContext context) override {
    static const std::string text(80, 'x');
    const auto count = context.getParams().getCount();
    auto strings = context.getResults().initStrings(count);
    for (unsigned i = 0; i < count; ++i) strings.set(i, text.c_str());
    return kj::READY_NOW;
  }
};

static void carry_out(capnp::EzRpcClient &rpc, Target::Client &target, const std::vector<std::string> &words) {
  if (words.size() != 5 || words[0] != "call") return worker::cannot();
  auto &scope = rpc.getWaitScope();
  const std::string &what = words[1];
  const unsigned units = worker::number(words[2]), count = worker::number(words[3]);
  const std::string text(units, 'x');
  const capnp::Data::Reader octets((const kj::byte *)text.data(), units);
  const auto strings = [&](unsigned first, unsigned many) {
    auto request = target.getStringsRequest();
    request.setIndex(first);
    request.setCount(many);
    request.send().wait(scope);
  };
  if (what == "void") return worker::each(count, [&](unsigned) { target.sendNothingRequest().send().wait(scope); });
  if (what == "structs")
    return worker::each(count, [&](unsigned) {
      auto request = target.sendStructsRequest();
      auto structs = request.initStructs(units);
      for (unsigned i = 0; i < units; ++i) {
        auto item = structs[i];
        item.setS(7), item.setC('x'), item.setL((int)i), item.setO(255), item.setD(0.5);
      }
      request.send().wait(scope);
    });
  if (what == "octets")
    return worker::each(count, [&](unsigned) {
      auto request = target.sendOctetsRequest();
      request.setOctets(octets);
      request.send().wait(scope);
    });
  if (what == "single-strings")
    return worker::each(count, [&](unsigned) { for (unsigned i = 0; i < units; ++i) strings(i, 1); });
  if (what == "many-strings") return worker::each(count, [&](unsigned) { strings(0, units); });
  if (what != "flood-sequence") return worker::cannot();
  worker::all([&] {
    for (unsigned i = 0; i < count; ++i) {
      auto request = target.drainRequest();
      request.setOctets(octets);
      request.send().wait(scope);
    }
    const auto arrived = target.confirmRequest().send().wait(scope).getOctets();
    if (arrived != (std::uint64_t)units * count) throw std::runtime_error("delivery");
  });
}

int main(int count, char **words) {
  if (count != 5) return 2;
  const bool tcp = std::string(words[2]) == "tcp";
  const std::string place = words[3], address = tcp ? place : "unix:" + place;
  try {
    if (std::string(words[1]) == "server") {
      // Port 0 selects a free port.
      capnp::EzRpcServer server(kj::heap<Servant>(), address.c_str(), 0);
      const auto port = tcp ? server.getPort().wait(server.getWaitScope()) : 0;
      std::printf("%s\n", tcp ? (place + ":" + std::to_string(port)).c_str() : address.c_str());
      std::fflush(stdout);
      kj::NEVER_DONE.wait(server.getWaitScope());
    } else {
      capnp::EzRpcClient rpc(place.c_str());
      Target::Client target = rpc.getMain<Target>();
      worker::serve_commands([&](const std::vector<std::string> &command) { carry_out(rpc, target, command); });
    }
  } catch (const kj::Exception &e) {
    std::printf("error %s\n", e.getDescription().cStr());
    return 1;
  } catch (const std::exception &e) {
    std::printf("error %s\n", e.what());
    return 1;
  }
  return 0;
}
