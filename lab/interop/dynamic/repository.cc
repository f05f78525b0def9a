// The omniORB client of `lab/interop/dynamic-check` for the interface repository. It creates, reads and
// destroys definitions in a repository, which may be empty, through its reference.

#include <omniORB4/CORBA.h>

#include <functional>
#include <iostream>
#include <string>

static int failed = 0;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      std::cout << "does not hold, line " << __LINE__ << ": " << #condition << std::endl; \
      failed = 1;                                                     \
    }                                                                 \
  } while (0)

// Whether the call raises this exception with this minor code of the OMG; 0 matches every code.
template <class E>
static bool refused(CORBA::ULong reason, const std::function<void()>& call) {
  try {
    call();
  } catch (CORBA::SystemException& exception) {
    if (E::_downcast(&exception) && (reason == 0 || exception.minor() == (0x4f4d0000 | reason))) return true;
    std::cout << "raised " << exception._name() << " " << std::hex << exception.minor() << std::dec << std::endl;
  }
  return false;
}

static CORBA::Repository_var repository;

static CORBA::PrimitiveDef_var primitive(CORBA::PrimitiveKind kind) { return repository->get_primitive(kind); }

static std::string named(CORBA::Contained_ptr contained) {
  CORBA::String_var name = contained->absolute_name();
  return name.in();
}

static CORBA::StructMember member(const char* name, CORBA::IDLType_ptr type) {
  CORBA::StructMember member;
  member.name = name;
  member.type = CORBA::TypeCode::_duplicate(CORBA::_tc_void);
  member.type_def = CORBA::IDLType::_duplicate(type);
  return member;
}

static void check_primitives() {
  for (int kind = CORBA::pk_void; kind <= CORBA::pk_value_base; kind++) {
    CORBA::PrimitiveDef_var def = primitive(CORBA::PrimitiveKind(kind));
    CHECK(def->kind() == kind && def->def_kind() == CORBA::dk_Primitive);
    CORBA::TypeCode_var type = def->type();
    CHECK(!CORBA::is_nil(type));
    CHECK(refused<CORBA::BAD_INV_ORDER>(2, [&] { def->destroy(); }));
  }
  CHECK(refused<CORBA::BAD_PARAM>(0, [] { primitive(CORBA::pk_null); }));
  CHECK(refused<CORBA::BAD_INV_ORDER>(2, [] { repository->destroy(); }));
  CHECK(repository->def_kind() == CORBA::dk_Repository);
}

static void check_anonymous() {
  CORBA::PrimitiveDef_var number = primitive(CORBA::pk_long);
  CORBA::StringDef_var text = repository->create_string(7);
  CORBA::WstringDef_var wide = repository->create_wstring(9);
  CORBA::SequenceDef_var list = repository->create_sequence(0, text);
  CORBA::ArrayDef_var array = repository->create_array(3, list);
  CORBA::FixedDef_var fixed = repository->create_fixed(31, 31);
  CHECK(text->bound() == 7 && wide->bound() == 9 && list->bound() == 0 && array->length() == 3);
  CHECK(fixed->digits() == 31 && fixed->scale() == 31);
  CORBA::TypeCode_var type = array->type();
  CORBA::TypeCode_var part = type->content_type();
  CHECK(type->kind() == CORBA::tk_array && part->kind() == CORBA::tk_sequence);
  text->bound(8);
  list->bound(2);
  array->length(4);
  CHECK(refused<CORBA::BAD_PARAM>(0, [&] { fixed->digits(5); }));
  CHECK(fixed->digits() == 31 && array->length() == 4 && text->bound() == 8);
  type = array->type();
  CHECK(type->length() == 4);
  CHECK(refused<CORBA::BAD_PARAM>(0, [&] { repository->create_array(0, number); }));
  // An array type is destroyed with its element type.
  list->destroy();
  CHECK(refused<CORBA::OBJECT_NOT_EXIST>(0, [&] { array->length(); }));
}

