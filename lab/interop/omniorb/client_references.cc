// Checks of object references: echo, narrowing, creation and destruction of objects, callbacks.

#include <mutex>

#include "checks.hh"

namespace {

// ---- The client's own object -------------------------------------------------------------------

class CallbackServant : public POA_Interop::Callback {
public:
  void called(const char* text) override
  {
    std::lock_guard<std::mutex> guard(mutex_);
    texts_.push_back(text);
  }

  CORBA::Long descend(Interop::Echo_ptr partner, CORBA::Long depth) override
  {
    Interop::Callback_var myself = _this();
    return depth == 0 ? 0 : 1 + partner->descend(myself, depth - 1);
  }

  // The texts since the previous call.
  std::vector<std::string> take()
  {
    std::lock_guard<std::mutex> guard(mutex_);
    return std::move(texts_);
  }

private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

void expect_texts(CallbackServant& servant, const std::vector<std::string>& wanted)
{
  const auto got = servant.take();
  expect(got == wanted, std::to_string(got.size()) + " calls, or other texts, arrived instead of " +
                        std::to_string(wanted.size()));
}

// ---- The echo of references --------------------------------------------------------------------

// Whether a value that was set through one reference can be read through the other.
bool share_state(CORBA::Object_ptr one, CORBA::Object_ptr other)
{
  static CORBA::Long stamp = 0;
  Interop::Echo_var writer = Interop::Echo::_narrow(one), reader = Interop::Echo::_narrow(other);
  if (CORBA::is_nil(writer) || CORBA::is_nil(reader)) return false;
  writer->await(++stamp);
  return reader->await() == stamp;
}

// References to one object may differ: in a host name, an address, or a forward.
void expect_same_object(const std::string& what, CORBA::Object_ptr got, CORBA::Object_ptr wanted)
{
  expect(CORBA::is_nil(got) == CORBA::is_nil(wanted), what + ": nil on one side only");
  if (CORBA::is_nil(got)) return;
  expect(got->_is_equivalent(wanted) || share_state(got, wanted), what + ": another object");
}

void expect_same_callbacks(const std::string& what, const Interop::CallbackSeq& got,
                           const Interop::CallbackSeq& wanted)
{
  expect(got.length() == wanted.length(), what + ": another length");
  for (CORBA::ULong i = 0; i < wanted.length(); ++i) expect_same_object(what, got[i], wanted[i]);
}

void expect_same_registration(const std::string& what, const Interop::Registration& got,
                              const Interop::Registration& wanted)
{
  expect_same(what + ".priority", got.priority, wanted.priority);
  expect_same(what + ".label", got.label, wanted.label);
  expect_same_object(what + ".target", got.target, wanted.target);
  expect_same_object(what + ".anything", got.anything, wanted.anything);
}

Interop::CallbackSeq callbacks(std::initializer_list<Interop::Callback_ptr> references)
{
  Interop::CallbackSeq result;
  result.length(references.size());
  CORBA::ULong i = 0;
  for (auto reference : references) result[i++] = Interop::Callback::_duplicate(reference);
  return result;
}

Interop::Registration registration(CORBA::Octet priority, Interop::Callback_ptr target, const char* label,
                                   CORBA::Object_ptr anything)
{
  Interop::Registration result;
  result.priority = priority;
  result.target = Interop::Callback::_duplicate(target);
  result.label = label;
  result.anything = CORBA::Object::_duplicate(anything);
  return result;
}

void check_object_echo(Interop::Echo_ptr echo, CORBA::Object_ptr given, CORBA::Object_ptr before)
{
  CORBA::Object_var copy, kept = CORBA::Object::_duplicate(before);
  CORBA::Object_var result = echo->echo_object(given, copy.out(), kept.inout());
  expect_same_object("result", result, before);
  expect_same_object("copy", copy, given);
  expect_same_object("kept", kept, given);
}

void check_callback_echo(Interop::Echo_ptr echo, Interop::Callback_ptr given, Interop::Callback_ptr before)
{
  Interop::Callback_var copy, kept = Interop::Callback::_duplicate(before);
  Interop::Callback_var result = echo->echo_callback(given, copy.out(), kept.inout());
  expect_same_object("result", result, before);
  expect_same_object("copy", copy, given);
  expect_same_object("kept", kept, given);
  if (!CORBA::is_nil(copy)) copy->called("through the copy");
}

void check_reference_echoes(Report& report, Interop::Echo_ptr echo, Interop::Callback_ptr cb,
                            CallbackServant& servant)
{
  const auto nil = Interop::Callback::_nil();
  report.check("echo_object", "servers_object", [&] { check_object_echo(echo, echo, cb); });
  report.check("echo_object", "clients_object", [&] { check_object_echo(echo, cb, echo); });
  report.check("echo_object", "nil", [&] {
    check_object_echo(echo, CORBA::Object::_nil(), echo);
    check_object_echo(echo, echo, CORBA::Object::_nil());
  });
  report.check("echo_callback", "clients_object", [&] {
    check_callback_echo(echo, cb, nil);
    expect_texts(servant, {"through the copy"});
  });
  report.check("echo_callback", "nil", [&] { check_callback_echo(echo, nil, cb); });

  report.check("echo_callback_seq", "nil_among_others", [&] {
    const auto given = callbacks({cb, nil, cb}), before = callbacks({});
    auto kept = before;
    Interop::CallbackSeq_var copy;
    Interop::CallbackSeq_var result = echo->echo_callback_seq(given, copy.out(), kept);
    expect_same_callbacks("result", result.in(), before);
    expect_same_callbacks("copy", copy.in(), given);
    expect_same_callbacks("kept", kept, given);
  });

  const auto full = registration(255, cb, "label", echo), bare = registration(0, nil, "", CORBA::Object::_nil());
  report.check("echo_registration", "members", [&] {
    auto kept = bare;
    Interop::Registration_var copy;
    Interop::Registration_var result = echo->echo_registration(full, copy.out(), kept);
    expect_same_registration("result", result.in(), bare);
    expect_same_registration("copy", copy.in(), full);
    expect_same_registration("kept", kept, full);
  });
  report.check("echo_registration_seq", "members", [&] {
    Interop::RegistrationSeq given, kept;
    given.length(2);
    given[0] = full;
    given[1] = bare;
    Interop::RegistrationSeq_var copy;
    Interop::RegistrationSeq_var result = echo->echo_registration_seq(given, copy.out(), kept);
    expect(result->length() == 0 && copy->length() == 2 && kept.length() == 2, "other lengths");
    for (CORBA::ULong i = 0; i < 2; ++i) {
      expect_same_registration("copy", copy[i], given[i]);
      expect_same_registration("kept", kept[i], given[i]);
    }
  });
}

// ---- Types and lives of objects ----------------------------------------------------------------

template <class E, class Call>
void expect_raised(Call call)
{
  try {
    call();
  } catch (const E&) {
    return;
  }
  throw Mismatch("nothing was raised");
}

void check_types(Report& report, Interop::Echo_ptr echo)
{
  report.check("_is_a", "every_base", [&] {
    for (const char* base : {"Echo", "Values", "Containers", "Common"})
      expect(echo->_is_a((std::string("IDL:armilla.org/Interop/") + base + ":1.0").c_str()), base);
    expect(echo->_is_a("IDL:omg.org/CORBA/Object:1.0"), "Object");
  });
  report.check("_is_a", "not_another", [&] {
    expect(!echo->_is_a("IDL:armilla.org/Interop/Counter:1.0"), "it is a Counter");
    expect(!echo->_is_a("no repository id"), "it is anything");
  });
  report.check("_non_existent", "living", [&] { expect(!echo->_non_existent(), "it does not exist"); });
  report.check("myself", "same_object", [&] {
    Interop::Echo_var myself = echo->myself();
    expect_same_object("myself", myself, echo);
    myself->ping();
  });
  report.check("as_object", "narrows", [&] {
    CORBA::Object_var object = echo->as_object();
    Interop::Echo_var narrowed = Interop::Echo::_narrow(object);
    expect(!CORBA::is_nil(narrowed), "not an Echo");
    narrowed->ping();
    Interop::Counter_var counter = Interop::Counter::_narrow(object);
    expect(CORBA::is_nil(counter), "a Counter");
  });
  report.check("as_common", "narrows", [&] {
    Interop::Common_var common = echo->as_common();
    common->ping();
    Interop::Containers_var narrowed = Interop::Containers::_narrow(common);
    expect(!CORBA::is_nil(narrowed), "not a Containers");
  });
}

void check_counters(Report& report, Interop::Echo_ptr echo)
{
  report.check("create_counter", "counts", [&] {
    Interop::Counter_var one = echo->create_counter(10), other = echo->create_counter(-1);
    expect_same("next", one->next(), CORBA::Long(11));
    expect_same("next", other->next(), CORBA::Long(0));
    expect_same("advance", echo->advance(one), CORBA::Long(12));
    expect_same("value", one->value(), CORBA::Long(12));
    expect_same("value", other->value(), CORBA::Long(0));
    one->destroy();
    other->destroy();
  });
  report.check("create_counter", "many", [&] {
    std::vector<Interop::Counter_var> counters;
    for (CORBA::Long start = 0; start < 100; ++start) counters.push_back(echo->create_counter(start));
    for (CORBA::Long start = 99; start >= 0; --start) {
      expect_same("value", counters[start]->value(), start);
      counters[start]->destroy();
    }
  });
  report.check("no_counter", "nil", [&] {
    Interop::Counter_var counter = echo->no_counter();
    expect(CORBA::is_nil(counter), "not nil");
  });
  report.check("advance", "nil", [&] {
    expect_raised<CORBA::INV_OBJREF>([&] { echo->advance(Interop::Counter::_nil()); });
  });
  report.check("destroy", "object_not_exist", [&] {
    Interop::Counter_var counter = echo->create_counter(0);
    counter->destroy();
    expect_raised<CORBA::OBJECT_NOT_EXIST>([&] { counter->next(); });
    expect(counter->_non_existent(), "it still exists");
    Interop::Counter_var another = echo->create_counter(1);
    expect_raised<CORBA::OBJECT_NOT_EXIST>([&] { counter->next(); });
    another->destroy();
  });
  report.check("unknown_operation", "bad_operation", [&] {
    Interop::Counter_var counter = echo->create_counter(0);
    Interop::Echo_var disguised = Interop::Echo::_unchecked_narrow(counter);
    expect_raised<CORBA::BAD_OPERATION>([&] { disguised->pause(0); });
    expect_same("next", counter->next(), CORBA::Long(1));
    counter->destroy();
  });
}

// ---- Callbacks ---------------------------------------------------------------------------------

void check_callbacks(Report& report, Interop::Echo_ptr echo, Interop::Callback_ptr cb,
                     CallbackServant& servant)
{
  report.check("call_back", "texts", [&] {
    const std::string large(100000, 'c');
    for (const std::string& text : {std::string("hello"), std::string(), large}) {
      echo->call_back(cb, text.c_str());
      expect_texts(servant, {text});
    }
  });
  report.check("call_back", "nil", [&] {
    expect_raised<CORBA::INV_OBJREF>([&] { echo->call_back(Interop::Callback::_nil(), ""); });
  });
  report.check("call_all", "nil_among_others", [&] {
    const auto nil = Interop::Callback::_nil();
    expect_same("result", echo->call_all(callbacks({nil, cb, cb, nil, cb}), "all"), CORBA::ULong(3));
    expect_texts(servant, {"all", "all", "all"});
    expect_same("result", echo->call_all(callbacks({}), "none"), CORBA::ULong(0));
  });
  for (CORBA::Long depth : {0, 1, 2, 5})
    report.check("descend", "depth_" + std::to_string(depth),
                 [&] { expect_same("result", echo->descend(cb, depth), depth); });
}

} // namespace

void check_references(Report& report, Interop::Echo_ptr echo, PortableServer::POA_ptr poa)
{
  PortableServer::Servant_var<CallbackServant> servant = new CallbackServant;
  PortableServer::ObjectId_var id = poa->activate_object(servant);
  Interop::Callback_var cb = servant->_this();
  check_reference_echoes(report, echo, cb, *servant);
  check_types(report, echo);
  check_counters(report, echo);
  check_callbacks(report, echo, cb, *servant);
  poa->deactivate_object(id);
}
