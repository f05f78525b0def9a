// omniORB, and TAO where WITH_TAO is defined: the same interfaces as ours, the same commands. They are in
// README.md.
#include "worker.hpp"

#include <atomic>
#include <cstdlib>
#ifdef WITH_TAO
#include "benchS.h"
#include "tao/PortableServer/PortableServer.h"
#include "tao/Strategies/advanced_resource.h"
#else
#include "bench.hh"
#endif

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

class Counter : public virtual POA_Bench::Drain {
  // omniORB serves the oneway requests of a connection in parallel.
  std::atomic<CORBA::ULongLong> octets{0}, messages{0};

  void take(CORBA::ULongLong count) {
    octets += count;
    ++messages;
  }

 public:
  void send_sequence(const Bench::Buffer &s) override { take(s.length()); }
  void send_string(const char *s) override { take(std::strlen(s)); }
  void send_nothing() override { take(0); }
  void put_sequence(const Bench::Buffer &) override {}
  void put_string(const char *) override {}
  CORBA::ULongLong confirm(CORBA::ULongLong &count) override {
    count = messages.exchange(0);
    return octets.exchange(0);
  }
};

class Shelf : public virtual POA_Bench::Library {
  std::vector<std::string> strings;

 public:
  Shelf() : strings(100, std::string(80, 'x')) {}
  char *get_single_string(CORBA::ULong index) override { return CORBA::string_dup(strings.at(index).c_str()); }
  Bench::StringSeq *get_multiple_strings(CORBA::ULong index, CORBA::ULong count) override {
    auto *result = new Bench::StringSeq;
    result->length(count);
    for (CORBA::ULong i = 0; i < count; ++i) (*result)[i] = strings.at(index + i).c_str();
    return result;
  }
};

class Door : public virtual POA_Bench::Entrance {
  PortableServer::POA_var root, adapter;
  Sink sink;
  Counter counter;
  Shelf shelf;
  std::vector<ttcp_sequence_var> made;
  unsigned generation = 0;

 public:
  explicit Door(PortableServer::POA_ptr poa) : root(PortableServer::POA::_duplicate(poa)) {
    for (PortableServer::Servant servant : {(PortableServer::Servant)&sink, (PortableServer::Servant)&counter,
                                            (PortableServer::Servant)&shelf})
      PortableServer::ObjectId_var(root->activate_object(servant));
  }
  ttcp_sequence_ptr target() override { return sink._this(); }
  Bench::Drain_ptr floods() override { return counter._this(); }
  Bench::Library_ptr strings() override { return shelf._this(); }
  void prepare(CORBA::ULong count) override {
    made.clear();
    if (!CORBA::is_nil(adapter)) adapter->destroy(0, 0);
    CORBA::PolicyList policies;
    policies.length(1);
    policies[0] = root->create_id_uniqueness_policy(PortableServer::MULTIPLE_ID);
    const std::string name = "targets-" + std::to_string(++generation);
    adapter = root->create_POA(name.c_str(), PortableServer::POAManager_var(root->the_POAManager()), policies);
    for (CORBA::ULong i = 0; i < count; ++i) {
      // One servant for each object: omniORB takes quadratic time to deactivate many objects of one
      // servant.
      auto *servant = new Sink;
      PortableServer::ObjectId_var id = adapter->activate_object(servant);
      servant->_remove_ref();
      CORBA::Object_var object = adapter->id_to_reference(id);
      made.push_back(ttcp_sequence::_narrow(object));
    }
  }
  Bench::Targets *prepared(CORBA::ULong first, CORBA::ULong count) override {
    auto *result = new Bench::Targets;
    result->length(count);
    for (CORBA::ULong i = 0; i < count; ++i) (*result)[i] = ttcp_sequence::_duplicate(made.at(first + i));
    return result;
  }
};

class Client {
  Bench::Entrance_var entrance;
  Bench::Drain_var drain;
  Bench::Library_var library;
  std::vector<ttcp_sequence_var> targets;
  // The number of calls to objects in turn so far; a train makes 100 to each.
  std::size_t turn = 0;

  ttcp_sequence::StructSeq structs;
  ttcp_sequence::ShortSeq shorts;
  ttcp_sequence::CharSeq chars;
  ttcp_sequence::LongSeq longs;
  ttcp_sequence::OctetSeq octets;
  ttcp_sequence::DoubleSeq doubles;
  Bench::Buffer buffer;
  std::string text;

  void prepare(const std::string &what, unsigned units) {
    structs.length(what == "structs" || what == "oneway-structs" ? units : 0);
    for (unsigned i = 0; i < structs.length(); ++i) structs[i] = BinStruct{7, 'x', (CORBA::Long)i, 255, 0.5};
    shorts.length(units);
    chars.length(units);
    longs.length(units);
    octets.length(units);
    doubles.length(units);
    buffer.length(units);
    if (units > 0) {
      std::memset(chars.get_buffer(), 'x', units);
      std::memset(buffer.get_buffer(), 'x', units);
    }
    text.assign(units, 'x');
  }

