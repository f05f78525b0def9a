// The omniORB client of the interop suite. It calls every operation of an Interop::Echo, checks
// every result, and prints one line for each check. The checks are in client_*.cc.

#include <fstream>
#include <iostream>

#include "exotics_servant.hh"
#include "fill.hh"

// ---- Report ------------------------------------------------------------------------------------

bool Report::wants(const std::string& name) const
{
  bool asked = false, found = false;
  for (const std::string& filter : filters_) {
    if (filter[0] == '!') {
      if (name.find(filter.substr(1)) != std::string::npos) return false;
    } else {
      asked = true;
      found = found || name.find(filter) != std::string::npos;
    }
  }
  return found || !asked;
}

void Report::passed(const std::string& name)
{
  ++passed_;
  std::cout << "ok " << name << std::endl;
}

void Report::failed(const std::string& name, const std::string& why)
{
  ++failed_;
  std::cout << "FAILED " << name << ": " << why << std::endl;
}

int Report::finish() const
{
  std::cout << passed_ << " passed, " << failed_ << " failed" << std::endl;
  return passed_ > 0 && failed_ == 0 ? 0 : 1;
}

std::string Report::describe(const CORBA::Exception& error)
{
  const auto* system = CORBA::SystemException::_downcast(&error);
  if (!system) return error._rep_id();
  static const char* const statuses[] = {"YES", "NO", "MAYBE"};
  const char* minor = system->NP_minorString();
  return std::string(error._name()) + " (minor code " + (minor ? minor : std::to_string(system->minor())) +
         ", completed " + statuses[system->completed()] + ")";
}

// ---- Comparison --------------------------------------------------------------------------------

void expect_same_encoding(const std::string& what, const std::string& got, const std::string& wanted)
{
  if (got == wanted) return;
  size_t at = 0;
  while (at < got.size() && at < wanted.size() && got[at] == wanted[at]) ++at;
  auto byte = [at](const std::string& bytes) {
    char text[8] = "nothing";
    if (at < bytes.size()) std::snprintf(text, sizeof text, "%02x", static_cast<unsigned char>(bytes[at]));
    return std::string(text);
  };
  throw Mismatch(what + " differs: " + std::to_string(got.size()) + " bytes in CDR, wanted " +
                 std::to_string(wanted.size()) + "; at byte " + std::to_string(at) + " " + byte(got) +
                 ", wanted " + byte(wanted));
}

bool Alphabet::utf8 = false;

// ---- The program -------------------------------------------------------------------------------

namespace {

const char* const usage =
  "usage: client [--utf8] [--exotics] [--shutdown] [-ORB...]\n"
  "              IOR|FILE|corbaloc:...|corbaname:... [FILTER|!FILTER]...\n"
  "  --utf8      use UTF-8 as the native code set, and texts beyond Latin-1\n"
  "  --exotics   make the checks of interop_values.idl instead of those of interop.idl\n"
  "  --shutdown  end with the operation `shutdown`\n"
  "  FILTER      run only checks whose names (operation/case) contain it; !FILTER excludes them\n";

struct Options {
  std::string target;
  std::vector<std::string> filters;
  bool exotics = false;
  bool shutdown = false;
};

// Removes the options of this program, so that ORB_init sees only the others.
Options parse_options(const std::vector<std::string>& arguments)
{
  Options options;
  for (const std::string& argument : arguments) {
    if (argument == "--exotics") options.exotics = true;
    else if (argument == "--shutdown") options.shutdown = true;
    else if (argument.rfind("--", 0) == 0) throw std::invalid_argument("unknown option " + argument);
    else if (options.target.empty()) options.target = argument;
    else options.filters.push_back(argument);
  }
  if (options.target.empty()) throw std::invalid_argument("no object reference given");
  return options;
}

Interop::Echo_ptr resolve(CORBA::ORB_ptr orb, const std::string& target)
{
  std::string reference = target;
  std::ifstream file(target);
  if (file) file >> reference;
  CORBA::Object_var object = orb->string_to_object(reference.c_str());
  Interop::Echo_var echo = Interop::Echo::_narrow(object);
  if (CORBA::is_nil(echo)) throw std::runtime_error("the reference is not an Interop::Echo");
  return echo._retn();
}

// Disables the retries of omniORB: here, each of these exceptions is a result to check.
void report_every_exception()
{
  omniORB::installTransientExceptionHandler(
    nullptr, [](void*, CORBA::ULong, const CORBA::TRANSIENT&) -> CORBA::Boolean { return false; });
  omniORB::installCommFailureExceptionHandler(
    nullptr, [](void*, CORBA::ULong, const CORBA::COMM_FAILURE&) -> CORBA::Boolean { return false; });
  omniORB::installSystemExceptionHandler(
    nullptr, [](void*, CORBA::ULong, const CORBA::SystemException&) -> CORBA::Boolean { return false; });
  omniORB::setClientCallTimeout(10000);
}

int run(int argc, char** argv)
{
  std::vector<char*> arguments(argv, argv + argc);
  for (auto i = arguments.begin(); i != arguments.end();) {
    const bool found = std::string(*i) == "--utf8";
    Alphabet::utf8 = Alphabet::utf8 || found;
    i = found ? arguments.erase(i) : i + 1;
  }
  argc = int(arguments.size());
  const char* defaults[][2] = {{"nativeCharCodeSet", Alphabet::utf8 ? "UTF-8" : "ISO-8859-1"}, {nullptr, nullptr}};
  CORBA::ORB_var orb = CORBA::ORB_init(argc, arguments.data(), "omniORB4", defaults);
  const Options options = parse_options({arguments.begin() + 1, arguments.begin() + argc});
  report_every_exception();

  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
  PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  // The server can call the client's own objects over the connections of the client.
  poa = both_ways(orb, poa);

  Interop::Echo_var echo = resolve(orb, options.target);
  Report report(options.filters);
  register_values(orb, false);
  if (options.exotics) {
    check_exotics(report, echo);
  } else {
    check_values(report, echo);
    check_behaviour(report, echo);
    check_references(report, echo, poa);
  }
  if (options.shutdown) echo->shutdown();
  orb->destroy();
  return report.finish();
}

} // namespace

int main(int argc, char** argv)
{
  try {
    // Exits without cleaning up, because that makes omniORB abort: see made(16) in
    // exotics_servant.cc.
    std::_Exit(run(argc, argv));
  } catch (const std::invalid_argument& error) {
    std::cerr << "client: " << error.what() << '\n' << usage;
  } catch (const std::exception& error) {
    std::cerr << "client: " << error.what() << '\n';
  } catch (const CORBA::Exception& error) {
    std::cerr << "client: " << Report::describe(error) << '\n';
  }
  return 2;
}
