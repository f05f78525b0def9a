// The omniORB server of the interop suite. It activates one Interop::Echo, publishes it, and runs
// until SIGTERM, SIGINT or the operation `shutdown`. The object is in echo_servant.hh.

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include <omniORB4/Naming.hh>

#include "exotics_servant.hh"

namespace {

const char* const usage =
  "usage: server [--ior-file FILE] [--forward-ior-file FILE] [--key KEY] [--bind-name a/b]\n"
  "              [--older yes] [-ORB...]\n"
  "  --ior-file FILE          write the object's IOR to FILE (else to standard output)\n"
  "  --forward-ior-file FILE  write an IOR whose object answers with LOCATION_FORWARD to the first\n"
  "  --key KEY                give the object a fixed key, for corbaloc:iiop:HOST:PORT/KEY\n"
  "  --bind-name a/b          bind the object in the naming service, making contexts as needed\n"
  "  --older yes              know no valuetype that inherits from another\n";

struct Options {
  std::string ior_file;
  std::string forward_ior_file;
  std::string key;
  std::string bind_name;
  bool older = false;
};

// Called after ORB_init, which has removed the -ORB options.
Options parse_options(int argc, char** argv)
{
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name + " needs a value, or is unknown");
    if (name == "--ior-file") options.ior_file = argv[i + 1];
    else if (name == "--forward-ior-file") options.forward_ior_file = argv[i + 1];
    else if (name == "--key") options.key = argv[i + 1];
    else if (name == "--bind-name") options.bind_name = argv[i + 1];
    else if (name == "--older") options.older = std::string(argv[i + 1]) == "yes";
    else throw std::invalid_argument("unknown option " + name);
  }
  return options;
}

// ---- Activation --------------------------------------------------------------------------------

template <class S>
CORBA::Object_ptr activate_new(PortableServer::POA_ptr poa)
{
  PortableServer::Servant_var<S> servant = new S;
  return poa->servant_to_reference(servant);
}

Interop::Echo_ptr activate(CORBA::ORB_ptr orb, PortableServer::POA_ptr poa, const std::string& key)
{
  PortableServer::Servant_var<EchoServant> servant = new EchoServant(orb, poa);
  CORBA::Object_var reference;
  if (key.empty()) {
    PortableServer::ObjectId_var id = poa->activate_object(servant);
    reference = poa->id_to_reference(id);
  } else {
    // In omniORB's own persistent POA, the object keys are the object ids.
    CORBA::Object_var object = orb->resolve_initial_references("omniINSPOA");
    PortableServer::POA_var ins_poa = PortableServer::POA::_narrow(object);
    PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId(key.c_str());
    ins_poa->activate_object_with_id(id, servant);
    PortableServer::POAManager_var manager = ins_poa->the_POAManager();
    manager->activate();
    reference = ins_poa->id_to_reference(id);
  }
  Interop::Echo_var echo = Interop::Echo::_narrow(reference);
  servant->publish_as(echo, activate_new<ExoticsServant>(poa), activate_new<MirrorServant>(poa));
  return echo._retn();
}

// Forwards every request for an object of its POA to another object.
class Forwarder : public POA_PortableServer::ServantActivator {
public:
  explicit Forwarder(CORBA::Object_ptr target) : target_(CORBA::Object::_duplicate(target)) {}

  PortableServer::Servant incarnate(const PortableServer::ObjectId&, PortableServer::POA_ptr) override
  { throw PortableServer::ForwardRequest(target_); }

  void etherealize(const PortableServer::ObjectId&, PortableServer::POA_ptr, PortableServer::Servant,
                   CORBA::Boolean, CORBA::Boolean) override {}

private:
  CORBA::Object_var target_;
};

CORBA::Object_ptr activate_forwarder(PortableServer::POA_ptr root, CORBA::Object_ptr target)
{
  PortableServer::POAManager_var manager = root->the_POAManager();
  CORBA::PolicyList policies;
  policies.length(2);
  policies[0] = root->create_request_processing_policy(PortableServer::USE_SERVANT_MANAGER);
  policies[1] = root->create_id_assignment_policy(PortableServer::USER_ID);
  PortableServer::POA_var poa = root->create_POA("forwarding", manager, policies);
  PortableServer::Servant_var<Forwarder> forwarder = new Forwarder(target);
  PortableServer::ServantManager_var reference = forwarder->_this();
  poa->set_servant_manager(reference);
  PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId("moved");
  return poa->create_reference_with_id(id, Interop::Echo::_PD_repoId);
}

