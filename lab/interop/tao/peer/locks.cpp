// A client with TAO's stubs of the concurrency service: which modes a lock set grants beside which,
// changes of mode, and locks that nobody has. Prints what comes, for a comparison.
//
//   locks FACTORY|FILE [-ORB...]

#include <fstream>
#include <iostream>
#include <string>

#include "orbsvcs/CosConcurrencyControlC.h"

namespace {

using CosConcurrencyControl::LockNotHeld;
using CosConcurrencyControl::LockSet_var;

const char* const names[] = {"read", "write", "upgrade", "intention_read", "intention_write"};
const CosConcurrencyControl::lock_mode modes[] = {
  CosConcurrencyControl::read, CosConcurrencyControl::write, CosConcurrencyControl::upgrade,
  CosConcurrencyControl::intention_read, CosConcurrencyControl::intention_write};

void pairs(CosConcurrencyControl::LockSetFactory_ptr factory)
{
  LockSet_var set = factory->create();
  for (int held = 0; held < 5; ++held) {
    set->lock(modes[held]);
    std::cout << "beside " << names[held] << ":";
    for (int wanted = 0; wanted < 5; ++wanted)
      if (set->try_lock(modes[wanted])) {
        std::cout << " " << names[wanted];
        set->unlock(modes[wanted]);
      }
    std::cout << std::endl;
    set->unlock(modes[held]);
  }
}

void changes(CosConcurrencyControl::LockSetFactory_ptr factory)
{
  LockSet_var set = factory->create();
  set->lock(CosConcurrencyControl::upgrade);
  set->change_mode(CosConcurrencyControl::upgrade, CosConcurrencyControl::write);
  std::cout << "upgraded, read is " << (set->try_lock(CosConcurrencyControl::read) ? "granted" : "not granted") << std::endl;
  try {
    set->unlock(CosConcurrencyControl::upgrade);
    std::cout << "the upgrade lock was still there" << std::endl;
  } catch (const LockNotHeld&) {
    std::cout << "unlock upgrade: LockNotHeld" << std::endl;
  }
  set->unlock(CosConcurrencyControl::write);
  try {
    set->change_mode(CosConcurrencyControl::read, CosConcurrencyControl::write);
    std::cout << "a lock that nobody has was changed" << std::endl;
  } catch (const LockNotHeld&) {
    std::cout << "change_mode read: LockNotHeld" << std::endl;
  }
}

int run(int argc, char** argv)
{
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: locks FACTORY|FILE [-ORB...]" << std::endl;
    return 2;
  }
  std::string text = argv[1];
  std::ifstream file(text.c_str());
  if (file) file >> text;
  CORBA::Object_var object = orb->string_to_object(text.c_str());
  CosConcurrencyControl::LockSetFactory_var factory = CosConcurrencyControl::LockSetFactory::_narrow(object.in());
  pairs(factory.in());
  changes(factory.in());
  orb->destroy();
  return 0;
}

} // namespace

int main(int argc, char** argv)
{
  try {
    return run(argc, argv);
  } catch (const CORBA::Exception& error) {
    std::cout << error._info().c_str() << std::endl;
  }
  return 1;
}
