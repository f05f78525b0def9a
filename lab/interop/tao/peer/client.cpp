// A client with TAO of an Interop::Echo: what echo.idl has of it. One line for each check; of the first
// exception that is none of them its name, minor code and completion.
//
//   client REFERENCE|FILE [-ORB...]
//   client --caller REFERENCE|FILE [-ORB...]     only asks a Secured::Account who calls

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>

#include "echoC.h"

namespace {

int failures = 0;

void expect(const char* what, bool holds)
{
  std::cout << (holds ? "ok " : "FAILED ") << what << std::endl;
  if (!holds) ++failures;
}

bool equal(const Interop::OctetSeq& one, const Interop::OctetSeq& other)
{
  return one.length() == other.length() &&
         std::equal(one.get_buffer(), one.get_buffer() + one.length(), other.get_buffer());
}

void values(Interop::Echo_ptr echo)
{
  const CORBA::Long numbers[] = {0, 1, -1, 2147483647, -2147483647 - 1};
  bool same = true;
  for (int i = 0; i < 5; ++i) {
    CORBA::Long copy = 7, kept = 99;
    same = echo->echo_long(numbers[i], copy, kept) == 99 && copy == numbers[i] && kept == numbers[i] && same;
  }
  expect("echo_long", same);

  const std::string texts[] = {"", "Vega", std::string(100000, 'x')};
  same = true;
  for (int i = 0; i < 3; ++i) {
    CORBA::String_var copy, kept = CORBA::string_dup("before");
    CORBA::String_var result = echo->echo_string(texts[i].c_str(), copy.out(), kept.inout());
    same = std::string(result.in()) == "before" && texts[i] == copy.in() && texts[i] == kept.in() && same;
  }
  expect("echo_string", same);

  Interop::OctetSeq octets;
  octets.length(1000000);
  for (CORBA::ULong i = 0; i < octets.length(); ++i) octets[i] = CORBA::Octet(i * 7);
  Interop::OctetSeq kept;
  Interop::OctetSeq_var copy;
  Interop::OctetSeq_var before = echo->echo_octet_seq(octets, copy.out(), kept);
  expect("echo_octet_seq", before->length() == 0 && equal(copy.in(), octets) && equal(kept, octets));
}

void oneways(Interop::Echo_ptr echo)
{
  const CORBA::LongLong sum = echo->notified();
  const CORBA::ULong count = echo->notifications();
  for (int n = 1; n <= 100; ++n) echo->notify(n);
  for (int i = 0; i < 500 && echo->notifications() - count < 100; ++i) usleep(10000);
  expect("notify", echo->notified() - sum == 5050);
}

// Whether `which` raises this exception.
template <class Wanted>
bool raises(Interop::Echo_ptr echo, CORBA::Short which)
{
  CORBA::String_var note = CORBA::string_dup("why");
  CORBA::Double half;
  try {
    echo->choose(which, note.inout(), half);
  } catch (const Wanted&) {
    return true;
  }
  return false;
}

void exceptions(Interop::Echo_ptr echo)
{
  CORBA::String_var note = CORBA::string_dup("note");
  CORBA::Double half = 0;
  const bool returned = echo->choose(0, note.inout(), half) == 42 && half == 0.5;
  expect("choose", returned && std::string(note.in()) == "note!" && raises<Interop::Refused>(echo, 1) &&
                     raises<Interop::Failed>(echo, 2) && raises<Interop::Echo::Detailed>(echo, 3) &&
                     raises<CORBA::BAD_PARAM>(echo, 4));
}

void describe(const CORBA::Exception& error)
{
  std::cout << error._name();
  const CORBA::SystemException* system = CORBA::SystemException::_downcast(&error);
  const char* const words[] = {"YES", "NO", "MAYBE"};
  if (system)
    std::cout << " minor 0x" << std::hex << system->minor() << std::dec << " COMPLETED_" << words[system->completed()];
  std::cout << std::endl;
}

int run(int argc, char** argv)
{
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  const bool caller = argc == 3 && std::string(argv[1]) == "--caller";
  if (argc != 2 && !caller) {
    std::cerr << "usage: client [--caller] REFERENCE|FILE [-ORB...]" << std::endl;
    return 2;
  }
  std::string text = argv[argc - 1];
  std::ifstream file(text.c_str());
  if (file) file >> text;
  CORBA::Object_var object = orb->string_to_object(text.c_str());
  if (caller) {
    Secured::Account_var account = Secured::Account::_unchecked_narrow(object.in());
    CORBA::String_var name = account->caller();
    std::cout << "caller " << name.in() << std::endl;
  } else {
    // _is_a is a call, too.
    Interop::Echo_var echo = Interop::Echo::_narrow(object.in());
    if (CORBA::is_nil(echo.in())) {
      std::cout << "this is no Interop::Echo" << std::endl;
      return 1;
    }
    values(echo.in());
    oneways(echo.in());
    exceptions(echo.in());
  }
  orb->destroy();
  return failures ? 1 : 0;
}

} // namespace

int main(int argc, char** argv)
{
  try {
    return run(argc, argv);
  } catch (const CORBA::Exception& error) {
    describe(error);
  }
  return 1;
}