// ---- Publishing --------------------------------------------------------------------------------

// Writes a temporary file and renames it, so that a process that waits for the file never reads a
// part of it.
void write_ior(CORBA::ORB_ptr orb, CORBA::Object_ptr object, const std::string& file)
{
  CORBA::String_var ior = orb->object_to_string(object);
  const std::string unfinished = file + ".unfinished";
  std::ofstream out(unfinished);
  out << ior << '\n';
  out.close();
  if (!out || std::rename(unfinished.c_str(), file.c_str()) != 0)
    throw std::runtime_error("cannot write " + file + ": " + std::strerror(errno));
}

CosNaming::NamingContext_ptr open_context(CosNaming::NamingContext_ptr parent, const CosNaming::Name& step)
{
  try {
    return parent->bind_new_context(step);
  } catch (const CosNaming::NamingContext::AlreadyBound&) {
    CORBA::Object_var object = parent->resolve(step);
    return CosNaming::NamingContext::_narrow(object);
  }
}

void bind_name(CORBA::ORB_ptr orb, CORBA::Object_ptr object, const std::string& name)
{
  CORBA::Object_var service = orb->resolve_initial_references("NameService");
  CosNaming::NamingContextExt_var root = CosNaming::NamingContextExt::_narrow(service);
  if (CORBA::is_nil(root)) throw std::runtime_error("NameService is not a CosNaming::NamingContextExt");
  CosNaming::Name_var path = root->to_name(name.c_str());
  CosNaming::NamingContext_var context = CosNaming::NamingContext::_duplicate(root);
  CosNaming::Name step;
  step.length(1);
  for (CORBA::ULong i = 0; i + 1 < path->length(); ++i) {
    step[0] = path[i];
    context = open_context(context, step);
  }
  step[0] = path[path->length() - 1];
  context->rebind(step, object);
}

// ---- Running -----------------------------------------------------------------------------------

sigset_t block_termination_signals()
{
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// One thread waits for the signals, so that the shutdown does not run in a signal handler.
std::thread shut_down_on(sigset_t signals, CORBA::ORB_ptr orb)
{
  return std::thread([signals, orb] {
    int signal = 0;
    sigwait(&signals, &signal);
    try {
      orb->shutdown(false);
    } catch (const CORBA::BAD_INV_ORDER&) {
      // The ORB was already shut down.
    }
  });
}

void serve(int argc, char** argv)
{
  const sigset_t signals = block_termination_signals();
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  const Options options = parse_options(argc, argv);

  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
  PortableServer::POAManager_var manager = poa->the_POAManager();
  // Only from such a POA, servants call clients over the connections of the clients.
  poa = both_ways(orb, poa);
  register_values(orb, options.older);
  Interop::Echo_var echo = activate(orb, poa, options.key);
  manager->activate();

  if (!options.forward_ior_file.empty()) {
    CORBA::Object_var forwarder = activate_forwarder(poa, echo);
    write_ior(orb, forwarder, options.forward_ior_file);
  }
  if (!options.bind_name.empty()) bind_name(orb, echo, options.bind_name);
  if (options.ior_file.empty()) {
    CORBA::String_var ior = orb->object_to_string(echo);
    std::cout << ior << std::endl;
  } else {
    write_ior(orb, echo, options.ior_file);
  }
  std::cout << "ready" << std::endl;

  std::thread waiting = shut_down_on(signals, orb);
  orb->run();
  // The thread must have finished with the ORB before the ORB is destroyed.
  pthread_kill(waiting.native_handle(), SIGTERM);
  waiting.join();
  orb->destroy();
}

} // namespace

int main(int argc, char** argv)
{
  try {
    serve(argc, argv);
    return 0;
  } catch (const std::invalid_argument& error) {
    std::cerr << "server: " << error.what() << '\n' << usage;
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "server: " << error.what() << '\n';
  } catch (const CORBA::Exception& error) {
    std::cerr << "server: " << error._name() << '\n';
  }
  return 1;
}