static void check_types(CORBA::ModuleDef_ptr home) {
  CORBA::PrimitiveDef_var number = primitive(CORBA::pk_long);
  CORBA::PrimitiveDef_var text = primitive(CORBA::pk_string);
  CORBA::PrimitiveDef_var nothing = primitive(CORBA::pk_void);
  CORBA::StructMemberSeq members;
  members.length(2);
  members[0] = member("x", number);
  members[1] = member("y", text);
  CORBA::StructDef_var point = home->create_struct("IDL:Home/Point:1.0", "Point", "1.0", members);
  CHECK(named(point) == "::Home::Point" && point->def_kind() == CORBA::dk_Struct);
  CORBA::StructMemberSeq_var seen = point->members();
  CHECK(seen->length() == 2 && std::string(seen[1].name) == "y" && seen[1].type->kind() == CORBA::tk_string);
  CORBA::PrimitiveDef_var seen_type = CORBA::PrimitiveDef::_narrow(seen[0].type_def);
  CHECK(seen_type->kind() == CORBA::pk_long);
  members[1] = member("X", text);
  CHECK(refused<CORBA::BAD_PARAM>(0, [&] { home->create_struct("IDL:Home/P:1.0", "P", "1.0", members); }));
  CHECK(refused<CORBA::BAD_PARAM>(0, [&] { point->members(members); }));
  members[1] = member("y", nothing);
  CHECK(refused<CORBA::BAD_TYPECODE>(2, [&] { point->members(members); }));
  members[1] = member("y", point);
  CHECK(refused<CORBA::SystemException>(0, [&] { point->members(members); }));
  CHECK(refused<CORBA::BAD_PARAM>(2, [&] { home->create_module("IDL:Home/Point:1.0", "Other", "1.0"); }));
  CHECK(refused<CORBA::BAD_PARAM>(3, [&] { home->create_module("IDL:Home/Other:1.0", "POINT", "1.0"); }));

  // A sequence that contains itself.
  CORBA::SequenceDef_var points = repository->create_sequence(0, point);
  members[1] = member("more", points);
  point->members(members);
  CORBA::TypeCode_var type = point->type();
  CORBA::TypeCode_var more = type->member_type(1);
  CORBA::TypeCode_var again = more->content_type();
  CHECK(again->kind() == CORBA::tk_struct && again->equivalent(type));

  CORBA::EnumMemberSeq names;
  names.length(2);
  names[0] = CORBA::string_dup("RED");
  names[1] = CORBA::string_dup("GREEN");
  CORBA::EnumDef_var colour = home->create_enum("IDL:Home/Colour:1.0", "Colour", "1.0", names);
  names[1] = CORBA::string_dup("red");
  CHECK(refused<CORBA::BAD_PARAM>(0, [&] { colour->members(names); }));

  CORBA::UnionMemberSeq cases;
  cases.length(3);
  const short labels[] = {-1, 32767, 0};
  for (CORBA::ULong index = 0; index < 3; index++) {
    cases[index].name = CORBA::string_dup(index < 2 ? "number" : "other");
    cases[index].label <<= CORBA::Short(labels[index]);
    cases[index].type = CORBA::TypeCode::_duplicate(CORBA::_tc_void);
    cases[index].type_def = CORBA::IDLType::_duplicate(index < 2 ? (CORBA::IDLType_ptr)number : (CORBA::IDLType_ptr)text);
  }
  cases[2].label <<= CORBA::Any::from_octet(0);
  CORBA::PrimitiveDef_var small = primitive(CORBA::pk_short);
  CORBA::UnionDef_var choice = home->create_union("IDL:Home/Choice:1.0", "Choice", "1.0", small, cases);
  CORBA::UnionMemberSeq_var made = choice->members();
  CORBA::Short label = 0;
  CHECK(made->length() == 3 && (made[0].label >>= label) && label == -1);
  type = choice->type();
  CHECK(type->default_index() == 2 && type->member_count() == 3);
  cases[1].label <<= CORBA::Short(-1);
  CHECK(refused<CORBA::BAD_PARAM>(18, [&] { choice->members(cases); }));
  cases[1].label <<= CORBA::Long(5);
  CHECK(refused<CORBA::BAD_PARAM>(0, [&] { choice->members(cases); }));
  CHECK(refused<CORBA::SystemException>(0, [&] { choice->discriminator_type_def(text); }));
  type = choice->discriminator_type();
  CHECK(type->kind() == CORBA::tk_short);

  CORBA::AliasDef_var alias = home->create_alias("IDL:Home/Points:1.0", "Points", "1.0", points);
  CORBA::IDLType_var original = alias->original_type_def();
  CHECK(original->def_kind() == CORBA::dk_Sequence);
  CHECK(refused<CORBA::SystemException>(0, [&] { alias->original_type_def(alias); }));
  CHECK(refused<CORBA::SystemException>(0, [&] { alias->original_type_def(nothing); }));
  CORBA::ValueBoxDef_var box = home->create_value_box("IDL:Home/Box:1.0", "Box", "1.0", points);
  CHECK(box->def_kind() == CORBA::dk_ValueBox);
  CORBA::NativeDef_var native = home->create_native("IDL:Home/Native:1.0", "Native", "1.0");
  CHECK(native->def_kind() == CORBA::dk_Native);
  // omniORB cannot read its TypeCode.
  native->destroy();
  members.length(0);
  CORBA::ExceptionDef_var empty = home->create_exception("IDL:Home/Empty:1.0", "Empty", "1.0", members);
  type = empty->type();
  CHECK(type->kind() == CORBA::tk_except && type->member_count() == 0);
  CORBA::Any value;
  value <<= CORBA::Long(42);
  CORBA::ConstantDef_var answer = home->create_constant("IDL:Home/ANSWER:1.0", "ANSWER", "1.0", number, value);
  CORBA::Any_var kept = answer->value();
  CORBA::Long answered = 0;
  CHECK((kept.in() >>= answered) && answered == 42);
  value <<= "text";
  CHECK(refused<CORBA::BAD_PARAM>(0, [&] { answer->value(value); }));
}

