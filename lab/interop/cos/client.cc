// A client of our small services over the stubs that omniidl makes of the IDL of the standard.
//
//   client locks FACTORY TRANSACTIONS
//   client properties FACTORY DEF_FACTORY
//   client time SERVICE TIMERS

#include <atomic>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include "CosConcurrencyControl.hh"
#include "CosPropertyService.hh"
#include "CosTime.hh"
#include "CosTimerEvent.hh"
#include "CosTransactions.hh"

namespace CC = CosConcurrencyControl;
namespace CP = CosPropertyService;
namespace CT = CosTransactions;
namespace CTI = CosTime;
namespace TE = CosTimerEvent;

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

static void properties(const char* url, const char* defs_url) {
  CP::PropertySetFactory_var factory = find<CP::PropertySetFactory>(url);
  CP::PropertySetDefFactory_var defs = find<CP::PropertySetDefFactory>(defs_url);
  CP::PropertySet_var set = factory->create_propertyset();
  CORBA::Any value;
  for (CORBA::Long i = 0; i < 10; i++) {
    value <<= i;
    set->define_property(("p" + std::to_string(i)).c_str(), value);
  }
  check(set->get_number_of_properties() == 10, "ten properties");
  CP::PropertyNames_var names;
  CP::PropertyNamesIterator_var rest;
  set->get_all_property_names(4, names, rest);
  check(names->length() == 4 && !CORBA::is_nil(rest), "four names and the rest");
  check(rest->next_n(100, names) && names->length() == 6, "six more");
  CORBA::String_var name;
  check(!rest->next_one(name), "and nothing else");
  rest->reset();
  check(rest->next_one(name) && std::string(name) == "p4", "from the beginning of the rest");
  rest->destroy();
  raises<CORBA::OBJECT_NOT_EXIST>("destroyed", [&] { rest->next_one(name); });
  CORBA::Any_var got = set->get_property_value("p7");
  CORBA::Long seven = 0;
  check((got >>= seven) && seven == 7, "its value");
  value <<= "text";
  raises<CP::ConflictingProperty>("another type", [&] { set->define_property("p7", value); });
  raises<CP::InvalidPropertyName>("no name", [&] { set->define_property("", value); });
  raises<CP::PropertyNotFound>("no property", [&] { set->delete_property("none"); });
  check(set->delete_all_properties(), "nothing is fixed");

  CP::PropertySetDef_var def = defs->create_propertysetdef();
  def->define_property_with_mode("fixed", value, CP::fixed_readonly);
  raises<CP::FixedProperty>("fixed", [&] { def->delete_property("fixed"); });
  raises<CP::ReadOnlyProperty>("read-only", [&] { def->define_property("fixed", value); });
  raises<CP::UnsupportedMode>("no mode", [&] { def->set_property_mode("fixed", CP::undefined); });
  CP::PropertyModes_var modes;
  CP::PropertyNames asked;
  asked.length(2);
  asked[0] = CORBA::string_dup("fixed");
  asked[1] = CORBA::string_dup("none");
  check(!def->get_property_modes(asked, modes), "one is missing");
  check(modes[0].property_mode == CP::fixed_readonly, "its mode");
  check(modes[1].property_mode == CP::undefined, "the mode of none");
  CP::PropertyTypes types;
  types.length(1);
  types[0] = CORBA::TypeCode::_duplicate(CORBA::_tc_long);
  CP::PropertySet_var bound = factory->create_constrained_propertyset(types, CP::Properties());
  raises<CP::UnsupportedTypeCode>("no text", [&] { bound->define_property("a", value); });
}

// Counts what is pushed.
class Consumer : public POA_CosEventComm::PushConsumer {
 public:
  void push(const CORBA::Any& event) {
    const TE::TimerEventT* timer;
    CORBA::Long data = 0;
    if ((event >>= timer) && (timer->event_data >>= data) && data == 7 && timer->utc.time > 0) count++;
  }
  void disconnect_push_consumer() {}
  std::atomic<int> count{0};
};

static void time(const char* url, const char* timers_url) {
  CTI::TimeService_var service = find<CTI::TimeService>(url);
  CTI::UTO_var now = service->universal_time();
  TimeBase::UtcT utc = now->utc_time();
  check(utc.time > 138000000000000000ULL, "later than 2020");
  check((CORBA::ULongLong(utc.inacchi) << 32) + utc.inacclo == now->inaccuracy(), "inaccuracy");
  CTI::UTO_var early = service->new_universal_time(1000, 10, 60);
  CTI::UTO_var late = service->new_universal_time(1015, 10, 0);
  check(early->tdf() == 60, "displacement");
  check(early->compare_time(CTI::MidC, late) == CTI::TCLessThan, "the middles");
  check(early->compare_time(CTI::IntervalC, late) == CTI::TCIndeterminate, "nobody can say");
  check(now->compare_time(CTI::IntervalC, early) == CTI::TCGreaterThan, "long after");
  CTI::TIO_var between = early->time_to_interval(late), common;
  check(between->time_interval().upper_bound == 1015, "an interval");
  CTI::TIO_var wide = service->new_interval(900, 1100);
  check(wide->overlaps(between, common) == CTI::OTContainer, "it contains it");
  check(between->overlaps(wide, common) == CTI::OTContained, "it is in it");
  check(wide->spans(now, common) == CTI::OTNoOverlap, "a gap");
  check(common->time_interval().lower_bound == 1100, "the gap");
  raises<CORBA::BAD_PARAM>("backwards", [&] { service->new_interval(2, 1); });
  raises<CTI::TimeUnavailable>("not secure", [&] { service->secure_universal_time(); });
  CTI::UTO_var absolute = early->absolute_time();
  check(absolute->time() > utc.time, "from now");

  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
  PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  Consumer* consumer = new Consumer;
  PortableServer::ObjectId_var id = poa->activate_object(consumer);
  CosEventComm::PushConsumer_var reference = consumer->_this();
  TE::TimerEventService_var timers = find<TE::TimerEventService>(timers_url);
  CORBA::Any data;
  data <<= CORBA::Long(7);
  TE::TimerEventHandler_var timer = timers->_cxx_register(reference, data);
  check(timer->status() == TE::ESTimeCleared, "not set yet");
  CTI::UTO_var period = service->new_universal_time(500000, 0, 0), due;
  timer->SetTimer(TE::TTPeriodic, period);
  check(timer->time_set(due) && timer->status() == TE::ESTimeSet, "set");
  for (int i = 0; consumer->count < 3; i++) {
    check(i < 1000, "three events");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  check(timer->cancel_timer() && !timer->cancel_timer(), "cancelled once");
  timers->unregister(timer);
  raises<CORBA::OBJECT_NOT_EXIST>("unregistered", [&] { timer->status(); });
}

int main(int argc, char** argv) {
  try {
    orb = CORBA::ORB_init(argc, argv);
    std::string what = argc > 1 ? argv[1] : "";
    if (what == "locks" && argc == 4) {
      locks(argv[2], argv[3]);
    } else if (what == "properties" && argc == 4) {
      properties(argv[2], argv[3]);
    } else if (what == "time" && argc == 4) {
      time(argv[2], argv[3]);
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
