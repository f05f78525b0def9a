// gRPC: the same calls as ours, the same commands. They are in README.md. A flood is a stream.
#include "worker.hpp"

#include <grpcpp/grpcpp.h>
#include "grpc.grpc.pb.h"

using grpc::Status;

class Servant : public bench::Target::Service {
  Status SendNothing(grpc::ServerContext *, const bench::Nothing *, bench::Nothing *) override { return Status::OK; }
  Status SendStructs(grpc::ServerContext *, const bench::StructSeq *, bench::Nothing *) override { return Status::OK; }
  Status SendOctets(grpc::ServerContext *, const bench::Octets *, bench::Nothing *) override { return Status::OK; }
  Status Drain(grpc::ServerContext *, grpc::ServerReader<bench::Octets> *reader, bench::Count *count) override {
    std::uint64_t octets = 0;
    for (bench::Octets part; reader->Read(&part);) octets += part.octets().size();
    count->set_octets(octets);
    return Status::OK;
  }
  Status GetStrings(grpc::ServerContext *, const bench::Part *part, bench::Strings *strings) override {
    for (unsigned i = 0; i < part->count(); ++i) strings->add_strings(std::string(80, 'x'));
    return Status::OK;
  }
};

static void check(const Status &status) {
  if (!status.ok()) throw std::runtime_error(status.error_message());
}

static void carry_out(bench::Target::Stub &target, const std::vector<std::string> &words) {
  if (words.size() != 5 || words[0] != "call") return worker::cannot();
  const std::string &what = words[1];
  const unsigned units = worker::number(words[2]), count = worker::number(words[3]);
  bench::Nothing nothing;
  bench::StructSeq structs;
  bench::Octets octets;
  octets.set_octets(std::string(units, 'x'));
  for (unsigned i = 0; what == "structs" && i < units; ++i) {
    auto *item = structs.add_structs();
    item->set_s(7), item->set_c('x'), item->set_l((int)i), item->set_o(255), item->set_d(0.5);
  }
  const auto strings = [&](unsigned first, unsigned many) {
    grpc::ClientContext context;
    bench::Part part;
    bench::Strings result;
    part.set_index(first), part.set_count(many);
    check(target.GetStrings(&context, part, &result));
  };
  if (what == "void")
    return worker::each(count, [&](unsigned) {
      grpc::ClientContext context;
      check(target.SendNothing(&context, nothing, &nothing));
    });
  if (what == "structs")
    return worker::each(count, [&](unsigned) {
      grpc::ClientContext context;
      check(target.SendStructs(&context, structs, &nothing));
    });
  if (what == "octets")
    return worker::each(count, [&](unsigned) {
      grpc::ClientContext context;
      check(target.SendOctets(&context, octets, &nothing));
    });
  if (what == "single-strings")
    return worker::each(count, [&](unsigned) { for (unsigned i = 0; i < units; ++i) strings(i, 1); });
  if (what == "many-strings") return worker::each(count, [&](unsigned) { strings(0, units); });
  if (what != "flood-sequence") return worker::cannot();
  worker::all([&] {
    grpc::ClientContext context;
    bench::Count arrived;
    const auto writer = target.Drain(&context, &arrived);
    for (unsigned i = 0; i < count; ++i) writer->Write(octets);
    writer->WritesDone();
    check(writer->Finish());
    if (arrived.octets() != (std::uint64_t)units * count) throw std::runtime_error("delivery");
  });
}

int main(int count, char **words) {
  if (count != 5) return 2;
  const bool tcp = std::string(words[2]) == "tcp";
  const std::string place = words[3];
  try {
    if (std::string(words[1]) == "server") {
      Servant servant;
      int port = 0;
      grpc::ServerBuilder builder;
      builder.SetMaxReceiveMessageSize(64 << 20);
      builder.AddListeningPort(tcp ? place + ":0" : "unix:" + place, grpc::InsecureServerCredentials(), &port);
      builder.RegisterService(&servant);
      const auto server = builder.BuildAndStart();
      std::printf("%s\n", tcp ? (place + ":" + std::to_string(port)).c_str() : ("unix:" + place).c_str());
      std::fflush(stdout);
      server->Wait();
    } else {
      const auto channel = grpc::CreateChannel(place, grpc::InsecureChannelCredentials());
      const auto target = bench::Target::NewStub(channel);
      worker::serve_commands([&](const std::vector<std::string> &command) { carry_out(*target, command); });
    }
  } catch (const std::exception &e) {
    std::printf("error %s\n", e.what());
    return 1;
  }
  return 0;
}
