// An omniORB server with a persistent POA, and its client, for `check`.
//
// persistent FILE [-ORB…]: writes the reference of its object to FILE, and serves.
// persistent --call FILE [-ORB…]: prints the number of the process that serves the object.

#include "persistent.hh"
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <unistd.h>

class Servant : public POA_Imr::Persistent {
 public:
  CORBA::ULong process() override { return getpid(); }
  void leave(CORBA::Long status) override { _exit(status); }
};

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  if (argc == 3 && std::string(argv[1]) == "--call") {
    std::string text;
    std::ifstream(argv[2]) >> text;
    CORBA::Object_var object = orb->string_to_object(text.c_str());
    Imr::Persistent_var there = Imr::Persistent::_narrow(object);
    std::cout << there->process() << std::endl;
    return 0;
  }
  if (argc != 2) {
    std::cerr << "usage: persistent FILE [-ORB...]" << std::endl;
    return 2;
  }
  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var root = PortableServer::POA::_narrow(object);
  CORBA::PolicyList policies(2);
  policies.length(2);
  policies[0] = root->create_lifespan_policy(PortableServer::PERSISTENT);
  policies[1] = root->create_id_assignment_policy(PortableServer::USER_ID);
  PortableServer::POAManager_var manager = root->the_POAManager();
  PortableServer::POA_var outer = root->create_POA("outer", manager, policies);
  PortableServer::POA_var inner = outer->create_POA("inner", manager, policies);
  PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId("one");
  Servant servant;
  inner->activate_object_with_id(id, &servant);
  CORBA::Object_var reference = inner->id_to_reference(id);
  CORBA::String_var text = orb->object_to_string(reference);
  // Whoever waits for the file must not read a part of it.
  const std::string whole = argv[1], unfinished = whole + ".unfinished";
  std::ofstream(unfinished) << text << std::endl;
  std::rename(unfinished.c_str(), whole.c_str());
  manager->activate();
  orb->run();
  return 0;
}
