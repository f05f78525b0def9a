// The longer operations of the servants of interop_values.idl.

#include "exotics_servant.hh"

#include <set>

#include "checks.hh"

namespace {

const CORBA::WChar euro = 0x20ac;
const CORBA::WChar wide_text[] = {'w', 'i', 'd', 'e', ' ', euro, 0};

Interop::Folder folder(const char* name, CORBA::Octet depth)
{
  Interop::Folder result;
  result.name = name;
  result.depth = depth;
  return result;
}

Interop::Folder two_folders()
{
  Interop::Folder outer = folder("outer", 1);
  outer.children.length(1);
  outer.children[0] = folder("inner", 2);
  return outer;
}

Interop::ByLong chosen()
{
  Interop::ByLong result;
  result.text("chosen");
  return result;
}

Interop::LongSeq numbers()
{
  Interop::LongSeq result;
  result.length(3);
  for (CORBA::Long i = 0; i < 3; ++i) result[i] = i + 1;
  return result;
}

Interop::StringSeq strings()
{
  Interop::StringSeq result;
  result.length(2);
  result[0] = "a";
  return result;
}

const Interop::BinStruct bin = {1, '2', 3, 4, 5.5};
const Interop::Triple triple = {1, 2, 3};

Interop::Price price() { return Interop::Price("123456789012.345678"); }

// Whether the any contains this value, extracted as its C++ type.
template <class T>
bool holds(const CORBA::Any& any, const T& wanted)
{
  T got;
  return (any >>= got) && got == wanted;
}

template <class T>
bool holds_constructed(const CORBA::Any& any, const T& wanted)
{
  const T* got = nullptr;
  return (any >>= got) && encoded(*got) == encoded(wanted);
}

bool holds_any(const CORBA::Any& any)
{
  const CORBA::Any* inner = nullptr;
  return (any >>= inner) && holds(*inner, CORBA::Long(5));
}

bool holds_node(const CORBA::Any& any)
{
  Interop::Node* node = nullptr;
  return (any >>= node) && node && node->number() == 7 && !node->next() && node->weight() == 0.5;
}

bool holds_leaf(const CORBA::Any& any)
{
  Interop::Node* node = nullptr;
  if (!(any >>= node)) return false;
  Interop::Leaf* leaf = Interop::Leaf::_downcast(node);
  return leaf && leaf->number() == 8 && leaf->weight() == 1.5 && std::string(leaf->title()) == "leaf";
}

} // namespace

CORBA::Any made(CORBA::Long which)
{
  CORBA::Any any;
  switch (which) {
  case 0: break;
  case 1: any <<= CORBA::Short(-2); break;
  case 2: any <<= CORBA::ULong(4000000000u); break;
  case 3: any <<= CORBA::LongLong(-0x7fffffffffffffffLL - 1); break;
  case 4: any <<= CORBA::Double(0.5); break;
  case 5: any <<= CORBA::Any::from_boolean(true); break;
  case 6: any <<= CORBA::Any::from_char('c'); break;
  case 7: any <<= CORBA::Any::from_wchar(euro); break;
  case 8: any <<= CORBA::Any::from_octet(255); break;
  case 9: any <<= "text"; break;
  case 10: any <<= wide_text; break;
  case 11: any <<= CORBA::Any::from_fixed(price(), 18, 6); break;
  case 12: any <<= Interop::BLUE; break;
  case 13: any <<= bin; break;
  case 14: any <<= chosen(); break;
  case 15: any <<= two_folders(); break;
  // omniORB aborts for a TypeCode that contains itself through a typedef.
  case 16: throw CORBA::NO_IMPLEMENT(0, CORBA::COMPLETED_NO);
  case 17: any <<= numbers(); break;
  case 18: any <<= Interop::Triple_forany(const_cast<Interop::Triple_slice*>(triple)); break;
  case 19: any <<= strings(); break;
  case 20: {
    CORBA::Any inner;
    inner <<= CORBA::Long(5);
    any <<= inner;
    break;
  }
  case 21: any <<= Interop::_tc_Folder; break;
  case 22: any <<= Interop::Failed("why", 9); break;
  case 23: {
    Interop::Node_var node = new OBV_Interop::Node(7, nullptr, 0.5);
    any <<= node.in();
    break;
  }
  case 24: {
    Interop::Letters_var letters = new Interop::Letters("boxed");
    any <<= letters.in();
    break;
  }
  case 25: {
    Interop::Leaf_var leaf = new OBV_Interop::Leaf(8, nullptr, 1.5, "leaf", nullptr);
    any <<= static_cast<Interop::Node*>(leaf.in());
    break;
  }
  default: throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO);
  }
  return any;
}

