// A server with TAO: one Interop::Echo, of which it serves what echo.idl has. It runs until SIGTERM
// or the operation `shutdown`. In a POA that outlives the process, the object has the key "echo".
//
//   server FILE [-ORB...]     writes the reference to FILE

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "echoS.h"
#include "tao/IORTable/IORTable.h"
#include "tao/PortableServer/PortableServer.h"

namespace {

class Servant : public POA_Interop::Echo
{
public:
  explicit Servant(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)), notified_(0), count_(0) {}

  void ping() {}

  CORBA::Long echo_long(CORBA::Long given, CORBA::Long_out copy, CORBA::Long& kept)
  {
    const CORBA::Long before = kept;
    copy = kept = given;
    return before;
  }

  char* echo_string(const char* given, CORBA::String_out copy, char*& kept)
  {
    char* before = kept;
    copy = CORBA::string_dup(given);
    kept = CORBA::string_dup(given);
    return before;
  }

  Interop::OctetSeq* echo_octet_seq(const Interop::OctetSeq& given, Interop::OctetSeq_out copy,
                                    Interop::OctetSeq& kept)
  {
    return exchanged(given, copy, kept);
  }

  Interop::BinSeq* echo_bin_seq(const Interop::BinSeq& given, Interop::BinSeq_out copy, Interop::BinSeq& kept)
  {
    return exchanged(given, copy, kept);
  }

  void notify(CORBA::Long n) { ++count_; notified_ += n; }

  void notify_mixed(CORBA::Octet, CORBA::Double amount, const char* text)
  {
    ++count_;
    notified_ += CORBA::LongLong(amount) + CORBA::LongLong(std::string(text).size());
  }

  CORBA::LongLong notified() { return notified_; }
  CORBA::ULong notifications() { return count_; }

  CORBA::Long choose(CORBA::Short which, char*& note, CORBA::Double_out half)
  {
    half = 0;
    switch (which) {
    case 0: {
      const std::string after = std::string(note) + "!";
      CORBA::string_free(note);
      note = CORBA::string_dup(after.c_str());
      half = 0.5;
      return 42;
    }
    case 1:
      throw Interop::Refused();
    case 2:
      throw Interop::Failed(note, which);
    case 3: {
      Interop::BinStruct record = {0, 0, 0, 0, 0};
      Interop::ByLong choice;
      choice.tiny(0);
      throw Interop::Echo::Detailed(3, record, Interop::LongSeq(), choice, Interop::Echo::REJECTED, note);
    }
    default:
      throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO);
    }
  }

  void raise_system(const char* name, CORBA::ULong minor_code, Interop::Echo::Completion status)
  {
    const std::string wanted = name;
    const CORBA::CompletionStatus completed = CORBA::CompletionStatus(status);
    if (wanted == "NO_PERMISSION") throw CORBA::NO_PERMISSION(minor_code, completed);
    if (wanted == "TRANSIENT") throw CORBA::TRANSIENT(minor_code, completed);
    throw CORBA::BAD_PARAM(minor_code, completed);
  }

  void pause(CORBA::ULong milliseconds) { usleep(milliseconds * 1000); }
  void shutdown() { orb_->shutdown(false); }

private:
  template <class Sequence, class Out>
  static Sequence* exchanged(const Sequence& given, Out copy, Sequence& kept)
  {
    Sequence* before = new Sequence(kept);
    copy = new Sequence(given);
    kept = given;
    return before;
  }

  CORBA::ORB_var orb_;
  CORBA::LongLong notified_;
  CORBA::ULong count_;
};

// A POA whose references are the same in the next process.
PortableServer::POA_ptr lasting(PortableServer::POA_ptr root, PortableServer::POAManager_ptr manager)
{
  CORBA::PolicyList policies(2);
  policies.length(2);
  policies[0] = root->create_lifespan_policy(PortableServer::PERSISTENT);
  policies[1] = root->create_id_assignment_policy(PortableServer::USER_ID);
  return root->create_POA("lasting", manager, policies);
}

// A file appears whole, or not at all.
void write(const std::string& file, const char* text)
{
  const std::string unfinished = file + ".unfinished";
  {
    std::ofstream out(unfinished.c_str());
    out << text << std::endl;
  }
  std::rename(unfinished.c_str(), file.c_str());
}

int run(int argc, char** argv)
{
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: server FILE [-ORB...]" << std::endl;
    return 2;
  }
  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var root = PortableServer::POA::_narrow(object.in());
  PortableServer::POAManager_var manager = root->the_POAManager();
  PortableServer::POA_var poa = lasting(root.in(), manager.in());
  PortableServer::ServantBase_var servant = new Servant(orb.in());
  PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId("echo");
  poa->activate_object_with_id(id.in(), servant.in());
  object = poa->id_to_reference(id.in());
  CORBA::String_var text = orb->object_to_string(object.in());
  object = orb->resolve_initial_references("IORTable");
  IORTable::Table_var table = IORTable::Table::_narrow(object.in());
  table->bind("echo", text.in());
  manager->activate();
  write(argv[1], text.in());
  orb->run();
  orb->destroy();
  return 0;
}

} // namespace

int main(int argc, char** argv)
{
  try {
    return run(argc, argv);
  } catch (const CORBA::Exception& error) {
    std::cerr << "server: " << error._info().c_str() << std::endl;
  }
  return 1;
}
