// The omniORB client of dynamic-check. It calls a mirror by dynamic requests. With the argument
// "ifr" after the reference, it asks the object for its interface.

#include "mirror.hh"

#include <chrono>
#include <iostream>
#include <string>
#include <thread>

static int failed = 0;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      std::cout << "does not hold: " << #condition << std::endl;      \
      failed = 1;                                                     \
    }                                                                 \
  } while (0)

static Dyn::Point point(int tag) {
  Dyn::Point made;
  made.tag = tag;
  made.x = tag / 4.0;
  made.name = CORBA::wstring_dup(L"wide \u00e9\u20ac");
  return made;
}

static CORBA::Request_var echo_point(CORBA::Object_ptr object, int given) {
  CORBA::Request_var request = object->_request("echo_point");
  request->add_in_arg() <<= point(given);
  request->add_out_arg().replace(Dyn::_tc_Point, nullptr);
  request->add_inout_arg() <<= point(1);
  request->set_return_type(Dyn::_tc_Point);
  request->exceptions()->add(Dyn::_tc_Refused);
  request->invoke();
  return request;
}

static void check_point(CORBA::Object_ptr object) {
  CORBA::Request_var request = echo_point(object, 7);
  CHECK(!request->env()->exception());
  const Dyn::Point* result;
  CHECK((request->return_value() >>= result) && result->tag == 1);
  for (CORBA::ULong index = 1; index < 3; index++) {
    CHECK((*request->arguments()->item(index)->value() >>= result) && result->tag == 7 && result->x == 1.75);
    CHECK(std::wstring(result->name) == L"wide \u00e9\u20ac");
  }
  request = echo_point(object, 13);
  CORBA::UnknownUserException* raised = CORBA::UnknownUserException::_downcast(request->env()->exception());
  CHECK(raised);
  const Dyn::Refused* refused;
  CHECK(raised && (raised->exception() >>= refused) && std::string(refused->reason) == "thirteen" && refused->place.tag == 13);
}

static void check_attribute(CORBA::Object_ptr object) {
  CORBA::Request_var request = object->_request("_set_level");
  request->add_in_arg() <<= CORBA::Long(42);
  request->set_return_type(CORBA::_tc_void);
  request->invoke();
  CHECK(!request->env()->exception());
  request = object->_request("_get_level");
  request->set_return_type(CORBA::_tc_long);
  request->send_deferred();
  request->get_response();
  CORBA::Long level = 0;
  CHECK((request->return_value() >>= level) && level == 42);
}

static CORBA::Long level(CORBA::Object_ptr object) {
  CORBA::Request_var request = object->_request("_get_level");
  request->set_return_type(CORBA::_tc_long);
  request->invoke();
  CORBA::Long level = -1;
  CHECK(request->return_value() >>= level);
  return level;
}

static void check_oneway(CORBA::Object_ptr object) {
  CORBA::Request_var request = object->_request("remark");
  request->add_in_arg() <<= "five!";
  request->send_oneway();
  for (int left = 2000; left && level(object) != 5; left--) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(level(object) == 5);
}

static void check_context(CORBA::ORB_ptr orb, CORBA::Object_ptr object) {
  CORBA::Context_var context;
  orb->get_default_context(context.out());
  CORBA::Any value;
  value <<= "alpha";
  context->set_one_value("sys.host", value);
  value <<= "ann";
  context->set_one_value("user", value);
  value <<= "zsh";
  context->set_one_value("shell", value);
  CORBA::Request_var request = object->_request("placed");
  request->add_in_arg() <<= "here";
  request->set_return_type(CORBA::_tc_string);
  request->contexts()->add("user");
  request->contexts()->add("sys.*");
  request->ctx(context);
  request->invoke();
  CHECK(!request->env()->exception());
  const char* placed = "";
  const std::string expected = "here user=ann sys.host=alpha";
  CHECK((request->return_value() >>= placed) && expected == placed);
  Dyn::Mirror_var mirror = Dyn::Mirror::_narrow(object);
  CORBA::String_var again = mirror->placed("here", context);
  CHECK(expected == again.in());
}

static CORBA::Any echoed(CORBA::Object_ptr object, const CORBA::Any& given) {
  CORBA::Request_var request = object->_request("echo_any");
  request->add_in_arg() <<= given;
  request->add_inout_arg() <<= CORBA::Any();
  request->set_return_type(CORBA::_tc_any);
  request->invoke();
  CHECK(!request->env()->exception());
  const CORBA::Any* kept = nullptr;
  CHECK(*request->arguments()->item(1)->value() >>= kept);
  return kept ? *kept : CORBA::Any();
}

