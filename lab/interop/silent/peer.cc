// The side of omniORB in lab/interop/silent/check.
//
//   peer serve [-ORB...]        serves an object by the key Svc
//   peer call sync URL [-ORB...]
//
// The client makes one call for each line of standard input, and prints what became of it, as the
// program in ../src/bin/silent.rs does.

#include "svc.hh"

#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <unistd.h>

namespace {

class Servant : public POA_Silent::Svc {
 public:
  char* echo(const char* text) override { return CORBA::string_dup(text); }
  void rest(CORBA::ULong milliseconds) override { usleep(milliseconds * 1000); }
  void remark(const char*) override {}
};

int serve(CORBA::ORB_ptr orb) {
  CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  CORBA::Object_var ins = orb->resolve_initial_references("omniINSPOA");
  PortableServer::POA_var by_key = PortableServer::POA::_narrow(ins);
  Servant servant;
  PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId("Svc");
  by_key->activate_object_with_id(id, &servant);
  for (PortableServer::POA_ptr adapter : {poa.in(), by_key.in()}) {
    PortableServer::POAManager_var manager = adapter->the_POAManager();
    manager->activate();
  }
  puts("ready");
  fflush(stdout);
  orb->run();
  return 0;
}

const char* status(CORBA::CompletionStatus completed) {
  switch (completed) {
    case CORBA::COMPLETED_YES: return "COMPLETED_YES";
    case CORBA::COMPLETED_NO: return "COMPLETED_NO";
    default: return "COMPLETED_MAYBE";
  }
}

int call(CORBA::ORB_ptr orb, const char* url) {
  CORBA::Object_var object = orb->string_to_object(url);
  Silent::Svc_var svc = Silent::Svc::_unchecked_narrow(object);
  for (std::string line; std::getline(std::cin, line);) {
    try {
      if (line.rfind("rest ", 0) == 0) {
        svc->rest(std::stoul(line.substr(5)));
      } else if (line == "remark") {
        svc->remark("heard");
      } else {
        CORBA::String_var copy = svc->echo("heard");
      }
      puts("ok");
    } catch (CORBA::SystemException& exception) {
      printf("%s %s\n", exception._name(), status(exception.completed()));
    }
    fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  if (argc >= 2 && strcmp(argv[1], "serve") == 0) return serve(orb);
  if (argc >= 4 && strcmp(argv[1], "call") == 0) return call(orb, argv[3]);
  fputs("serve or call is needed\n", stderr);
  return 2;
}