static void check_interface(CORBA::ModuleDef_ptr home) {
  CORBA::InterfaceDefSeq bases;
  CORBA::InterfaceDef_var base = home->create_interface("IDL:Home/Base:1.0", "Base", "1.0", bases);
  bases.length(1);
  bases[0] = CORBA::InterfaceDef::_duplicate(base);
  CORBA::InterfaceDef_var derived = home->create_interface("IDL:Home/Derived:1.0", "Derived", "1.0", bases);
  CHECK(derived->is_a("IDL:Home/Base:1.0") && derived->is_a("IDL:omg.org/CORBA/Object:1.0") && !base->is_a("IDL:Home/Derived:1.0"));
  bases[0] = CORBA::InterfaceDef::_duplicate(derived);
  CHECK(refused<CORBA::BAD_PARAM>(0, [&] { base->base_interfaces(bases); }));
  bases.length(2);
  bases[0] = CORBA::InterfaceDef::_duplicate(base);
  bases[1] = CORBA::InterfaceDef::_duplicate(base);
  CHECK(refused<CORBA::BAD_PARAM>(0, [&] { derived->base_interfaces(bases); }));

  CORBA::PrimitiveDef_var number = primitive(CORBA::pk_long);
  CORBA::PrimitiveDef_var nothing = primitive(CORBA::pk_void);
  CORBA::AttributeDef_var height = base->create_attribute("IDL:Home/Base/height:1.0", "height", "1.0", number, CORBA::ATTR_READONLY);
  CHECK(height->mode() == CORBA::ATTR_READONLY);
  height->mode(CORBA::ATTR_NORMAL);
  CHECK(refused<CORBA::BAD_PARAM>(5, [&] {
    derived->create_attribute("IDL:Home/Derived/height:1.0", "Height", "1.0", number, CORBA::ATTR_NORMAL);
  }));
  CORBA::ParDescriptionSeq parameters;
  parameters.length(1);
  parameters[0].name = CORBA::string_dup("amount");
  parameters[0].type = CORBA::TypeCode::_duplicate(CORBA::_tc_long);
  parameters[0].type_def = CORBA::IDLType::_duplicate(number);
  parameters[0].mode = CORBA::PARAM_INOUT;
  CORBA::Contained_var found = home->lookup("Empty");
  CORBA::ExceptionDefSeq exceptions;
  exceptions.length(1);
  exceptions[0] = CORBA::ExceptionDef::_narrow(found);
  CORBA::ContextIdSeq contexts;
  contexts.length(1);
  contexts[0] = CORBA::string_dup("user*");
  CHECK(refused<CORBA::BAD_PARAM>(31, [&] {
    base->create_operation("IDL:Home/Base/add:1.0", "add", "1.0", nothing, CORBA::OP_ONEWAY, parameters, exceptions, contexts);
  }));
  CORBA::OperationDef_var add =
      base->create_operation("IDL:Home/Base/add:1.0", "add", "1.0", number, CORBA::OP_NORMAL, parameters, exceptions, contexts);
  CHECK(refused<CORBA::BAD_PARAM>(31, [&] { add->mode(CORBA::OP_ONEWAY); }));
  CORBA::Contained::Description_var description = add->describe();
  const CORBA::OperationDescription* operation = nullptr;
  CHECK(description->kind == CORBA::dk_Operation && (description->value >>= operation));
  CHECK(operation && std::string(operation->defined_in) == "IDL:Home/Base:1.0" && operation->exceptions.length() == 1);
  CHECK(operation && operation->contexts.length() == 1 && operation->parameters[0].mode == CORBA::PARAM_INOUT);
  CORBA::InterfaceDef::FullInterfaceDescription_var full = derived->describe_interface();
  CHECK(full->operations.length() == 1 && full->attributes.length() == 1 && full->base_interfaces.length() == 1);
  CORBA::ContainedSeq_var all = derived->contents(CORBA::dk_all, false);
  CORBA::ContainedSeq_var own = derived->contents(CORBA::dk_all, true);
  CHECK(all->length() == 2 && own->length() == 0);
  found = derived->lookup("add");
  CHECK(named(found) == "::Home::Base::add");
  CORBA::StructMemberSeq none;
  CORBA::StructDef_var inner = base->create_struct("IDL:Home/Base/Inner:1.0", "Inner", "1.0", none);
  CHECK(refused<CORBA::BAD_PARAM>(4, [&] { base->create_module("IDL:Home/Base/M:1.0", "M", "1.0"); }));
  CORBA::Container_var place = inner->defined_in();
  CHECK(place->_is_equivalent(base));
}

