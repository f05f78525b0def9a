// Checks of interop_values.idl: wide strings, fixed-point numbers, anys, TypeCodes, valuetypes.

#include "exotics_servant.hh"
#include "fill.hh"

namespace {

template <class T>
void expect_equal(const std::string& what, const T& got, const T& wanted)
{
  expect(got == wanted, what + " differs");
}

// Sends each value, with the next one in `kept`. `call` is result = call(given, copy, kept).
template <class V, class Call>
void exchange(const std::vector<V>& values, Call call)
{
  for (size_t i = 0; i < values.size(); ++i) {
    // Assignment instead of copy construction, which loses the number of digits of a fixed.
    V given{}, copy{}, kept{};
    given = values[i];
    const V before = kept = values[(i + 1) % values.size()];
    const V result = call(given, copy, kept);
    expect_equal("result", result, before);
    expect_equal("copy", copy, given);
    expect_equal("kept", kept, given);
  }
}

// ---- Wide text and fixed-point numbers ---------------------------------------------------------

const std::vector<std::wstring> wide_texts = {L"", L"x", L"wide \u00e9\u20ac\uffee", std::wstring(50000, L'\u20ac')};

template <class Call>
void exchange_texts(const std::vector<std::wstring>& texts, Call call)
{
  exchange(texts, [&](const std::wstring& given, std::wstring& copy, std::wstring& kept) {
    CORBA::WString_var copied, inout = kept.c_str();
    CORBA::WString_var result = call(given.c_str(), copied.out(), inout.inout());
    copy = copied.in();
    kept = inout.in();
    return std::wstring(result.in());
  });
}

template <class S, class Call>
void exchange_sequence(const S& given, Call call)
{
  S kept;
  typename S::_var_type copy;
  typename S::_var_type result = call(given, copy.out(), kept);
  expect(result->length() == 0, "result differs");
  expect_same("copy", copy.in(), given);
  expect_same("kept", kept, given);
}

void check_wide(Report& report, Interop::Exotics_ptr exotics)
{
  report.check("echo_wchar", "beyond_latin_1", [&] {
    exchange(std::vector<CORBA::WChar>{'a', 0x7f, 0x80, 0xff, 0x100, 0x20ac, 0xffee},
             [&](auto given, auto& copy, auto& kept) { return exotics->echo_wchar(given, copy, kept); });
  });
  report.check("echo_wstring", "every_length", [&] {
    exchange_texts(wide_texts, [&](auto given, CORBA::WString_out copy, auto& kept) {
      return exotics->echo_wstring(given, copy, kept);
    });
  });
  report.check("echo_caption", "full", [&] {
    exchange_texts({L"", L"12345678", L"\u20ac"}, [&](auto given, CORBA::WString_out copy, auto& kept) {
      return exotics->echo_caption(given, copy, kept);
    });
  });
  report.check("echo_wchar_seq", "lengths", [&] {
    for (CORBA::ULong count : {0, 1, 1000}) {
      Interop::WCharSeq given, kept;
      given.length(count);
      for (CORBA::ULong i = 0; i < count; ++i) given[i] = 0x20ac;
      Interop::WCharSeq_var copy, result = exotics->echo_wchar_seq(given, copy.out(), kept);
      expect(copy->length() == count && kept.length() == count && result->length() == 0, "another length");
      for (CORBA::ULong i = 0; i < count; ++i) expect(copy[i] == 0x20ac && kept[i] == 0x20ac, "another letter");
    }
  });
  report.check("echo_label", "alignment", [&] {
    Interop::Label given, kept;             // assigned to, see the servant
    given.lead = 1;
    given.initial = 0x20ac;
    given.middle = 2;
    given.text = L"odd";
    given.cost = Interop::Price("-0.000001");
    given.tail = 3;
    kept = given;
    kept.text = L"";
    Interop::Label_var copy, result = exotics->echo_label(given, copy.out(), kept);
    for (const Interop::Label* got : {&copy.in(), const_cast<const Interop::Label*>(&kept)})
      expect(got->initial == 0x20ac && std::wstring(got->text) == L"odd" && got->cost == given.cost &&
             got->tail == 3, "another label");
    expect(std::wstring(result->text).empty(), "another result");
  });
}

template <class F, class Call>
void exchange_fixed(const std::vector<std::string>& texts, Call call)
{
  std::vector<F> values;
  for (const std::string& text : texts) values.push_back(F(text.c_str()));
  exchange(values, call);
}

void check_fixed(Report& report, Interop::Exotics_ptr exotics)
{
  report.check("echo_price", "all_digits", [&] {
    exchange_fixed<Interop::Price>({"123456789012.345678", "-123456789012.345678"},
      [&](auto& given, auto& copy, auto& kept) { return exotics->echo_price(given, copy, kept); });
  });
  report.check("echo_price", "extremes", [&] {
    exchange_fixed<Interop::Price>({"0", "1.5", "-0.000001", "999999999999.999999", "-999999999999.999999"},
      [&](auto& given, auto& copy, auto& kept) { return exotics->echo_price(given, copy, kept); });
  });
  report.check("echo_whole", "31_digits", [&] {
    exchange_fixed<Interop::Whole>({"0", "-7", "9999999999999999999999999999999"},
      [&](auto& given, auto& copy, auto& kept) { return exotics->echo_whole(given, copy, kept); });
  });
  report.check("echo_fraction", "below_one", [&] {
    exchange_fixed<Interop::Fraction>({"0", "0.00001", "-0.99999"},
      [&](auto& given, auto& copy, auto& kept) { return exotics->echo_fraction(given, copy, kept); });
  });
  report.check("raise_rejected", "members", [&] {
    try {
      exotics->raise_rejected(L"why \u20ac", made(15), Interop::Price("1.5"));
    } catch (const Interop::Rejected& error) {
      expect(std::wstring(error.reason) == L"why \u20ac", "another reason");
      expect(is_made(15, error.evidence), "other evidence");
      expect(error.cost == Interop::Price("1.5"), "another cost");
      return;
    }
    throw Mismatch("nothing was raised");
  });
}

// ---- Anys and TypeCodes ------------------------------------------------------------------------

void check_anys(Report& report, Interop::Exotics_ptr exotics)
{
  for (CORBA::Long which = 0; which < made_count; ++which) {
    const std::string name = std::to_string(which);
    if (which == 16) continue;              // not made by omniORB
    const CORBA::Long next = which == 1 ? 2 : 1;
    report.check("make_any", name, [&] {
      CORBA::Any_var any = exotics->make_any(which);
      expect(is_made(which, any.in()), "another value");
    });
    report.check("is_made", name, [&] {
      expect(exotics->is_made(which, made(which)), "the server has another");
      expect(!exotics->is_made(which, made(next)), "the server takes another for it");
    });
    report.check("echo_any", name, [&] {
      CORBA::Any kept = made(next);
      CORBA::Any_var copy;
      CORBA::Any_var result = exotics->echo_any(made(which), copy.out(), kept);
      expect(is_made(next, result.in()), "another result");
      expect(is_made(which, copy.in()), "another copy");
      expect(is_made(which, kept), "another kept");
    });
  }
}

void check_type(Report& report, Interop::Exotics_ptr exotics, const char* name, CORBA::TypeCode_ptr code)
{
  report.check("echo_type", name, [&] {
    CORBA::TypeCode_var copy, kept = CORBA::TypeCode::_duplicate(CORBA::_tc_octet);
    CORBA::TypeCode_var result = exotics->echo_type(code, copy.out(), kept.inout());
    expect(result->equal(CORBA::_tc_octet), "another result");
    expect(copy->equal(code), "another copy");
    expect(kept->equal(code), "another kept");
  });
}

void check_types(Report& report, Interop::Exotics_ptr exotics)
{
#define CHECK(name) check_type(report, exotics, #name, Interop::_tc_##name);
  CHECK(Basics) CHECK(Person) CHECK(ByLong) CHECK(ByColour) CHECK(ByBoolean) CHECK(ByChar) CHECK(ByLongLong)
  CHECK(ByKind) CHECK(Folder) CHECK(Matrix) CHECK(TextCube) CHECK(Failed) CHECK(Echo)
  CHECK(SerialAlias) CHECK(Codes) CHECK(Price) CHECK(Caption) CHECK(Node) CHECK(Branch) CHECK(Letters)
  CHECK(Numbers)
#undef CHECK
  check_type(report, exotics, "any", CORBA::_tc_any);
  check_type(report, exotics, "null", CORBA::_tc_null);
}

// ---- Valuetypes --------------------------------------------------------------------------------

bool is_branch(Interop::Node* node, CORBA::Long depth)
{
  Interop::Branch* branch = Interop::Branch::_downcast(node);
  if (!branch || branch->number() != depth || branch->mark() != 165) return false;
  const Interop::NodeSeq& children = branch->children();
  if (depth == 0) return children.length() == 0;
  return children.length() == 2 && children[0u] == children[1u] && is_branch(children[0u], depth - 1);
}

void check_sharing(Report& report, Interop::Mirror_ptr mirror)
{
  Interop::Node_var one = new OBV_Interop::Node(1, nullptr, 0.5);
  Interop::Node_var two = new OBV_Interop::Node(2, shared(one.in()), 0.25);
  report.check("are_one", "shared_and_null", [&] {
    expect(mirror->are_one(two, two), "one value has become two");
    expect(!mirror->are_one(two, one), "two values have become one");
    expect(mirror->are_one(nullptr, nullptr), "null has become something");
  });
  report.check("echo", "shared_among_parameters", [&] {
    Interop::Leaf_var leaf = new_leaf(9, one, "leaf");
    Interop::Node_var copy, second = mirror->echo(leaf, two, copy.out());
    Interop::Leaf* back = Interop::Leaf::_downcast(copy);
    expect(back && std::string(back->title()) == "leaf", "another leaf");
    expect(back->next() == back->extra() && back->next() == second->next(), "one value has become two");
    expect(second->number() == 2 && second->weight() == 0.25 && second->next()->number() == 1, "another node");
  });
  report.check("sum", "cycle", [&] {
    Interop::Node_var last = new OBV_Interop::Node(4, nullptr, 0);
    Interop::Node_var first = new OBV_Interop::Node(3, shared(last.in()), 0);
    last->next(first);
    const CORBA::Long sum = mirror->sum(first);
    last->next(nullptr);
    expect(sum == 7, "another sum");
  });
  report.check("echo_nodes", "null_and_shared", [&] {
    Interop::NodeSeq nodes;
    nodes.length(3);
    for (CORBA::ULong i : {0u, 2u}) nodes[i] = shared(two.in());
    Interop::NodeSeq_var got = mirror->echo_nodes(nodes);
    expect(got->length() == 3 && got[0u] == got[2u] && !got[1u] && got[0u]->number() == 2, "other nodes");
  });
  // omniORB decodes shared values wrongly once a message has 87 values.
  report.check("echo_nodes", "chain_of_80", [&] {
    Interop::NodeSeq nodes;
    nodes.length(80);
    for (CORBA::ULong i = 0; i < nodes.length(); ++i) {
      nodes[i] = new OBV_Interop::Node(i, i == 0 ? nullptr : shared(nodes[i - 1].in()), 0.5);
    }
    Interop::NodeSeq_var got = mirror->echo_nodes(nodes);
    bool same = got->length() == nodes.length();
    for (CORBA::ULong i = 0; same && i < nodes.length(); ++i) {
      Interop::Node* before = nullptr;
      if (i > 0) before = got[i - 1];
      same = got[i]->number() == static_cast<CORBA::Long>(i) && got[i]->next() == before;
    }
    expect(same, "another chain");
  });
}

void check_values_of_all_kinds(Report& report, Interop::Mirror_ptr mirror)
{
  report.check("make", "leaf", [&] {
    Interop::Leaf_var leaf = mirror->make(1);
    expect(std::string(leaf->title()) == "made" && leaf->next() == leaf->extra() && leaf->next()->number() == 5 &&
           !leaf->next()->next(), "another leaf");
  });
  report.check("make", "cycle", [&] {
    Interop::Leaf_var leaf = mirror->make(2);
    expect(leaf->next()->next() == leaf.in() && leaf->extra() == leaf->next(), "no cycle");
  });
  report.check("make_branch", "chunks_in_chunks", [&] {
    Interop::Branch_var branch = mirror->make_branch(6);
    expect(is_branch(branch, 6), "another branch");
  });
  report.check("echo", "chunks_in_chunks", [&] {
    Interop::Branch_var branch = new_branch(6);
    Interop::Node_var copy, second = mirror->echo(branch, nullptr, copy.out());
    expect(is_branch(copy, 6) && !second.in(), "another branch");
  });
  report.check("echo_letters", "boxed_once", [&] {
    Interop::Letters_var letters = new Interop::Letters("letters"), others = new Interop::Letters("others");
    CORBA::Boolean are_one = false;
    Interop::Letters_var echoed = mirror->echo_letters(letters, letters, are_one);
    expect(are_one && std::string(echoed->_value()) == "letters", "other letters");
    echoed = mirror->echo_letters(letters, others, are_one);
    expect(!are_one, "two have become one");
  });
  report.check("echo_numbers", "lengths", [&] {
    for (CORBA::ULong count : {0, 1, 1000, 10000}) {
      Interop::LongSeq sequence;
      Filler(Filler::random, count).elements(sequence, count);
      Interop::Numbers_var given = new Interop::Numbers(sequence), copy;
      Interop::Numbers_var result = mirror->echo_numbers(given, copy.out());
      expect_same("result", result->_value(), sequence);
      expect_same("copy", copy->_value(), sequence);
    }
  });
  report.check("echo_base", "of_its_own_type", [&] {
    Interop::Node_var node = new OBV_Interop::Node(1, nullptr, 0.5);
    CORBA::ValueBase_var got = mirror->echo_base(node);
    Interop::Node* back = Interop::Node::_downcast(got);
    expect(back && back->number() == 1 && back->weight() == 0.5, "another node");
  });
}

} // namespace

void check_exotics(Report& report, Interop::Echo_ptr echo)
{
  CORBA::Object_var object = echo->exotics();
  Interop::Exotics_var exotics = Interop::Exotics::_narrow(object);
  object = echo->mirror();
  Interop::Mirror_var mirror = Interop::Mirror::_narrow(object);
  report.check("exotics", "narrows", [&] {
    expect(!CORBA::is_nil(exotics) && !CORBA::is_nil(mirror), "an object of another type");
  });
  check_wide(report, exotics);
  check_fixed(report, exotics);
  check_anys(report, exotics);
  check_types(report, exotics);
  check_sharing(report, mirror);
  check_values_of_all_kinds(report, mirror);
}
