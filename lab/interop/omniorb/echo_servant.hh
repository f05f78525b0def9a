// The servants of the interop server: Interop::Echo, and the Counters that it creates.
// idl/interop.idl specifies each operation. Startup and publishing are in server.cc.

#ifndef INTEROP_ECHO_SERVANT_HH
#define INTEROP_ECHO_SERVANT_HH

#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "interop.hh"
#include "operations.hh"

// ---- The echo rule, once for each way in which the C++ mapping passes a value ------------------

// Scalars and constructed types of fixed size.
template <class T>
T echo_fixed(const T& given, T& copy, T& kept)
{
  T result = kept;
  copy = given;
  kept = given;
  return result;
}

inline char* echo_text(const char* given, CORBA::String_out copy, char*& kept)
{
  char* result = kept;
  copy = CORBA::string_dup(given);
  kept = CORBA::string_dup(given);
  return result;
}

// Constructed types of variable size, and sequences.
template <class T, class Out>
T* echo_variable(const T& given, Out copy, T& kept)
{
  T* result = new T(kept);
  copy = new T(given);
  kept = given;
  return result;
}

// Object references.
template <class Ptr, class Out>
Ptr echo_reference(Ptr given, Out copy, Ptr& kept, Ptr (*duplicate)(Ptr))
{
  Ptr result = kept;
  copy = duplicate(given);
  kept = duplicate(given);
  return result;
}

// ---- POA ---------------------------------------------------------------------------------------

// A POA like `root` whose connections carry calls in both directions.
inline PortableServer::POA_ptr both_ways(CORBA::ORB_ptr orb, PortableServer::POA_ptr root)
{
  PortableServer::POAManager_var manager = root->the_POAManager();
  CORBA::Any both;
  both <<= BiDirPolicy::BOTH;
  CORBA::PolicyList policies;
  policies.length(2);
  policies[0] = orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, both);
  policies[1] = root->create_implicit_activation_policy(PortableServer::IMPLICIT_ACTIVATION);
  return root->create_POA("both ways", manager, policies);
}

// ---- Counter -----------------------------------------------------------------------------------

class CounterServant : public POA_Interop::Counter {
public:
  CounterServant(PortableServer::POA_ptr poa, CORBA::Long start)
    : poa_(PortableServer::POA::_duplicate(poa)), value_(start) {}

  CORBA::Long value() override { return locked([&] { return value_; }); }
  CORBA::Long next() override { return locked([&] { return ++value_; }); }

  void destroy() override
  {
    PortableServer::ObjectId_var id = poa_->servant_to_id(this);
    poa_->deactivate_object(id);
  }

private:
  template <class F>
  CORBA::Long locked(F action)
  {
    std::lock_guard<std::mutex> guard(mutex_);
    return action();
  }

  PortableServer::POA_var poa_;
  std::mutex mutex_;
  CORBA::Long value_;
};

// ---- Echo --------------------------------------------------------------------------------------

class EchoServant : public POA_Interop::Echo {
public:
  EchoServant(CORBA::ORB_ptr orb, PortableServer::POA_ptr poa)
    : orb_(CORBA::ORB::_duplicate(orb)), poa_(PortableServer::POA::_duplicate(poa)) {}

  // The reference by which this object refers to itself, set before the first call, and the other
  // objects of the server, which this servant takes over.
  void publish_as(Interop::Echo_ptr reference, CORBA::Object_ptr exotics, CORBA::Object_ptr mirror)
  {
    myself_ = Interop::Echo::_duplicate(reference);
    exotics_ = exotics;
    mirror_ = mirror;
  }

  // -- Common, Values, Containers