bool is_made(CORBA::Long which, const CORBA::Any& any)
{
  const char* text = nullptr;
  const CORBA::WChar* wide = nullptr;
  CORBA::Boolean boolean = false;
  CORBA::Char character = 0;
  CORBA::WChar wide_character = 0;
  CORBA::Octet octet = 0;
  CORBA::Fixed fixed;
  CORBA::TypeCode_ptr code = nullptr;
  Interop::Triple_forany array;
  Interop::Letters* letters = nullptr;
  const Interop::Failed* failed = nullptr;
  CORBA::TypeCode_var type = any.type();
  switch (which) {
  case 0: return type->kind() == CORBA::tk_null;
  case 1: return holds(any, CORBA::Short(-2));
  case 2: return holds(any, CORBA::ULong(4000000000u));
  case 3: return holds(any, CORBA::LongLong(-0x7fffffffffffffffLL - 1));
  case 4: return holds(any, CORBA::Double(0.5));
  case 5: return (any >>= CORBA::Any::to_boolean(boolean)) && boolean;
  case 6: return (any >>= CORBA::Any::to_char(character)) && character == 'c';
  case 7: return (any >>= CORBA::Any::to_wchar(wide_character)) && wide_character == euro;
  case 8: return (any >>= CORBA::Any::to_octet(octet)) && octet == 255;
  case 9: return (any >>= text) && std::string(text) == "text";
  case 10: return (any >>= wide) && std::wstring(wide) == wide_text;
  case 11: return (any >>= CORBA::Any::to_fixed(fixed, 18, 6)) && fixed == price();
  case 12: return holds(any, Interop::BLUE);
  case 13: return holds_constructed(any, bin);
  case 14: return holds_constructed(any, chosen());
  case 15: return holds_constructed(any, two_folders());
  case 16: throw CORBA::NO_IMPLEMENT(0, CORBA::COMPLETED_NO);
  case 17: return holds_constructed(any, numbers());
  case 18: return (any >>= array) && array[0] == 1 && array[1] == 2 && array[2] == 3;
  case 19: return holds_constructed(any, strings());
  case 20: return holds_any(any);
  case 21: return (any >>= code) && code->equal(Interop::_tc_Folder);
  case 22: return (any >>= failed) && std::string(failed->reason) == "why" && failed->code == 9;
  case 23: return holds_node(any);
  case 24: return (any >>= letters) && letters && std::string(letters->_value()) == "boxed";
  case 25: return holds_leaf(any);
  default: throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO);
  }
}

CORBA::WChar* ExoticsServant::echo_wstring(const CORBA::WChar* given, CORBA::WString_out copy,
                                           CORBA::WChar*& kept)
{
  CORBA::WChar* result = kept;
  copy = CORBA::wstring_dup(given);
  kept = CORBA::wstring_dup(given);
  return result;
}

CORBA::Long MirrorServant::sum(Interop::Node* first)
{
  std::set<Interop::Node*> seen;
  CORBA::Long result = 0;
  for (Interop::Node* node = first; node && seen.insert(node).second; node = node->next()) result += node->number();
  return result;
}

Interop::Leaf* MirrorServant::make(CORBA::Long number)
{
  Interop::Node_var node = new OBV_Interop::Node(5, nullptr, 2.5);
  Interop::Leaf* leaf = new_leaf(number, node, "made");
  if (number == 2) node->next(leaf);
  return leaf;
}

Interop::Leaf* new_leaf(CORBA::Long number, Interop::Node* node, const char* title)
{
  return new OBV_Interop::Leaf(number, shared(node), 1.5, title, shared(node));
}

Interop::Branch* new_branch(CORBA::Long depth)
{
  Interop::NodeSeq children;
  if (depth > 0) {
    Interop::Branch_var child = new_branch(depth - 1);
    children.length(2);
    for (CORBA::ULong i = 0; i < 2; ++i) children[i] = shared(child.in());
  }
  // The constructor does not pass the number on, because the node is a virtual base.
  auto* branch = new OBV_Interop::Branch(depth, nullptr, 0, "", nullptr, children, 165);
  branch->number(depth);
  return branch;
}

void register_values(CORBA::ORB_ptr orb, bool nodes_alone)
{
  CORBA::ValueFactoryBase_var replaced;
  replaced = orb->register_value_factory("IDL:armilla.org/Interop/Node:1.0", new Interop::Node_init());
  if (nodes_alone) return;
  replaced = orb->register_value_factory("IDL:armilla.org/Interop/Leaf:1.0", new Interop::Leaf_init());
  replaced = orb->register_value_factory("IDL:armilla.org/Interop/Branch:1.0", new Interop::Branch_init());
}
