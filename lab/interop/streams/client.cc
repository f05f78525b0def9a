// The other end of a stream endpoint: omniORB for the call, plain sockets for the octets. Fetches
// what the store has, writes it to standard output, and sends it back.
//
//   client REFERENCE OFFSET >octets

#include "images.hh"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Octets = std::vector<unsigned char>;

[[noreturn]] void fail(const std::string& what) {
  fprintf(stderr, "FAILED: %s\n", what.c_str());
  exit(1);
}

// Big-endian, as everything of the protocol is.
void put(Octets& to, uint64_t number, int octets) {
  while (octets-- > 0) to.push_back(static_cast<unsigned char>(number >> (8 * octets)));
}

uint64_t take(const unsigned char* from, int octets) {
  uint64_t number = 0;
  for (int i = 0; i < octets; ++i) number = number << 8 | from[i];
  return number;
}

uint32_t crc32(const Octets& octets) {
  uint32_t crc = 0xffffffff;
  for (unsigned char octet : octets) {
    crc ^= octet;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

void send_all(int socket, const Octets& octets) {
  for (size_t sent = 0; sent < octets.size();) {
    ssize_t count = send(socket, octets.data() + sent, octets.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) fail("send");
    sent += static_cast<size_t>(count);
  }
}

Octets receive(int socket, size_t size) {
  Octets octets(size);
  for (size_t received = 0; received < size;) {
    ssize_t count = recv(socket, octets.data() + received, size - received, 0);
    if (count <= 0) fail("recv");
    received += static_cast<size_t>(count);
  }
  return octets;
}

// tcp://HOST:PORT
int connect_to(const std::string& address) {
  size_t colon = address.rfind(':');
  if (address.compare(0, 6, "tcp://") != 0 || colon == 5) fail("no TCP address: " + address);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  std::string host = address.substr(6, colon - 6), port = address.substr(colon + 1);
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) fail("resolve " + address);
  int made = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
  if (connect(made, found->ai_addr, found->ai_addrlen) != 0) fail("connect to " + address);
  freeaddrinfo(found);
  return made;
}

// Shows the token, and reads the answer. Octet 5 of the greeting is 0: this program closes the
// connection after the flow, and the listener must not offer to keep it (octet 6 of the answer).
int collect(const Streams::FlowAgreement& agreement) {
  if (agreement.listens.length() != 1) fail("no endpoint");
  const Streams::FlowEndPoint& endpoint = agreement.listens[0];
  int made = connect_to(endpoint.where[0].in());
  Octets greeting{'A', 'F', 'L', 'G', 1, 0, 0, 0};
  for (CORBA::ULong i = 0; i < endpoint.token.length(); ++i) greeting.push_back(endpoint.token[i]);
  put(greeting, agreement.spec.offset, 8);
  send_all(made, greeting);
  Octets answer = receive(made, 24);
  if (memcmp(answer.data(), "AFLA\1\0", 6) != 0) fail("the token was refused");
  if (answer[6] != 0) fail("the listener keeps a connection that is not to be kept");
  if (take(&answer[8], 8) != agreement.spec.offset) fail("another offset");
  return made;
}

Streams::FlowRequest request(CORBA::ULongLong offset) {
  Streams::FlowRequest request;
  request.connects.length(1);
  request.connects[0] = "tcp";
  request.offset = offset;
  request.rate = 0;
  request.algorithm = Streams::CRC32;
  return request;
}

Octets fetch(Images::Store_ptr store, CORBA::ULongLong offset) {
  Streams::FlowAgreement_var agreement = store->fetch(request(offset));
  int from = collect(agreement);
  Octets octets = receive(from, agreement->spec.size - offset);
  Octets trailer = receive(from, 48);
  if (memcmp(trailer.data(), "AFLT\1\0\4", 7) != 0) fail("no trailer with a CRC-32");
  if (take(&trailer[8], 8) != octets.size()) fail("another number of octets");
  if (take(&trailer[16], 4) != crc32(octets)) fail("another CRC-32");
  Octets receipt{'A', 'F', 'L', 'R', 1, 0, 0, 0};
  put(receipt, octets.size(), 8);
  send_all(from, receipt);
  close(from);
  return octets;
}

void keep(Images::Store_ptr store, const Octets& octets) {
  Streams::FlowAgreement_var agreement = store->keep(octets.size(), request(0));
  int to = collect(agreement);
  send_all(to, octets);
  Octets trailer{'A', 'F', 'L', 'T', 1, 0, 4, 0};
  put(trailer, octets.size(), 8);
  put(trailer, crc32(octets), 4);
  trailer.resize(48);
  send_all(to, trailer);
  Octets receipt = receive(to, 16);
  if (memcmp(receipt.data(), "AFLR\1\0", 6) != 0) fail("no receipt");
  if (take(&receipt[8], 8) != octets.size()) fail("the receipt counts other octets");
  close(to);
  if (store->kept() != crc32(octets)) fail("something else was kept");
}

}  // namespace

int main(int argc, char** argv) try {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  if (argc != 3) fail("usage: client REFERENCE OFFSET");
  CORBA::Object_var object = orb->string_to_object(argv[1]);
  Images::Store_var store = Images::Store::_narrow(object);
  if (CORBA::is_nil(store)) fail("no store");
  Octets octets = fetch(store, strtoull(argv[2], nullptr, 10));
  keep(store, octets);
  fwrite(octets.data(), 1, octets.size(), stdout);
  try {
    fetch(store, ~CORBA::ULongLong(0) - 1);
    fail("a flow began behind its end");
  } catch (const Streams::NoAgreement& refused) {
    fprintf(stderr, "refused as it must be: %s\n", refused.reason.in());
  }
  orb->destroy();
} catch (const CORBA::Exception& exception) {
  fail(std::string("exception ") + exception._name());
}
