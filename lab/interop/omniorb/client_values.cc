// Checks of the echo operations of Values and Containers: every type, with extreme values.

#include "fill.hh"
#include "operations.hh"

namespace {

// ---- The echo rule -----------------------------------------------------------------------------

// The name of a check and the values that it sends.
template <class V>
struct Case {
  std::string name;
  std::vector<V> values;
};

template <class V>
using Cases = std::vector<Case<V>>;

// Sends each value, with another one in `kept`: the next value of the case, or that of the next
// case if it has only one. `call` is result = call(given, copy, kept).
template <class V, class Call>
void exchange(Report& report, const std::string& operation, const Cases<V>& cases, Call call)
{
  for (size_t i = 0; i < cases.size(); ++i) {
    report.check(operation, cases[i].name, [&] {
      for (size_t j = 0; j < cases[i].values.size(); ++j) {
        const auto& values = cases[i].values;
        const V& given = values[j];
        const V& before = values.size() > 1 ? values[(j + 1) % values.size()]
                                            : cases[(i + 1) % cases.size()].values[0];
        V copy{}, kept = before;
        const V result = call(given, copy, kept);
        expect_same("result", result, before);
        expect_same("copy", copy, given);
        expect_same("kept", kept, given);
      }
    });
  }
}

// The calls of an operation, one for each way in which the C++ mapping passes values.

#define CALL_FIXED(op) \
  [&](const auto& given, auto& copy, auto& kept) { return echo->echo_##op(given, copy, kept); }

#define CALL_VARIABLE(op, T) \
  [&](const T& given, T& copy, T& kept) { \
    T##_var copied; \
    T##_var result = echo->echo_##op(given, copied.out(), kept); \
    copy = copied.in(); \
    return T(result.in()); \
  }

#define CALL_ARRAY(op, T) \
  [&](const auto& given, auto& copy, auto& kept) { \
    T##_var result = echo->echo_##op(given.v, copy.v, kept.v); \
    auto returned = given; \
    T##_copy(returned.v, result.in()); \
    return returned; \
  }

#define CALL_STRING(op) \
  [&](const std::string& given, std::string& copy, std::string& kept) { \
    CORBA::String_var copied, inout = kept.c_str(); \
    CORBA::String_var result = echo->echo_##op(given.c_str(), copied.out(), inout.inout()); \
    copy = copied; \
    kept = inout; \
    return std::string(result); \
  }

// ---- Values of basic types ---------------------------------------------------------------------

template <class T>
std::enable_if_t<std::is_integral_v<T>, Cases<T>> cases_of()
{
  using Limits = std::numeric_limits<T>;
  return {{"zero", {0}}, {"one", {1}}, {"min", {Limits::min()}}, {"max", {Limits::max()}},
          {"all_ones", {T(-1)}}, {"bytes", {T(0x0123456789abcdefLL), T(0xfedcba9876543210LL)}}};
}

template <class T>
std::enable_if_t<std::is_floating_point_v<T>, Cases<T>> cases_of()
{
  using Limits = std::numeric_limits<T>;
  const T nan = Limits::quiet_NaN();
  return {{"zero", {0}}, {"minus_zero", {T(-0.0)}}, {"one", {1}}, {"third", {T(-1) / 3}},
          {"max", {Limits::max()}}, {"lowest", {Limits::lowest()}}, {"min_normal", {Limits::min()}},
          {"denormal", {Limits::denorm_min(), -Limits::denorm_min()}},
          {"infinity", {Limits::infinity()}}, {"minus_infinity", {-Limits::infinity()}},
          {"nan", {nan, std::copysign(nan, T(-1))}},
          {"nan_payload", {T(std::is_same_v<T, float> ? std::nanf("0x1234") : std::nan("0x123456789abc"))}}};
}

template <>
Cases<CORBA::Boolean> cases_of<CORBA::Boolean>() { return {{"false", {false}}, {"true", {true}}}; }

// Also for CORBA::Octet, which is the same C++ type.
template <>
Cases<CORBA::Char> cases_of<CORBA::Char>()
{
  Case<CORBA::Char> every{"every", {}};
  for (int c = 0; c <= Alphabet::highest_char(); ++c) every.values.push_back(CORBA::Char(c));
  return {{"zero", {0}}, {"letter", {'A'}}, every};
}

template <class T>
std::enable_if_t<std::is_same_v<T, Interop::Colour>, Cases<T>> cases_of()
{
  return {{"first", {Interop::RED}}, {"middle", {Interop::GREEN, Interop::BLUE}},
          {"last", {Interop::ULTRAVIOLET}}};
}

Cases<std::string> string_cases()
{
  Case<std::string> padding{"every_padding", {}};
  for (int length = 0; length < 10; ++length) padding.values.push_back(std::string(length, 'p'));
  return {{"empty", {""}}, {"one_char", {"x"}}, {"lines", {"tab\tand\r\nnewline\n"}},
          {"every_char", {Alphabet::everything()}}, padding, {"8_kb", {std::string(8192, 'k'), "k"}},
          {"100_kb", {std::string(100000, 'y'), std::string(100001, 'z')}}};
}

Cases<std::string> nickname_cases()
{
  const std::string widest(Interop::NAME_LIMIT, char(Alphabet::highest_char()));
  return {{"empty", {""}}, {"short", {"Ada"}}, {"full", {"0123456789abcdef", widest}}};
}

// ---- Values of constructed types ---------------------------------------------------------------

template <class T>
Cases<T> struct_cases()
{
  Case<T> some{"random", {}};
  for (int seed = 1; seed <= 8; ++seed) some.values.push_back(Filler(Filler::random, seed).make<T>());
  return {{"zero", {Filler(Filler::zero).make<T>()}}, {"lowest", {Filler(Filler::lowest).make<T>()}},
          {"highest", {Filler(Filler::highest).make<T>()}}, some};
}

template <class T>
T sequence_of(Filler::Mode mode, CORBA::ULong count)
{
  T value;
  Filler(mode, count + 1).elements(value, count);
  return value;
}

// Two copies of a value and some overhead must fit into omniORB's default message limit of 2 MB.
const size_t largest_value = 800000;

template <class T>
Cases<T> sequence_cases()
{
  const T hundred = sequence_of<T>(Filler::random, 100);
  const size_t fitting = largest_value * 100 / encoded(hundred).size();
  const CORBA::ULong large = CORBA::ULong(std::min<size_t>(10000, fitting));
  Case<T> few{"few", {}};
  for (CORBA::ULong count = 2; count < 10; ++count) few.values.push_back(sequence_of<T>(Filler::random, count));
  return {{"empty", {T()}}, {"one", {sequence_of<T>(Filler::random, 1)}}, few,
          {"zeroes", {sequence_of<T>(Filler::zero, 5)}}, {"lowest", {sequence_of<T>(Filler::lowest, 5)}},
          {"highest", {sequence_of<T>(Filler::highest, 5)}}, {"hundred", {hundred}},
          {large == 10000 ? "10000" : "large", {sequence_of<T>(Filler::random, large)}}};
}

template <class T>
Cases<T> bounded_cases(CORBA::ULong bound)
{
  return {{"empty", {T()}}, {"one", {sequence_of<T>(Filler::random, 1)}},
          {"full", {sequence_of<T>(Filler::random, bound), sequence_of<T>(Filler::highest, bound)}}};
}

template <class E, size_t N>
ArrayOf<E, N> as_value(const E (&)[N]);

// ---- Values of the unions ----------------------------------------------------------------------

// Returns a union on which `set` was called.
template <class U, class Set>
U with(Set set)
{
  U value;
  set(value);
  return value;
}

Cases<Interop::ByLong> by_long_cases()
{
  using U = Interop::ByLong;
  auto numbers = [](CORBA::Long label, CORBA::ULong count) {
    return with<U>([=](U& u) {
      u.numbers(U::_numbers_seq());
      Filler(Filler::random).elements(u.numbers(), count);
      u._d(label);
    });
  };
  return {{"single_label", {with<U>([](U& u) { u.tiny(255); })}},
          {"first_of_two_labels", {with<U>([](U& u) { u.unit(-0.0); })}},
          {"second_of_two_labels", {with<U>([](U& u) { u.unit(1e300); u._d(-1); })}},
          {"constant_label", {with<U>([](U& u) { u.text("text"); })}},
          {"extreme_label", {with<U>([](U& u) { u.record(Filler(Filler::highest).make<Interop::BinStruct>()); })}},
          {"default", {numbers(7, 3), numbers(-2147483647 - 1, 0), numbers(2147483647, 1000)}}};
}

Cases<Interop::ByColour> by_colour_cases()
{
  using U = Interop::ByColour;
  return {{"first_of_two_labels", {with<U>([](U& u) { u.warm(-32768); u._d(Interop::RED); })}},
          {"second_of_two_labels", {with<U>([](U& u) { u.warm(32767); u._d(Interop::GREEN); })}},
          {"single_label", {with<U>([](U& u) { u.cold({1, 2.5, 3}); })}},
          {"no_member", {with<U>([](U& u) { u._default(); })}}};
}

Cases<Interop::ByBoolean> by_boolean_cases()
{
  using U = Interop::ByBoolean;
  return {{"true", {with<U>([](U& u) { u.text("yes"); }), with<U>([](U& u) { u.text(""); })}},
          {"false", {with<U>([](U& u) { u.number(-1); })}}};
}

Cases<Interop::ByChar> by_char_cases()
{
  using U = Interop::ByChar;
  auto other = [](CORBA::Char label) { return with<U>([=](U& u) { u.other("other"); u._d(label); }); };
  return {{"two_labels", {with<U>([](U& u) { u.small(1); u._d('a'); }), with<U>([](U& u) { u.small(2); u._d('b'); })}},
          {"escaped_label", {with<U>([](U& u) { u.big(1e-300); })}},
          {"label_beside_default", {other('z')}},
          {"default", {other(0), other('c'), other(CORBA::Char(Alphabet::highest_char()))}}};
}

Cases<Interop::ByLongLong> by_longlong_cases()
{
  using U = Interop::ByLongLong;
  auto no_member = [](CORBA::LongLong label) { return with<U>([=](U& u) { u._default(); u._d(label); }); };
  return {{"above_32_bits", {with<U>([](U& u) { u.letter('L'); })}},
          {"negative", {with<U>([](U& u) { u.number(~0ull); })}},
          {"no_member", {no_member(0), no_member(std::numeric_limits<CORBA::LongLong>::min()),
                         no_member(std::numeric_limits<CORBA::LongLong>::max())}}};
}

Cases<Interop::ByKind> by_kind_cases()
{
  using U = Interop::ByKind;
  Case<U> inner{"union_within", {}};
  for (const auto& each : by_colour_cases())
    for (const auto& value : each.values) inner.values.push_back(with<U>([&](U& u) { u.colour(value); }));
  return {{"one", {with<U>([](U& u) { u.number(-5); })}}, inner,
          {"default", {with<U>([](U& u) { u.rest(9); u._d(0); }), with<U>([](U& u) { u.rest(8); u._d(65534); })}}};
}

Interop::Expression sum(std::initializer_list<Interop::Expression> terms)
{
  Interop::ExpressionSeq list;
  list.length(terms.size());
  CORBA::ULong i = 0;
  for (const auto& term : terms) list[i++] = term;
  return with<Interop::Expression>([&](auto& e) { e.terms(list); });
}

Cases<Interop::Expression> expression_cases()
{
  using U = Interop::Expression;
  const U two = with<U>([](U& u) { u.value(2); });
  U deep = two;
  for (int level = 0; level < 40; ++level) {
    U outer = with<U>([](U& u) { u.operand(U::_operand_seq()); });
    outer.operand().length(1);
    outer.operand()[0] = deep;
    deep = outer;
  }
  return {{"literal", {two}}, {"empty_sum", {sum({})}}, {"nested_sum", {sum({two, sum({two, two}), deep})}},
          {"deep", {deep}}};
}

Cases<Interop::Folder> folder_cases()
{
  Cases<Interop::Folder> cases = struct_cases<Interop::Folder>();
  Interop::Folder chain = Filler(Filler::zero).make<Interop::Folder>();
  for (int level = 1; level <= 40; ++level) {
    Interop::Folder outer;
    outer.name = std::to_string(level).c_str();
    outer.depth = CORBA::Octet(level);
    outer.children.length(1);
    outer.children[0] = chain;
    chain = outer;
  }
  cases.push_back({"deep", {chain}});
  return cases;
}

// ---- The groups --------------------------------------------------------------------------------

void check_basic_types(Report& report, Interop::Echo_ptr echo)
{
#define CHECK(op, T) exchange(report, "echo_" #op, cases_of<T>(), CALL_FIXED(op));
  ECHO_SCALARS(CHECK)
#undef CHECK
  exchange(report, "echo_string", string_cases(), CALL_STRING(string));
  exchange(report, "echo_nickname", nickname_cases(), CALL_STRING(nickname));
}

void check_structs_and_unions(Report& report, Interop::Echo_ptr echo)
{
#define CHECK(op, T) exchange(report, "echo_" #op, struct_cases<T>(), CALL_FIXED(op));
  ECHO_FIXED_STRUCTS(CHECK)
#undef CHECK
#define CHECK(op, T) exchange(report, "echo_" #op, op##_cases(), CALL_FIXED(op));
  ECHO_FIXED_UNIONS(CHECK)
#undef CHECK
#define CHECK(op, T) exchange(report, "echo_" #op, op##_cases(), CALL_VARIABLE(op, T));
  ECHO_VARIABLE_UNIONS(CHECK)
#undef CHECK
  exchange(report, "echo_person", struct_cases<Interop::Person>(), CALL_VARIABLE(person, Interop::Person));
  exchange(report, "echo_keywords", struct_cases<Interop::Keywords>(),
           CALL_VARIABLE(keywords, Interop::Keywords));
  exchange(report, "echo_folder", folder_cases(), CALL_VARIABLE(folder, Interop::Folder));
}

void check_containers(Report& report, Interop::Echo_ptr echo)
{
#define CHECK(op, T) \
  exchange(report, "echo_" #op, struct_cases<decltype(as_value(std::declval<T&>()))>(), CALL_ARRAY(op, T));
  ECHO_FIXED_ARRAYS(CHECK)
#undef CHECK
#define CHECK(op, T) \
  exchange(report, "echo_" #op, sequence_cases<T>(), CALL_VARIABLE(op, T));
  ECHO_SEQUENCES(CHECK)
#undef CHECK
  exchange(report, "echo_short_list", bounded_cases<Interop::ShortList>(8),
           CALL_VARIABLE(short_list, Interop::ShortList));
  exchange(report, "echo_codes", bounded_cases<Interop::Codes>(4), CALL_VARIABLE(codes, Interop::Codes));

  using TextArray = ArrayOf<CORBA::String_member, 3>;
  exchange(report, "echo_text_array", struct_cases<TextArray>(),
           [&](const TextArray& given, TextArray& copy, TextArray& kept) {
    Interop::TextArray_var copied;
    Interop::TextArray_var result = echo->echo_text_array(given.v, copied.out(), kept.v);
    TextArray returned;
    Interop::TextArray_copy(copy.v, copied.in());
    Interop::TextArray_copy(returned.v, result.in());
    return returned;
  });
}

} // namespace

void check_values(Report& report, Interop::Echo_ptr echo)
{
  check_basic_types(report, echo);
  check_structs_and_unions(report, echo);
  check_containers(report, echo);
}
