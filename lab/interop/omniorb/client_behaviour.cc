// Checks of attributes, constants, oneway operations, mixed parameters, reserved names, exceptions,
// and parallel calls.

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "fill.hh"

namespace {

using Clock = std::chrono::steady_clock;

Interop::BinStruct some_bin(uint64_t seed) { return Filler(Filler::random, seed).make<Interop::BinStruct>(); }

template <class S>
S some_seq(CORBA::ULong count)
{
  S result;
  Filler(Filler::random, count).elements(result, count);
  return result;
}

void expect_text(const std::string& what, const char* got, const std::string& wanted)
{
  expect_same(what, std::string(got), wanted);
}

// ---- Constants and attributes ------------------------------------------------------------------

void check_constants(Report& report, Interop::Echo_ptr echo)
{
  Interop::Constants_var all;
  report.check("all_constants", "call", [&] { all = echo->all_constants(); });
  if (!all.operator->()) return;
#define CHECK(member, constant) \
  report.check("all_constants", #constant, [&] { expect(all->member == Interop::constant, "another value"); });
  CHECK(name_limit, NAME_LIMIT)
  CHECK(negative_short, NEGATIVE_SHORT)
  CHECK(top_short, TOP_SHORT)
  CHECK(shifted, SHIFTED)
  CHECK(masked, MASKED)
  CHECK(high_bits, HIGH_BITS)
  CHECK(far_below, FAR_BELOW)
  CHECK(far_above, FAR_ABOVE)
  CHECK(all_ones, ALL_ONES)
  CHECK(agreed, AGREED)
  CHECK(quote, QUOTE)
  CHECK(hex_char, HEX_CHAR)
  CHECK(half, HALF)
  CHECK(scaled, SCALED)
  CHECK(favourite, FAVOURITE)
#undef CHECK
  report.check("all_constants", "GREETING", [&] { expect_text("GREETING", all->greeting, Interop::GREETING); });
}

void check_attributes(Report& report, Interop::Echo_ptr echo)
{
  report.check("description", "present", [&] {
    CORBA::String_var text = echo->description();
    expect(*text.in() != '\0', "empty");
  });
  report.check("level", "set_and_get", [&] {
    for (CORBA::Long value : {CORBA::Long(-2147483647 - 1), CORBA::Long(2147483647), CORBA::Long(0)}) {
      echo->level(value);
      expect_same("level", echo->level(), value);
    }
  });
  report.check("label", "set_and_get", [&] {
    for (const std::string& value : {Alphabet::everything(), std::string(100000, 'l'), std::string()}) {
      echo->label(value.c_str());
      CORBA::String_var got = echo->label();
      expect_text("label", got, value);
    }
  });
  report.check("record", "set_and_get", [&] {
    const Interop::BinStruct value = some_bin(5);
    echo->record(value);
    expect_same("record", echo->record(), value);
  });
  report.check("foreground", "two_attributes", [&] {
    echo->foreground(Interop::ULTRAVIOLET);
    echo->background(Interop::GREEN);
    expect_same("foreground", echo->foreground(), Interop::ULTRAVIOLET);
    expect_same("background", echo->background(), Interop::GREEN);
  });
  report.check("history", "set_and_get", [&] {
    for (CORBA::ULong count : {0u, 1u, 10000u}) {
      const auto value = some_seq<Interop::LongSeq>(count);
      echo->history(value);
      Interop::LongSeq_var got = echo->history();
      expect_same("history", got.in(), value);
    }
  });
}

// ---- Oneway operations -------------------------------------------------------------------------

// A oneway call has no reply, so the check waits for its effect.
void wait_until(const std::string& what, const std::function<bool()>& holds)
{
  const auto deadline = Clock::now() + std::chrono::seconds(10);
  while (!holds()) {
    expect(Clock::now() < deadline, what + " did not arrive within 10 s");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void check_oneway(Report& report, Interop::Echo_ptr echo)
{
  report.check("ping", "returns", [&] { echo->ping(); });
  report.check("notify", "hundred_in_a_row", [&] {
    const CORBA::LongLong sum = echo->notified();
    const CORBA::ULong count = echo->notifications();
    for (CORBA::Long n = 1; n <= 100; ++n) echo->notify(n);
    wait_until("the last of 100 notifications", [&] { return echo->notifications() - count >= 100; });
    expect_same("notified", echo->notified() - sum, CORBA::LongLong(5050));
  });
  report.check("notify", "extremes", [&] {
    const CORBA::LongLong sum = echo->notified();
    for (CORBA::Long n : {CORBA::Long(2147483647), CORBA::Long(2147483647), CORBA::Long(-2147483647 - 1)})
      echo->notify(n);
    wait_until("the sum", [&] { return echo->notified() - sum == 2147483646; });
  });
  report.check("notify_mixed", "padded_arguments", [&] {
    const CORBA::LongLong sum = echo->notified();
    echo->notify_mixed(255, 1000.5, "four");
    wait_until("the sum", [&] { return echo->notified() - sum == 1004; });
  });
  report.check("notify_mixed", "100_kb", [&] {
    const CORBA::LongLong sum = echo->notified();
    echo->notify_mixed(0, -1.0, std::string(100000, 'n').c_str());
    wait_until("the sum", [&] { return echo->notified() - sum == 99999; });
  });
}

// ---- Mixes of parameters -----------------------------------------------------------------------

void check_wide(Interop::Echo_ptr echo, Filler filler, CORBA::ULong count)
{
  const auto o = filler.make<CORBA::Octet>();
  const auto d = filler.make<CORBA::Double>();
  const auto c = filler.make<CORBA::Char>();
  const auto ll = filler.make<CORBA::LongLong>();
  const auto b = filler.make<CORBA::Boolean>();
  const auto text = filler.text();
  const auto s = filler.make<CORBA::Short>();
  const auto colour = filler.make<Interop::Colour>();
  const auto f = filler.make<CORBA::Float>();
  const auto bin = filler.make<Interop::BinStruct>();
  const auto numbers = some_seq<Interop::LongSeq>(count);

  CORBA::Long tally = 5;
  CORBA::String_var note = CORBA::string_dup("note ");
  Interop::LongSeq_var out_numbers;
  Interop::BinStruct out_bin;
  CORBA::Float out_f;
  Interop::Colour out_colour;
  CORBA::Short out_s;
  CORBA::Boolean out_b;
  CORBA::LongLong out_ll;
  CORBA::Char out_c;
  CORBA::Double out_d;
  CORBA::Octet out_o;
  CORBA::String_var result = echo->wide(o, d, c, ll, b, text.c_str(), s, colour, f, bin, numbers, tally,
                                        note.inout(), out_numbers.out(), out_bin, out_f, out_colour, out_s,
                                        out_b, out_ll, out_c, out_d, out_o);
  expect_text("result", result, text);
  expect_same("tally", tally, CORBA::Long(5 + count));
  expect_text("note", note, "note " + text);
  expect_same("out_numbers", out_numbers.in(), numbers);
  expect_same("out_bin", out_bin, bin);
  expect_same("out_f", out_f, f);
  expect_same("out_colour", out_colour, colour);
  expect_same("out_s", out_s, s);
  expect_same("out_b", out_b, b);
  expect_same("out_ll", out_ll, ll);
  expect_same("out_c", out_c, c);
  expect_same("out_d", out_d, d);
  expect_same("out_o", out_o, o);
}

void check_parameter_mixes(Report& report, Interop::Echo_ptr echo)
{
  report.check("wide", "zero", [&] { check_wide(echo, Filler(Filler::zero), 0); });
  report.check("wide", "lowest", [&] { check_wide(echo, Filler(Filler::lowest), 1); });
  report.check("wide", "highest", [&] { check_wide(echo, Filler(Filler::highest), 2); });
  report.check("wide", "random", [&] {
    for (int seed = 1; seed <= 20; ++seed) check_wide(echo, Filler(Filler::random, seed), 3);
  });
  report.check("outputs_only", "documented_values", [&] {
    CORBA::Octet o;
    CORBA::LongLong ll;
    CORBA::Char c;
    CORBA::Double d;
    CORBA::String_var text;
    Interop::LongSeq_var numbers;
    const CORBA::Boolean result = echo->outputs_only(o, ll, c, d, text.out(), numbers.out());
    expect(result && o == 1 && ll == 2 && c == '3' && d == 4.5, "another value");
    expect_text("text", text, "five");
    expect(numbers->length() == 2 && numbers[0u] == 6 && numbers[1u] == 7, "other numbers");
  });
  report.check("echo_at_offset", "every_alignment", [&] {
    for (CORBA::ULong offset = 0; offset < 8; ++offset)
      for (CORBA::ULong count : {0u, 1u, 5u}) {
        const auto filler = some_seq<Interop::OctetSeq>(offset);
        const auto items = some_seq<Interop::BinSeq>(count);
        Interop::OctetSeq_var copy;
        Interop::BinSeq_var result = echo->echo_at_offset(filler, items, copy.out());
        expect_same("filler_copy", copy.in(), filler);
        expect_same("result", result.in(), items);
      }
  });
  report.check("arithmetic", "signs", [&] {
    expect_same("result", echo->arithmetic(1, 2, 3, 4), CORBA::LongLong(11));
    expect_same("result", echo->arithmetic(-32768, -2147483647 - 1, 1LL << 62, 255),
                CORBA::LongLong((1LL << 62) - 2147483648LL - 327680 - 255));
  });
}

void check_reserved_names(Report& report, Interop::Echo_ptr echo)
{
  report.check("type", "argument", [&] { expect_same("result", echo->type(-1), CORBA::Long(-1)); });
  report.check("move", "argument", [&] { expect_same("result", echo->move(2), CORBA::Long(2)); });
  report.check("class", "argument", [&] { expect_same("result", echo->_cxx_class(3), CORBA::Long(3)); });
  report.check("interface", "argument", [&] { expect_same("result", echo->interface(4), CORBA::Long(4)); });
  report.check("loop", "argument", [&] {
    CORBA::String_var result = echo->loop("fn");
    expect_text("result", result, "fn");
  });
  report.check("await", "set_and_get", [&] {
    echo->await(7);
    expect_same("await", echo->await(), CORBA::Long(7));
  });
}

// ---- Exceptions --------------------------------------------------------------------------------

// Runs `call`, which must raise E, and passes the exception to `inspect`.
template <class E, class Call, class Inspect>
void expect_raised(Call call, Inspect inspect)
{
  try {
    call();
  } catch (const E& error) {
    inspect(error);
    return;
  }
  throw Mismatch("nothing was raised");
}

void check_failed(Interop::Echo_ptr echo, const std::string& reason)
{
  const CORBA::Long code = -2147483647 - 1;
  expect_raised<Interop::Failed>([&] { echo->raise_failed(reason.c_str(), code); },
                                 [&](const Interop::Failed& error) {
                                   expect_text("reason", error.reason, reason);
                                   expect_same("code", error.code, code);
                                 });
}

void check_detailed(Interop::Echo_ptr echo, uint64_t seed)
{
  Filler filler(Filler::random, seed);
  const auto bin = filler.make<Interop::BinStruct>();
  const auto numbers = some_seq<Interop::LongSeq>(CORBA::ULong(seed));
  const auto choice = filler.make<Interop::ByLong>();
  const auto reason = filler.text();
  expect_raised<Interop::Echo::Detailed>(
    [&] { echo->raise_detailed(200, bin, numbers, choice, Interop::Echo::REJECTED, reason.c_str()); },
    [&](const Interop::Echo::Detailed& error) {
      expect_same("lead", error.lead, CORBA::Octet(200));
      expect_same("record", error.record, bin);
      expect_same("numbers", error.numbers, numbers);
      expect_same("choice", error.choice, choice);
      expect(error.outcome == Interop::Echo::REJECTED, "outcome differs");
      expect_text("reason", error.reason, reason);
    });
}

void check_choose(Report& report, Interop::Echo_ptr echo)
{
  CORBA::Double half = 0;
  CORBA::String_var note = CORBA::string_dup("note");
  report.check("choose", "returns", [&] {
    expect_same("result", echo->choose(0, note.inout(), half), CORBA::Long(42));
    expect_text("note", note, "note!");
    expect_same("half", half, 0.5);
  });
  auto call = [&](CORBA::Short which) {
    return [&, which] {
      note = CORBA::string_dup("why");
      echo->choose(which, note.inout(), half);
    };
  };
  report.check("choose", "first_exception", [&] { expect_raised<Interop::Refused>(call(1), [](auto&) {}); });
  report.check("choose", "second_exception", [&] {
    expect_raised<Interop::Failed>(call(2), [](const Interop::Failed& error) {
      expect_text("reason", error.reason, "why");
      expect_same("code", error.code, CORBA::Long(2));
    });
  });
  report.check("choose", "third_exception", [&] {
    expect_raised<Interop::Echo::Detailed>(call(3), [](const Interop::Echo::Detailed& error) {
      expect(error.lead == 3 && error.numbers.length() == 0 && error.choice._d() == 0 &&
             error.choice.tiny() == 0 && error.outcome == Interop::Echo::REJECTED, "other members");
      expect_same("record", error.record, Interop::BinStruct{});
      expect_text("reason", error.reason, "why");
    });
  });
  report.check("choose", "system_exception", [&] { expect_raised<CORBA::BAD_PARAM>(call(4), [](auto&) {}); });
}

void check_user_exceptions(Report& report, Interop::Echo_ptr echo)
{
  report.check("raise_refused", "no_members", [&] {
    expect_raised<Interop::Refused>([&] { echo->raise_refused(); }, [](auto&) {});
  });
  report.check("raise_failed", "members", [&] {
    check_failed(echo, "");
    check_failed(echo, Alphabet::everything());
  });
  report.check("raise_failed", "100_kb", [&] { check_failed(echo, std::string(100000, 'r')); });
  report.check("raise_detailed", "members", [&] {
    for (uint64_t seed = 0; seed < 10; ++seed) check_detailed(echo, seed);
  });
  check_choose(report, echo);
}

// The server raises the exception with every completion status and a custom minor code. Instead of
// NO it may say MAYBE, because the servant was entered.
void check_system_exception(Interop::Echo_ptr echo, const std::string& name, const std::string& wanted)
{
  const Interop::Echo::Completion statuses[] = {Interop::Echo::DONE, Interop::Echo::NOT_DONE,
                                                Interop::Echo::PERHAPS_DONE};
  CORBA::ULong minor = 0;
  for (auto status : statuses) {
    expect_raised<CORBA::SystemException>(
      [&] { echo->raise_system(name.c_str(), minor, status); },
      [&](const CORBA::SystemException& error) {
        expect(error._name() == wanted, Report::describe(error) + " instead of " + wanted);
        expect_same("minor code", error.minor(), minor);
        const bool careful = status == Interop::Echo::NOT_DONE && error.completed() == CORBA::COMPLETED_MAYBE;
        expect(careful || CORBA::ULong(error.completed()) == CORBA::ULong(status),
               Report::describe(error) + " instead of completion status " + std::to_string(status));
      });
    minor += 0x7fffffff;
  }
}

void check_system_exceptions(Report& report, Interop::Echo_ptr echo)
{
#define CHECK(exception) \
  report.check("raise_system", #exception, [&] { check_system_exception(echo, #exception, #exception); });
  OMNIORB_FOR_EACH_SYS_EXCEPTION(CHECK)
#undef CHECK
  report.check("raise_system", "unknown_name",
               [&] { check_system_exception(echo, "NO_SUCH_EXCEPTION", "BAD_PARAM"); });
  report.check("raise_system", "link_survives", [&] { echo->ping(); });
}

// ---- Time and parallelism ----------------------------------------------------------------------

void call_repeatedly(Interop::Echo_ptr echo, CORBA::Long caller, std::atomic<unsigned>& wrong)
{
  try {
    for (CORBA::Long i = 0; i < 50; ++i) {
      const CORBA::Long given = caller * 1000 + i;
      CORBA::Long copy = 0, kept = -given;
      const CORBA::Long result = echo->echo_long(given, copy, kept);
      if (result != -given || copy != given || kept != given) ++wrong;
    }
  } catch (const CORBA::Exception&) {
    ++wrong;
  }
}

void check_time(Report& report, Interop::Echo_ptr echo)
{
  report.check("pause", "50_ms", [&] {
    const auto start = Clock::now();
    echo->pause(50);
    expect(Clock::now() - start >= std::chrono::milliseconds(50), "returned too early");
  });
  report.check("parallel", "8_threads", [&] {
    std::atomic<unsigned> wrong{0};
    std::vector<std::thread> callers;
    for (CORBA::Long caller = 1; caller <= 8; ++caller)
      callers.emplace_back([&, caller] { call_repeatedly(echo, caller, wrong); });
    for (auto& caller : callers) caller.join();
    expect(wrong == 0, std::to_string(wrong) + " calls went wrong");
  });
}

} // namespace

void check_behaviour(Report& report, Interop::Echo_ptr echo)
{
  check_constants(report, echo);
  check_attributes(report, echo);
  check_oneway(report, echo);
  check_parameter_mixes(report, echo);
  check_reserved_names(report, echo);
  check_user_exceptions(report, echo);
  check_system_exceptions(report, echo);
  check_time(report, echo);
}