static void check_value(CORBA::ModuleDef_ptr home) {
  CORBA::ValueDefSeq no_values;
  CORBA::InterfaceDefSeq no_interfaces;
  CORBA::InitializerSeq initializers;
  CORBA::PrimitiveDef_var number = primitive(CORBA::pk_long);
  initializers.length(1);
  initializers[0].name = CORBA::string_dup("make");
  initializers[0].members.length(1);
  initializers[0].members[0] = member("number", number);
  CORBA::ValueDef_var node = home->create_value("IDL:Home/Node:1.0", "Node", "1.0", false, false, CORBA::ValueDef::_nil(),
                                                false, no_values, no_interfaces, initializers);
  CORBA::ValueMemberDef_var count =
      node->create_value_member("IDL:Home/Node/count:1.0", "count", "1.0", number, CORBA::PUBLIC_MEMBER);
  CORBA::ValueMemberDef_var next =
      node->create_value_member("IDL:Home/Node/next:1.0", "next", "1.0", node, CORBA::PRIVATE_MEMBER);
  CHECK(next->access() == CORBA::PRIVATE_MEMBER);
  initializers.length(0);
  CORBA::ValueDef_var leaf = home->create_value("IDL:Home/Leaf:1.0", "Leaf", "1.0", false, false, node, true, no_values,
                                                no_interfaces, initializers);
  CORBA::TypeCode_var type = leaf->type();
  CORBA::TypeCode_var base = type->concrete_base_type();
  CHECK(type->type_modifier() == CORBA::VM_TRUNCATABLE && base->member_count() == 2);
  CHECK(base->member_visibility(1) == CORBA::PRIVATE_MEMBER);
  CHECK(leaf->is_a("IDL:Home/Node:1.0") && leaf->is_a("IDL:omg.org/CORBA/ValueBase:1.0"));
  CHECK(refused<CORBA::BAD_PARAM>(0, [&] { leaf->is_custom(true); }));
  CHECK(refused<CORBA::BAD_PARAM>(0, [&] { node->is_abstract(true); }));
  CHECK(refused<CORBA::BAD_PARAM>(0, [&] { node->base_value(leaf); }));
  CORBA::ValueDef::FullValueDescription_var full = node->describe_value();
  CHECK(full->members.length() == 2 && full->initializers.length() == 1 && std::string(full->base_value).empty());
  CORBA::InitializerSeq_var seen = node->initializers();
  CHECK(seen->length() == 1 && std::string(seen[0].name) == "make" && seen[0].members.length() == 1);
  leaf->base_value(CORBA::ValueDef::_nil());
}

