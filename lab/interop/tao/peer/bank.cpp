// A teller with TAO's fault tolerant client at the bank of examples/replication: it moves money while
// the primary of the bank is killed, and says what it has seen.
//
//   bank REFERENCE|FILE CALLS MILLISECONDS [HEARTBEAT] [-ORB...]
//
// MILLISECONDS is how long members remember a request and TAO tries it again (the policy of its duration;
// 0 leaves it to TAO, 1.5 s); HEARTBEAT, in milliseconds, is the policy of that name.

#include <sys/time.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "ledgerC.h"
#include "orbsvcs/FT_CORBA_ORBC.h"
#include "orbsvcs/FaultTolerance/FT_ClientService_Activate.h"
#include "tao/AnyTypeCode/Any.h"

namespace {

const int accounts = 10;

long long now()
{
  timeval time;
  gettimeofday(&time, 0);
  return time.tv_sec * 1000000LL + time.tv_usec;
}

std::string account(int number)
{
  std::ostringstream name;
  name << "account " << number % accounts;
  return name.str();
}

void describe(const char* what, const CORBA::Exception& error)
{
  std::cout << what << ": " << error._name();
  const CORBA::SystemException* system = CORBA::SystemException::_downcast(&error);
  const char* const words[] = {"YES", "NO", "MAYBE"};
  if (system)
    std::cout << " minor 0x" << std::hex << system->minor() << std::dec << " COMPLETED_" << words[system->completed()];
  std::cout << std::endl;
}

struct Seen {
  int made, refused, failed;
  long long longest;
};

void transfer(Lasting::Ledger_ptr ledger, int number, Seen& seen)
{
  const long long begun = now();
  try {
    ledger->transfer(account(number).c_str(), account(number / accounts + number + 1).c_str(), number % 7 + 1);
    ++seen.made;
  } catch (const Lasting::TooLittle&) {
    ++seen.refused;
  } catch (const CORBA::Exception& error) {
    ++seen.failed;
    describe("transfer", error);
  }
  const long long took = now() - begun;
  if (took > seen.longest) seen.longest = took;
}

// The reference with TAO's policies of fault tolerance.
CORBA::Object_ptr with_policies(CORBA::ORB_ptr orb, CORBA::Object_ptr object, int duration, int heartbeat)
{
  CORBA::PolicyList policies(2);
  if (duration > 0) {
    CORBA::Any value;
    value <<= TimeBase::TimeT(duration) * 10000;
    policies.length(1);
    policies[0] = orb->create_policy(FT::REQUEST_DURATION_POLICY, value);
  }
  if (heartbeat > 0) {
    FT::HeartbeatPolicyValue beat;
    beat.heartbeat = true;
    beat.heartbeat_interval = beat.heartbeat_timeout = TimeBase::TimeT(heartbeat) * 10000;
    CORBA::Any value;
    value <<= beat;
    policies.length(policies.length() + 1);
    policies[policies.length() - 1] = orb->create_policy(FT::HEARTBEAT_POLICY, value);
  }
  if (policies.length() == 0) return CORBA::Object::_duplicate(object);
  return object->_set_policy_overrides(policies, CORBA::ADD_OVERRIDE);
}

int run(int argc, char** argv)
{
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  if (argc < 4) {
    std::cerr << "usage: bank REFERENCE|FILE CALLS MILLISECONDS [HEARTBEAT] [-ORB...]" << std::endl;
    return 2;
  }
  std::string text = argv[1];
  std::ifstream file(text.c_str());
  if (file) file >> text;
  CORBA::Object_var object = orb->string_to_object(text.c_str());
  object = with_policies(orb.in(), object.in(), atoi(argv[3]), argc > 4 ? atoi(argv[4]) : 0);
  Lasting::Ledger_var ledger = Lasting::Ledger::_unchecked_narrow(object.in());
  const CORBA::ULongLong before = ledger->transfers();
  for (int i = 0; i < accounts; ++i) ledger->pay_in(account(i).c_str(), 1000);
  Seen seen = {0, 0, 0, 0};
  for (int number = 0; number < atoi(argv[2]); ++number) transfer(ledger.in(), number, seen);
  CORBA::LongLong money = 0;
  for (int i = 0; i < accounts; ++i) money += ledger->balance(account(i).c_str());
  const CORBA::ULongLong executed = ledger->transfers() - before;
  std::cout << "made " << seen.made << ", refused " << seen.refused << ", failed " << seen.failed << ", executed "
            << executed << ", money " << money << ", longest " << seen.longest / 1000 << " ms" << std::endl;
  orb->destroy();
  return seen.failed == 0 && executed == CORBA::ULongLong(seen.made) ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
  try {
    return run(argc, argv);
  } catch (const CORBA::Exception& error) {
    describe("bank", error);
  }
  return 1;
}