  std::function<void(unsigned)> operation(const std::string &what, unsigned units, unsigned each) {
    auto target = [this, each](unsigned i) { return targets[(turn + i) / each % targets.size()].in(); };
    if (what == "void") return [=](unsigned i) { target(i)->sendNoParams_2way(); };
    if (what == "structs") return [=](unsigned i) { target(i)->sendStructSeq_2way(structs); };
    if (what == "shorts") return [=](unsigned i) { target(i)->sendShortSeq_2way(shorts); };
    if (what == "chars") return [=](unsigned i) { target(i)->sendCharSeq_2way(chars); };
    if (what == "longs") return [=](unsigned i) { target(i)->sendLongSeq_2way(longs); };
    if (what == "octets") return [=](unsigned i) { target(i)->sendOctetSeq_2way(octets); };
    if (what == "doubles") return [=](unsigned i) { target(i)->sendDoubleSeq_2way(doubles); };
    if (what == "oneway-void") return [=](unsigned i) { target(i)->sendNoParams_1way(); };
    if (what == "oneway-octets") return [=](unsigned i) { target(i)->sendOctetSeq_1way(octets); };
    if (what == "oneway-structs") return [=](unsigned i) { target(i)->sendStructSeq_1way(structs); };
    if (what == "flood-sequence") return [=](unsigned) { drain->send_sequence(buffer); };
    if (what == "flood-string") return [=](unsigned) { drain->send_string(text.c_str()); };
    if (what == "flood-void") return [=](unsigned) { drain->send_nothing(); };
    if (what == "twoway-sequence") return [=](unsigned) { drain->put_sequence(buffer); };
    if (what == "twoway-string") return [=](unsigned) { drain->put_string(text.c_str()); };
    if (what == "single-strings")
      return [=](unsigned) {
        for (unsigned i = 0; i < units; ++i) CORBA::String_var(library->get_single_string(i));
      };
    if (what == "many-strings") return [=](unsigned) { Bench::StringSeq_var(library->get_multiple_strings(0, units)); };
    return nullptr;
  }

  void measure(const std::vector<std::string> &words) {
    const std::string &what = words[1];
    const unsigned units = worker::number(words[2]), count = worker::number(words[3]);
    const unsigned each = words[4] == "train" ? 100 : 1;
    prepare(what, units);
    auto call = operation(what, units, each);
    if (!call) return worker::cannot();
    const bool drained = what.rfind("flood-", 0) == 0;
    if (!drained && what.rfind("oneway-", 0) != 0) {
      worker::each(count, call);
      turn += count;
      return;
    }
    worker::all([&] {
      for (unsigned i = 0; i < count; ++i) call(i);
      if (!drained) return targets[0]->sendNoParams_2way();
      worker::settle(count, [&] {
        CORBA::ULongLong more = 0;
        drain->confirm(more);
        return more;
      });
    });
    if (!drained) turn += count;
  }

  void objects(unsigned count) {
    worker::all([&] {
      targets.clear();
      turn = 0;
      entrance->prepare(count);
      for (unsigned first = 0; first < count; first += 1000) {
        Bench::Targets_var part = entrance->prepared(first, std::min(1000u, count - first));
        for (CORBA::ULong i = 0; i < part->length(); ++i) targets.push_back(ttcp_sequence::_duplicate(part[i]));
      }
    });
  }

 public:
  explicit Client(Bench::Entrance_ptr e) : entrance(Bench::Entrance::_duplicate(e)) {
    targets.push_back(entrance->target());
    drain = entrance->floods();
    library = entrance->strings();
  }
  void carry_out(const std::vector<std::string> &words) {
    try {
      if (words.size() == 2 && words[0] == "objects") return objects(worker::number(words[1]));
      if (words.size() == 5 && words[0] == "call") return measure(words);
      worker::cannot();
    } catch (const CORBA::Exception &e) {
      std::printf("error %s\n", e._name());
    }
  }
};

#ifdef WITH_TAO
// TAO with its own choices; sockets.c sets the queues.
CORBA::ORB_ptr start(bool serves, const std::string &transport, const std::string &place) {
  std::string endpoint = (transport == "tcp" ? "iiop://" : "uiop://") + place;
  std::string words[] = {"tao", "-ORBSvcConfDirective",
                         "dynamic Advanced_Resource_Factory Service_Object * "
                         "TAO_Strategies:_make_TAO_Advanced_Resource_Factory() "
                         "\"-ORBProtocolFactory IIOP_Factory -ORBProtocolFactory UIOP_Factory\"",
                         "-ORBListenEndpoints", endpoint};
  std::vector<char *> pointers;
  for (auto &word : words) pointers.push_back(&word[0]);
  int count = serves ? 5 : 3;
  return CORBA::ORB_init(count, pointers.data());
}
#else
CORBA::ORB_ptr start(bool serves, const std::string &transport, const std::string &place) {
  const std::string endpoint = transport == "tcp" ? "giop:tcp:" + place + ":" : "giop:unix:" + place;
  // sockets.c sets the queues: omniORB can set only the send queue, and keeps the system's with -1.
  const char *options[][2] = {{"socketSendBuffer", "-1"}, {"giopMaxMsgSize", "67108864"}, {0, 0}, {0, 0}};
  if (serves) options[2][0] = "endPoint", options[2][1] = endpoint.c_str();
  int none = 0;
  return CORBA::ORB_init(none, 0, "omniORB4", options);
}
#endif

int main(int count, char **words) {
  if (count != 5) return 2;
  const std::string role = words[1], transport = words[2], place = words[3];
  try {
    CORBA::ORB_var orb = start(role == "server", transport, place);
    if (role == "server") {
      CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
      PortableServer::POA_var root = PortableServer::POA::_narrow(object);
      PortableServer::POAManager_var(root->the_POAManager())->activate();
      auto *door = new Door(root);
      PortableServer::ObjectId_var id = root->activate_object(door);
      Bench::Entrance_var entrance = door->_this();
      std::printf("%s\n", CORBA::String_var(orb->object_to_string(entrance)).in());
      std::fflush(stdout);
      orb->run();
    } else {
      CORBA::Object_var object = orb->string_to_object(words[3]);
      Client client(Bench::Entrance::_narrow(object));
      worker::serve_commands([&](const std::vector<std::string> &command) { client.carry_out(command); });
    }
  } catch (const CORBA::Exception &e) {
    std::printf("error %s\n", e._name());
    return 1;
  }
  return 0;
}