  char* description() override
  { return CORBA::string_dup((std::string("omniORB ") + omniORB::versionString()).c_str()); }
  void ping() override {}

#define ECHO(op, T) \
  T echo_##op(T given, T& copy, T& kept) override { return echo_fixed<T>(given, copy, kept); }
  ECHO_SCALARS(ECHO)
#undef ECHO

#define ECHO(op) \
  char* echo_##op(const char* given, CORBA::String_out copy, char*& kept) override \
  { return echo_text(given, copy, kept); }
  ECHO_STRINGS(ECHO)
#undef ECHO

#define ECHO(op, T) \
  T echo_##op(const T& given, T& copy, T& kept) override { return echo_fixed<T>(given, copy, kept); }
  ECHO_FIXED_STRUCTS(ECHO)
  ECHO_FIXED_UNIONS(ECHO)
#undef ECHO

#define ECHO(op, T) \
  T* echo_##op(const T& given, T##_out copy, T& kept) override \
  { return echo_variable<T, T##_out>(given, copy, kept); }
  ECHO_VARIABLE_STRUCTS(ECHO)
  ECHO_VARIABLE_UNIONS(ECHO)
  ECHO_SEQUENCES(ECHO)
  ECHO_BOUNDED_SEQUENCES(ECHO)
  ECHO_REFERENCE_HOLDERS(ECHO)
#undef ECHO

#define ECHO(op, T) \
  T##_slice* echo_##op(const T given, T copy, T kept) override \
  { \
    T##_slice* result = T##_dup(kept); \
    T##_copy(copy, given); \
    T##_copy(kept, given); \
    return result; \
  }
  ECHO_FIXED_ARRAYS(ECHO)
#undef ECHO

  // The only array of variable size.
  Interop::TextArray_slice* echo_text_array(const Interop::TextArray given, Interop::TextArray_out copy,
                                            Interop::TextArray kept) override
  {
    Interop::TextArray_slice* result = Interop::TextArray_dup(kept);
    copy = Interop::TextArray_dup(given);
    Interop::TextArray_copy(kept, given);
    return result;
  }

  Interop::Constants* all_constants() override;

  // -- Attributes and oneway operations

#define ATTRIBUTE(name, T, In) \
  T name() override { Guard guard(mutex_); return name##_; } \
  void name(In value) override { Guard guard(mutex_); name##_ = value; }
  ATTRIBUTE(level, CORBA::Long, CORBA::Long)
  ATTRIBUTE(record, Interop::BinStruct, const Interop::BinStruct&)
  ATTRIBUTE(foreground, Interop::Colour, Interop::Colour)
  ATTRIBUTE(background, Interop::Colour, Interop::Colour)
  ATTRIBUTE(await, CORBA::Long, CORBA::Long)
#undef ATTRIBUTE

  char* label() override { Guard guard(mutex_); return CORBA::string_dup(label_); }
  void label(const char* value) override { Guard guard(mutex_); label_ = value; }
  Interop::LongSeq* history() override { Guard guard(mutex_); return new Interop::LongSeq(history_); }
  void history(const Interop::LongSeq& value) override { Guard guard(mutex_); history_ = value; }

  void notify(CORBA::Long n) override { count(n); }
  void notify_mixed(CORBA::Octet, CORBA::Double amount, const char* text) override
  { count(CORBA::LongLong(amount) + CORBA::LongLong(std::string(text).size())); }

  CORBA::LongLong notified() override { Guard guard(mutex_); return notified_; }
  CORBA::ULong notifications() override { Guard guard(mutex_); return notifications_; }

  // -- Mixes of parameters

  char* wide(CORBA::Octet o, CORBA::Double d, CORBA::Char c, CORBA::LongLong ll, CORBA::Boolean b,
             const char* text, CORBA::Short s, Interop::Colour colour_in, CORBA::Float f,
             const Interop::BinStruct& bin, const Interop::LongSeq& numbers, CORBA::Long& tally,
             char*& note, Interop::LongSeq_out out_numbers, Interop::BinStruct& out_bin,
             CORBA::Float& out_f, Interop::Colour& out_colour, CORBA::Short& out_s,
             CORBA::Boolean& out_b, CORBA::LongLong& out_ll, CORBA::Char& out_c, CORBA::Double& out_d,
             CORBA::Octet& out_o) override;
  CORBA::Boolean outputs_only(CORBA::Octet& o, CORBA::LongLong& ll, CORBA::Char& c, CORBA::Double& d,
                              CORBA::String_out text, Interop::LongSeq_out numbers) override;
  Interop::BinSeq* echo_at_offset(const Interop::OctetSeq& filler, const Interop::BinSeq& items,
                                  Interop::OctetSeq_out filler_copy) override
  {
    filler_copy = new Interop::OctetSeq(filler);
    return new Interop::BinSeq(items);
  }
  CORBA::LongLong arithmetic(CORBA::Short a, CORBA::Long b, CORBA::LongLong c, CORBA::Octet d) override
  { return 10 * CORBA::LongLong(a) + b + c - d; }

  CORBA::Long type(CORBA::Long self) override { return self; }
  CORBA::Long move(CORBA::Long super) override { return super; }
  CORBA::Long _cxx_class(CORBA::Long crate) override { return crate; }
  CORBA::Long interface(CORBA::Long module) override { return module; }
  char* loop(const char* fn) override { return CORBA::string_dup(fn); }

  // -- Exceptions

  void raise_refused() override { throw Interop::Refused(); }
  void raise_failed(const char* reason, CORBA::Long code) override { throw Interop::Failed(reason, code); }
  void raise_detailed(CORBA::Octet lead, const Interop::BinStruct& bin, const Interop::LongSeq& numbers,
                      const Interop::ByLong& choice, Interop::Echo::Verdict outcome,
                      const char* reason) override
  { throw Interop::Echo::Detailed(lead, bin, numbers, choice, outcome, reason); }
  CORBA::Long choose(CORBA::Short which, char*& note, CORBA::Double& half) override;
  void raise_system(const char* name, CORBA::ULong minor_code, Interop::Echo::Completion status) override;

  // -- References and callbacks

  CORBA::Object_ptr echo_object(CORBA::Object_ptr given, CORBA::Object_out copy,
                                CORBA::Object_ptr& kept) override
  { return echo_reference(given, copy, kept, CORBA::Object::_duplicate); }
  Interop::Callback_ptr echo_callback(Interop::Callback_ptr given, Interop::Callback_out copy,
                                      Interop::Callback_ptr& kept) override
  { return echo_reference(given, copy, kept, Interop::Callback::_duplicate); }

  Interop::Echo_ptr myself() override { return Interop::Echo::_duplicate(myself_); }
  CORBA::Object_ptr as_object() override { return CORBA::Object::_duplicate(myself_); }
  CORBA::Object_ptr exotics() override { return CORBA::Object::_duplicate(exotics_); }
  CORBA::Object_ptr mirror() override { return CORBA::Object::_duplicate(mirror_); }
  Interop::Common_ptr as_common() override { return Interop::Common::_duplicate(myself_); }

  Interop::Counter_ptr create_counter(CORBA::Long start) override;
  Interop::Counter_ptr no_counter() override { return Interop::Counter::_nil(); }
  CORBA::Long advance(Interop::Counter_ptr target) override
  {
    require_reference(target);
    return target->next();
  }

  void call_back(Interop::Callback_ptr cb, const char* text) override
  {
    require_reference(cb);
    cb->called(text);
  }
  CORBA::ULong call_all(const Interop::CallbackSeq& cbs, const char* text) override;
  CORBA::Long descend(Interop::Callback_ptr partner, CORBA::Long depth) override
  { return depth == 0 ? 0 : 1 + partner->descend(myself_, depth - 1); }

  // -- The server

  void pause(CORBA::ULong milliseconds) override
  { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }
  void shutdown() override { orb_->shutdown(false); }

private:
  using Guard = std::lock_guard<std::mutex>;

  static void require_reference(CORBA::Object_ptr reference)
  {
    if (CORBA::is_nil(reference)) throw CORBA::INV_OBJREF(0, CORBA::COMPLETED_NO);
  }

  void count(CORBA::LongLong amount)
  {
    Guard guard(mutex_);
    notified_ += amount;
    notifications_ += 1;
  }

  CORBA::ORB_var orb_;
  PortableServer::POA_var poa_;
  Interop::Echo_var myself_;
  CORBA::Object_var exotics_, mirror_;

  std::mutex mutex_;                    // guards everything below
  CORBA::Long level_ = 0;
  CORBA::Long await_ = 0;
  CORBA::String_var label_ = CORBA::string_dup("");
  Interop::BinStruct record_ = {};
  Interop::Colour foreground_ = Interop::RED;
  Interop::Colour background_ = Interop::RED;
  Interop::LongSeq history_;
  CORBA::LongLong notified_ = 0;
  CORBA::ULong notifications_ = 0;
};

#endif