static void check_search(CORBA::ModuleDef_ptr home) {
  CORBA::ContainedSeq_var found = repository->lookup_name("HEIGHT", -1, CORBA::dk_all, true);
  CHECK(found->length() == 1 && named(found[0u]) == "::Home::Base::height");
  found = repository->lookup_name("height", 2, CORBA::dk_all, true);
  CHECK(found->length() == 0);
  found = repository->lookup_name("height", 3, CORBA::dk_Attribute, true);
  CHECK(found->length() == 1);
  found = repository->lookup_name("height", -1, CORBA::dk_Operation, true);
  CHECK(found->length() == 0);
  found = home->contents(CORBA::dk_Typedef, true);
  CHECK(found->length() == 5);
  CORBA::Container::DescriptionSeq_var described = home->describe_contents(CORBA::dk_all, true, 3);
  CHECK(described->length() == 3);
  described = home->describe_contents(CORBA::dk_all, true, -1);
  CORBA::ContainedSeq_var all = home->contents(CORBA::dk_all, true);
  CHECK(described->length() == all->length());
  for (CORBA::ULong index = 0; index < described->length(); index++) {
    CORBA::TypeCode_var type = described[index].value.type();
    CHECK(described[index].kind == described[index].contained_object->def_kind() && type->kind() == CORBA::tk_struct);
  }
  described = home->describe_contents(CORBA::dk_all, true, 0);
  CHECK(described->length() == 0);
  CORBA::Contained_var one = repository->lookup("::Home::Base::add");
  CHECK(!CORBA::is_nil(one) && named(one) == "::Home::Base::add");
  for (const char* absent : {"", "::", "Home::", "::Home::Nobody", "Home:Base", "::::Home"}) {
    one = repository->lookup(absent);
    CHECK(CORBA::is_nil(one));
  }
  one = repository->lookup_id("IDL:Home/Base/add:1.0");
  CHECK(!CORBA::is_nil(one));
  one = repository->lookup_id("");
  CHECK(CORBA::is_nil(one));
  CORBA::TypeCode_var canonical = repository->get_canonical_typecode(CORBA::_tc_long);
  CHECK(canonical->kind() == CORBA::tk_long);
}

static void check_changes(CORBA::ModuleDef_ptr home) {
  CORBA::Contained_var point = home->lookup("Point");
  CHECK(refused<CORBA::BAD_INV_ORDER>(1, [&] { point->destroy(); }));
  CORBA::ModuleDef_var other = repository->create_module("IDL:Other:1.0", "Other", "1.0");
  CHECK(refused<CORBA::BAD_PARAM>(4, [&] { home->move(home, "Within", "1.0"); }));
  point->move(other, "Spot", "2.0");
  CHECK(named(point) == "::Other::Spot");
  CORBA::String_var version = point->version();
  CORBA::String_var id = point->id();
  CHECK(std::string(version) == "2.0" && std::string(id) == "IDL:Home/Point:1.0");
  CHECK(refused<CORBA::BAD_PARAM>(2, [&] { point->id("IDL:Home/Base:1.0"); }));
  point->id("IDL:Other/Spot:2.0");
  CORBA::Contained_var found = repository->lookup_id("IDL:Home/Point:1.0");
  CHECK(CORBA::is_nil(found));
  point->name("Place");
  found = repository->lookup("::Other::Place");
  CHECK(!CORBA::is_nil(found) && found->_is_equivalent(point));
  CORBA::Contained_var points = home->lookup("Points");
  CORBA::AliasDef_var alias = CORBA::AliasDef::_narrow(points);
  CORBA::TypeCode_var type = alias->type();
  CORBA::TypeCode_var list = type->content_type();
  CORBA::TypeCode_var spot = list->content_type();
  CHECK(std::string(spot->id()) == "IDL:Other/Spot:2.0" && std::string(spot->name()) == "Place");
  CHECK(refused<CORBA::BAD_INV_ORDER>(1, [&] { other->destroy(); }));
  home->destroy();
  CHECK(refused<CORBA::OBJECT_NOT_EXIST>(0, [&] { alias->type(); }));
  other->destroy();
  CHECK(refused<CORBA::OBJECT_NOT_EXIST>(0, [&] { point->name(); }));
  CORBA::ContainedSeq_var left = repository->lookup_name("Place", -1, CORBA::dk_all, true);
  CHECK(left->length() == 0);
}

int main(int argc, char** argv) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    CORBA::Object_var object = orb->string_to_object(argv[1]);
    repository = CORBA::Repository::_narrow(object);
    check_primitives();
    check_anonymous();
    CORBA::ModuleDef_var home = repository->create_module("IDL:Home:1.0", "Home", "1.0");
    check_types(home);
    check_interface(home);
    check_value(home);
    check_search(home);
    check_changes(home);
  } catch (CORBA::Exception& exception) {
    std::cout << "failed: " << exception._name() << std::endl;
    CORBA::SystemException* system = CORBA::SystemException::_downcast(&exception);
    if (system) std::cout << std::hex << system->minor() << std::endl;
    failed = 1;
  }
  return failed;
}