static void check_anys(CORBA::Object_ptr object) {
  CORBA::Any any;
  Dyn::Tree tree;
  tree.name = "root";
  tree.children.length(2);
  tree.children[1].name = "child";
  any <<= tree;
  CORBA::Any back = echoed(object, any);
  const Dyn::Tree* same;
  CHECK((back >>= same) && same->children.length() == 2 && std::string(same->children[1].name) == "child");
  CORBA::TypeCode_var type = back.type();
  CHECK(type->equal(Dyn::_tc_Tree));

  Dyn::Node_var first = new OBV_Dyn::Node();
  Dyn::Node_var second = new OBV_Dyn::Node();
  first->number(1);
  first->next(second);
  second->number(2);
  second->next(first);
  any <<= first.in();
  back = echoed(object, any);
  Dyn::Node* node = nullptr;
  CHECK((back >>= node) && node->number() == 1 && node->next()->number() == 2 && node->next()->next() == node);

  // Without the price: omniORB does not know the number of digits of a fixed member of a union.
  Dyn::Choice choice;
  choice.text("two");
  any <<= choice;
  back = echoed(object, any);
  const Dyn::Choice* chosen;
  CHECK((back >>= chosen) && std::string(chosen->text()) == "two");

  CORBA::Any inner;
  inner <<= Dyn::Refused("in an any", point(3));
  any <<= inner;
  back = echoed(object, any);
  const CORBA::Any* within;
  const Dyn::Refused* refused;
  CHECK((back >>= within) && (*within >>= refused) && refused->place.tag == 3);

  // An empty exception: omniORB omits its repository id, so the message ends here.
  any <<= Dyn::Bare();
  back = echoed(object, any);
  const Dyn::Bare* bare;
  CHECK(back >>= bare);

  any <<= object;
  back = echoed(object, any);
  CORBA::Object_var reference;
  CHECK((back >>= CORBA::Any::to_object(reference.out())) && reference->_is_equivalent(object));
}

static void check_interface(CORBA::Object_ptr object) {
  CORBA::InterfaceDef_var interface = object->_get_interface();
  CHECK(!CORBA::is_nil(interface));
  CHECK(interface->def_kind() == CORBA::dk_Interface);
  CORBA::InterfaceDef::FullInterfaceDescription_var full = interface->describe_interface();
  CHECK(std::string(full->id) == "IDL:Dyn/Mirror:1.0" && full->operations.length() == 5 && full->attributes.length() == 1);
  for (CORBA::ULong index = 0; index < full->operations.length(); index++) {
    const CORBA::OperationDescription& operation = full->operations[index];
    if (std::string(operation.name) != "echo_point") continue;
    CHECK(operation.result->equal(Dyn::_tc_Point) && operation.exceptions[0].type->equal(Dyn::_tc_Refused));
    CHECK(operation.parameters.length() == 3 && operation.parameters[2].mode == CORBA::PARAM_INOUT);
  }
  CORBA::Repository_var repository = interface->containing_repository();
  CORBA::Contained_var found = repository->lookup("Dyn::Tree");
  CORBA::StructDef_var tree = CORBA::StructDef::_narrow(found);
  CHECK(!CORBA::is_nil(tree));
  CORBA::TypeCode_var type = tree->type();
  CHECK(type->equal(Dyn::_tc_Tree));
  CORBA::PrimitiveDef_var number = repository->get_primitive(CORBA::pk_long);
  CORBA::AliasDef_var alias = repository->create_alias("IDL:Count:1.0", "Count", "1.0", number);
  type = alias->type();
  CHECK(type->kind() == CORBA::tk_alias);
  alias->destroy();
}

int main(int argc, char** argv) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    orb->register_value_factory("IDL:Dyn/Node:1.0", new Dyn::Node_init());
    CORBA::Object_var object = orb->string_to_object(argv[1]);
    const std::string what = argc > 2 ? argv[2] : "";
    if (what == "ifr") {
      check_interface(object);
    } else {
      check_point(object);
      check_attribute(object);
      check_anys(object);
      check_oneway(object);
      check_context(orb, object);
    }
  } catch (CORBA::Exception& exception) {
    std::cout << "failed: " << exception._name() << std::endl;
    CORBA::SystemException* system = CORBA::SystemException::_downcast(&exception);
    if (system) std::cout << std::hex << system->minor() << std::endl;
    failed = 1;
  }
  return failed;
}
