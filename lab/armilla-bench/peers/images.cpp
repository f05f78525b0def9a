// omniORB moves images: the same interface as ours, the same commands. They are in README.md.
#include "images.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "images.hh"

static const CORBA::ULong PART = 1 << 20;

// Reads a part of an image.
static void read_part(const image &from, CORBA::ULongLong offset, unsigned char *to, size_t count) {
  for (size_t have = 0; have < count;) {
    ssize_t got = pread(from.file, to + have, count - have, from.offset + offset + have);
    if (got <= 0) throw CORBA::PERSIST_STORE();
    have += got;
  }
}

class Keeper : public virtual POA_Images::Store {
 public:
  Images::Octets *read(CORBA::ULong number, CORBA::ULongLong offset, CORBA::ULong count) override {
    if (number >= image_count || offset > images[number].size) throw CORBA::BAD_PARAM();
    const image &from = images[number];
    count = (CORBA::ULong)std::min<CORBA::ULongLong>(count, from.size - offset);
    unsigned char *octets = Images::Octets::allocbuf(count);
    Images::Octets_var part = new Images::Octets(count, count, octets, true);
    read_part(from, offset, octets, count);
    return part._retn();
  }

  void push(CORBA::ULong number, CORBA::ULong count, Images::Sink_ptr to) override {
    if (number >= image_count) return;
    const image &from = images[number];
    std::vector<unsigned char> octets(std::min(count, PART));
    for (CORBA::ULongLong offset = 0; offset < from.size;) {
      const CORBA::ULong part = (CORBA::ULong)std::min<CORBA::ULongLong>(octets.size(), from.size - offset);
      read_part(from, offset, octets.data(), part);
      // Lent, not copied.
      to->part(offset, Images::Octets(part, part, octets.data(), false));
      offset += part;
    }
  }
};

// Takes the parts of an image behind those of the images before. omniORB serves the oneway requests
// of a connection in parallel.
class Sink : public virtual POA_Images::Sink {
  std::mutex mutex;
  std::condition_variable complete;
  unsigned char *to = nullptr;
  size_t size = 0, arrived = 0;

 public:
  void begin(unsigned char *buffer, size_t octets) {
    std::lock_guard<std::mutex> lock(mutex);
    to = buffer, size = octets, arrived = 0;
  }

  void part(CORBA::ULongLong offset, const Images::Octets &octets) override {
    if (offset + octets.length() > size) return;
    memcpy(to + offset, octets.get_buffer(), octets.length());
    std::lock_guard<std::mutex> lock(mutex);
    arrived += octets.length();
    if (arrived >= size) complete.notify_one();
  }

  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    if (!complete.wait_for(lock, std::chrono::seconds(60), [this] { return arrived >= size; })) fail("the image");
  }
};

static Images::Store_var store;
static PortableServer::POA_var poa;
static bool oneway;
static Sink sinks[VIEWERS];
static Images::Sink_var references[VIEWERS];

static void take_part(uint32_t number, size_t offset, unsigned char *to, size_t count) {
  Images::Octets_var octets = store->read(number, offset, (CORBA::ULong)count);
  if (octets->length() != count) throw CORBA::MARSHAL();
  memcpy(to, octets->get_buffer(), count);
}

// Two calls are under way, as in ours: one in this thread, one in another.
static void call(uint32_t number, unsigned char *to, size_t size) {
  const auto half = [=](size_t first) {
    for (size_t offset = first; offset < size; offset += 2 * PART)
      take_part(number, offset, to + offset, std::min<size_t>(PART, size - offset));
  };
  if (size <= PART) return half(0);
  std::thread other([&] {
    try {
      half(PART);
    } catch (const CORBA::Exception &e) {
      fail(e._name());
    }
  });
  half(0);
  other.join();
}

static void fetch(viewer *viewer, uint32_t number, unsigned char *to, size_t size) {
  try {
    if (!oneway) return call(number, to, size);
    Sink &sink = sinks[viewer->number];
    sink.begin(to, size);
    store->push(number, PART, references[viewer->number]);
    sink.wait();
  } catch (const CORBA::Exception &e) {
    fail(e._name());
  }
}

static PortableServer::POA_var root_poa(CORBA::ORB_ptr orb) {
  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var root = PortableServer::POA::_narrow(object);
  PortableServer::POAManager_var manager = root->the_POAManager();
  manager->activate();
  return root;
}

int main(int count, char **words) {
  if (count < 6) return 2;
  const bool serves = std::string(words[1]) == "server";
  const std::string host = serves ? words[3] : count > 6 ? words[6] : "127.0.0.1";
  const std::string endpoint = "giop:tcp:" + host + ":";
  // As many connections as calls that are under way, as ours has.
  const char *options[][2] = {{"endPoint", endpoint.c_str()},
                              {"maxGIOPConnectionPerServer", "32"},
                              {nullptr, nullptr}};
  int none = 0;
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);
    poa = root_poa(orb);
    if (serves) {
      open_images(words[5]);
      PortableServer::Servant_var<Keeper> keeper = new Keeper;
      PortableServer::ObjectId_var id = poa->activate_object(keeper);
      CORBA::Object_var object = poa->id_to_reference(id);
      CORBA::String_var text = orb->object_to_string(object);
      std::printf("%s\n", (const char *)text);
      tell_usage();
      _exit(0);
    }
    oneway = std::string(words[5]) == "oneway";
    CORBA::Object_var object = orb->string_to_object(words[3]);
    store = Images::Store::_narrow(object);
    for (int i = 0; i < VIEWERS; i++) {
      PortableServer::ObjectId_var id = poa->activate_object(&sinks[i]);
      references[i] = sinks[i]._this();
    }
    serve_commands(fetch);
    _exit(0);
  } catch (const CORBA::Exception &e) {
    std::printf("error %s\n", e._name());
    return 1;
  }
}
