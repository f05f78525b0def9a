// The servants of interop_values.idl, and the values that they create. The IDL specifies each
// operation.

#ifndef INTEROP_EXOTICS_SERVANT_HH
#define INTEROP_EXOTICS_SERVANT_HH

#include "echo_servant.hh"
#include "interop_values.hh"

// The number of values of make_any.
const CORBA::Long made_count = 26;

// The value of make_any with this number. An unknown number raises BAD_PARAM.
CORBA::Any made(CORBA::Long which);

// Whether `given`, extracted as the expected type, is equal to the value of make_any.
bool is_made(CORBA::Long which, const CORBA::Any& given);

// Adds an owner to a value. Constructors and results take ownership of their arguments.
template <class V>
V* shared(V* value)
{
  CORBA::add_ref(value);
  return value;
}

// A leaf whose next node and extra node are `node`, and the value of make_branch.
Interop::Leaf* new_leaf(CORBA::Long number, Interop::Node* node, const char* title);
Interop::Branch* new_branch(CORBA::Long depth);

// Registers the value factories: of all types, or of nodes only.
void register_values(CORBA::ORB_ptr orb, bool nodes_alone);

class ExoticsServant : public POA_Interop::Exotics {
public:
  CORBA::WChar echo_wchar(CORBA::WChar given, CORBA::WChar& copy, CORBA::WChar& kept) override
  { return echo_fixed(given, copy, kept); }
  CORBA::WChar* echo_wstring(const CORBA::WChar* given, CORBA::WString_out copy, CORBA::WChar*& kept) override;
  CORBA::WChar* echo_caption(const CORBA::WChar* given, CORBA::WString_out copy, CORBA::WChar*& kept) override
  { return echo_wstring(given, copy, kept); }
  Interop::Price echo_price(const Interop::Price& given, Interop::Price& copy, Interop::Price& kept) override
  { return echo_fixed(given, copy, kept); }
  Interop::Whole echo_whole(const Interop::Whole& given, Interop::Whole& copy, Interop::Whole& kept) override
  { return echo_fixed(given, copy, kept); }
  Interop::Fraction echo_fraction(const Interop::Fraction& given, Interop::Fraction& copy,
                                  Interop::Fraction& kept) override
  { return echo_fixed(given, copy, kept); }

#define ECHO(op, T) \
  Interop::T* echo_##op(const Interop::T& given, Interop::T##_out copy, Interop::T& kept) override \
  { return echo_variable<Interop::T, Interop::T##_out>(given, copy, kept); }
  ECHO(wchar_seq, WCharSeq)
  ECHO(wstring_seq, WStringSeq)
  ECHO(price_seq, PriceSeq)
#undef ECHO
  Interop::Label* echo_label(const Interop::Label& given, Interop::Label_out copy, Interop::Label& kept) override
  {
    // Assignment instead of copy construction, which loses the number of digits of a fixed.
    auto* result = new Interop::Label;
    *result = kept;
    copy = new Interop::Label;
    *copy.ptr() = given;
    kept = given;
    return result;
  }

  CORBA::Any* echo_any(const CORBA::Any& given, CORBA::Any_OUT_arg copy, CORBA::Any& kept) override
  { return echo_variable<CORBA::Any, CORBA::Any_OUT_arg>(given, copy, kept); }
  CORBA::TypeCode_ptr echo_type(CORBA::TypeCode_ptr given, CORBA::TypeCode_OUT_arg copy,
                                CORBA::TypeCode_ptr& kept) override
  { return echo_reference(given, copy, kept, CORBA::TypeCode::_duplicate); }

  void raise_rejected(const CORBA::WChar* reason, const CORBA::Any& evidence, const Interop::Price& cost) override
  { throw Interop::Rejected(reason, evidence, cost); }
  CORBA::Any* make_any(CORBA::Long which) override { return new CORBA::Any(made(which)); }
  CORBA::Boolean is_made(CORBA::Long which, const CORBA::Any& given) override { return ::is_made(which, given); }
};

class MirrorServant : public POA_Interop::Mirror {
public:
  Interop::Node* echo(Interop::Node* a, Interop::Node* b, Interop::Node_out copy) override
  {
    copy = shared(a);
    return shared(b);
  }
  Interop::Letters* echo_letters(Interop::Letters* a, Interop::Letters* b, CORBA::Boolean& are_one) override
  {
    are_one = a == b;
    return shared(a);
  }
  Interop::Numbers* echo_numbers(Interop::Numbers* given, Interop::Numbers_out copy) override
  {
    copy = shared(given);
    return shared(given);
  }
  Interop::NodeSeq* echo_nodes(const Interop::NodeSeq& given) override { return new Interop::NodeSeq(given); }
  CORBA::ValueBase* echo_base(CORBA::ValueBase* given) override { return shared(given); }
  CORBA::Boolean are_one(Interop::Node* a, Interop::Node* b) override { return a == b; }
  CORBA::Long sum(Interop::Node* first) override;
  Interop::Leaf* make(CORBA::Long number) override;
  Interop::Branch* make_branch(CORBA::Long depth) override { return new_branch(depth); }
};

#endif
