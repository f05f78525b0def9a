// A client of our small services over the stubs that omniidl makes of the IDL of the standard.
//
//   client locks FACTORY TRANSACTIONS

#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include "CosConcurrencyControl.hh"
#include "CosTransactions.hh"

namespace CC = CosConcurrencyControl;
namespace CT = CosTransactions;

static CORBA::ORB_var orb;

static void check(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

template <class E, class F>
static void raises(const char* what, F call) {
  try {
    call();
  } catch (const E&) {
    return;
  }
  throw std::runtime_error(what);
}

template <class T>
static typename T::_var_type find(const char* url) {
  CORBA::Object_var object = orb->string_to_object(url);
  typename T::_var_type found = T::_narrow(object);
  check(!CORBA::is_nil(found), url);
  return found;
}

static void locks(const char* url, const char* transactions) {
  CC::LockSetFactory_var factory = find<CC::LockSetFactory>(url);
  CC::LockSet_var plain = factory->create();
  plain->lock(CC::write);
  check(!plain->try_lock(CC::intention_read), "a write lock excludes all");
  std::thread waiter([&] {
    plain->lock(CC::read);
    plain->change_mode(CC::read, CC::write);
    plain->unlock(CC::write);
  });
  plain->unlock(CC::write);
  waiter.join();
  raises<CC::LockNotHeld>("LockNotHeld", [&] { plain->unlock(CC::write); });
  raises<CC::LockNotHeld>("LockNotHeld", [&] { plain->change_mode(CC::read, CC::write); });

  CC::TransactionalLockSet_var set = factory->create_transactional();
  CC::TransactionalLockSet_var related = factory->create_transactional_related(set);
  CT::TransactionFactory_var begin = find<CT::TransactionFactory>(transactions);
  CT::Control_var control[2];
  CT::Coordinator_var coordinator[2];
  for (int i = 0; i < 2; i++) {
    control[i] = begin->create(60);
    coordinator[i] = control[i]->get_coordinator();
  }
  set->lock(coordinator[0], CC::upgrade);
  related->lock(coordinator[0], CC::write);
  check(set->try_lock(coordinator[1], CC::read), "upgrade admits readers");
  check(!set->try_lock(coordinator[1], CC::upgrade), "upgrade excludes upgrade");
  CC::LockCoordinator_var held = set->get_coordinator(coordinator[0]);
  held->drop_locks();
  check(related->try_lock(coordinator[1], CC::write), "related locks are dropped");
  CT::Terminator_var end = control[1]->get_terminator();
  end->commit(false);
  for (int i = 0; !set->try_lock(coordinator[0], CC::write); i++) {
    check(i < 1000, "locks end with their transaction");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  end = control[0]->get_terminator();
  end->rollback();
  raises<CORBA::SystemException>("an ended transaction has no locks",
                                 [&] { set->lock(coordinator[0], CC::read); });
  raises<CORBA::INVALID_TRANSACTION>("no transaction", [&] {
    set->lock(CT::Coordinator::_nil(), CC::read);
  });
}

int main(int argc, char** argv) {
  try {
    orb = CORBA::ORB_init(argc, argv);
    std::string what = argc > 1 ? argv[1] : "";
    if (what == "locks" && argc == 4) {
      locks(argv[2], argv[3]);
    } else {
      throw std::runtime_error("usage");
    }
    std::cout << what << ": as the standard says" << std::endl;
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "failed: " << exception._name() << std::endl;
  } catch (const std::exception& error) {
    std::cerr << "failed: " << error.what() << std::endl;
  }
  return 1;
}
