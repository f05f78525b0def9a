// gRPC moves images: a stream of messages of 1 MiB each. README.md has the commands.
#include "images.h"

#include <grpcpp/grpcpp.h>
#include <algorithm>
#include <memory>
#include <string>
#include <unistd.h>

#include "images.grpc.pb.h"

static const size_t PART = 1 << 20;

class Keeper : public imaging::Store::Service {
  grpc::Status Fetch(grpc::ServerContext *, const imaging::Number *number,
                     grpc::ServerWriter<imaging::Part> *writer) override {
    if (number->number() >= image_count) return grpc::Status(grpc::StatusCode::NOT_FOUND, "no such image");
    const image &from = images[number->number()];
    imaging::Part part;
    for (size_t offset = 0; offset < from.size;) {
      std::string &octets = *part.mutable_octets();
      octets.resize(std::min(PART, from.size - offset));
      const ssize_t got = pread(from.file, &octets[0], octets.size(), from.offset + offset);
      if (got <= 0) return grpc::Status(grpc::StatusCode::DATA_LOSS, "read");
      octets.resize(got);
      offset += got;
      if (!writer->Write(part)) break;
    }
    return grpc::Status::OK;
  }
};

static std::unique_ptr<imaging::Store::Stub> stores[VIEWERS];

static void fetch(viewer *viewer, uint32_t number, unsigned char *to, size_t size) {
  grpc::ClientContext context;
  imaging::Number wanted;
  wanted.set_number(number);
  const auto reader = stores[viewer->number]->Fetch(&context, wanted);
  size_t have = 0;
  for (imaging::Part part; reader->Read(&part); have += part.octets().size()) {
    if (have + part.octets().size() > size) fail("the image is too large");
    memcpy(to + have, part.octets().data(), part.octets().size());
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) fail(status.error_message().c_str());
}

int main(int count, char **words) {
  if (count < 6) return 2;
  const std::string place = words[3];
  if (std::string(words[1]) == "server") {
    open_images(words[5]);
    Keeper keeper;
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(place + ":0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&keeper);
    const auto server = builder.BuildAndStart();
    if (!server) fail("listen");
    std::printf("%s:%d\n", place.c_str(), port);
    tell_usage();
    _exit(0);
  }
  for (int i = 0; i < VIEWERS; i++) {
    // A connection for each viewer.
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stores[i] = imaging::Store::NewStub(
        grpc::CreateCustomChannel(place, grpc::InsecureChannelCredentials(), arguments));
  }
  serve_commands(fetch);
  _exit(0);
}
