// The omniORB server of dynamic-check: a compiled mirror, or with the argument "dsi" a dynamic one.

#include "mirror.hh"

#include <iostream>
#include <string>

static Dyn::Point refused_place(const Dyn::Point& given) { return given; }

// Appends to `given` the context properties that arrived for the clause of `placed`.
static char* with_properties(std::string given, CORBA::Context_ptr context) {
  for (const char* pattern : {"user", "sys.*"}) {
    CORBA::NVList_ptr found;
    try {
      context->get_values("", 0, pattern, found);
    } catch (CORBA::BAD_CONTEXT&) {
      continue;
    }
    for (CORBA::ULong index = 0; index < found->count(); index++) {
      const char* value = nullptr;
      *found->item(index)->value() >>= value;
      given += std::string(" ") + found->item(index)->name() + "=" + value;
    }
  }
  return CORBA::string_dup(given.c_str());
}

class Glass : public POA_Dyn::Mirror {
  CORBA::Long level_ = 0;

  CORBA::Long level() override { return level_; }
  void level(CORBA::Long value) override { level_ = value; }

  CORBA::Any* echo_any(const CORBA::Any& given, CORBA::Any& kept) override {
    CORBA::Any_var before = new CORBA::Any(kept);
    kept = given;
    return before._retn();
  }

  Dyn::Point* echo_point(const Dyn::Point& given, Dyn::Point_out copy, Dyn::Point& kept) override {
    if (given.tag == 13) throw Dyn::Refused("thirteen", refused_place(given));
    Dyn::Point_var before = new Dyn::Point(kept);
    copy = new Dyn::Point(given);
    kept = given;
    return before._retn();
  }

  Dyn::Choice* echo_choice(const Dyn::Choice& given, Dyn::Choice& kept) override {
    Dyn::Choice_var before = new Dyn::Choice(kept);
    kept = given;
    return before._retn();
  }

  void remark(const char* text) override { level_ = std::string(text).size(); }

  char* placed(const char* given, CORBA::Context_ptr context) override {
    return with_properties(given, context);
  }
};

class DynamicGlass : public PortableServer::DynamicImplementation {
  CORBA::ORB_var orb_;
  CORBA::Long level_ = 0;

  static void add(CORBA::NVList_ptr list, CORBA::TypeCode_ptr type, CORBA::Flags mode) {
    CORBA::Any empty;
    empty.replace(type, nullptr);
    list->add_value("", empty, mode);
  }

  void echo(CORBA::ServerRequest_ptr request, CORBA::TypeCode_ptr type, bool copies) {
    CORBA::NVList_ptr list;
    orb_->create_list(0, list);
    add(list, type, CORBA::ARG_IN);
    if (copies) add(list, type, CORBA::ARG_OUT);
    add(list, type, CORBA::ARG_INOUT);
    request->arguments(list);
    CORBA::Any& given = *list->item(0)->value();
    const Dyn::Point* point;
    if (copies && (given >>= point) && point->tag == 13) {
      CORBA::Any raised;
      raised <<= Dyn::Refused("thirteen", refused_place(*point));
      request->set_exception(raised);
      return;
    }
    CORBA::Any& kept = *list->item(copies ? 2 : 1)->value();
    CORBA::Any before = kept;
    if (copies) *list->item(1)->value() = given;
    kept = given;
    request->set_result(before);
  }

  void invoke(CORBA::ServerRequest_ptr request) override {
    const std::string operation = request->operation();
    CORBA::NVList_ptr list;
    if (operation == "echo_point") return echo(request, Dyn::_tc_Point, true);
    if (operation == "echo_choice") return echo(request, Dyn::_tc_Choice, false);
    if (operation == "echo_any") return echo(request, CORBA::_tc_any, false);
    orb_->create_list(0, list);
    if (operation == "_get_level") {
      request->arguments(list);
      CORBA::Any result;
      result <<= level_;
      request->set_result(result);
    } else if (operation == "_set_level") {
      add(list, CORBA::_tc_long, CORBA::ARG_IN);
      request->arguments(list);
      *list->item(0)->value() >>= level_;
    } else if (operation == "remark" || operation == "placed") {
      add(list, CORBA::_tc_string, CORBA::ARG_IN);
      request->arguments(list);
      const char* text = nullptr;
      *list->item(0)->value() >>= text;
      if (operation == "remark") {
        level_ = std::string(text).size();
      } else {
        CORBA::String_var placed = with_properties(text, request->ctx());
        CORBA::Any result;
        result <<= placed.in();
        request->set_result(result);
      }
    } else {
      throw CORBA::BAD_OPERATION(0, CORBA::COMPLETED_NO);
    }
  }

  char* _primary_interface(const PortableServer::ObjectId&, PortableServer::POA_ptr) override {
    return CORBA::string_dup("IDL:Dyn/Mirror:1.0");
  }

 public:
  explicit DynamicGlass(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {}
};

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  orb->register_value_factory("IDL:Dyn/Node:1.0", new Dyn::Node_init());
  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
  PortableServer::Servant servant;
  if (argc > 1 && std::string(argv[1]) == "dsi") servant = new DynamicGlass(orb);
  else servant = new Glass;
  PortableServer::ObjectId_var id = poa->activate_object(servant);
  object = poa->id_to_reference(id);
  CORBA::String_var text = orb->object_to_string(object);
  std::cout << text << std::endl;
  PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  orb->run();
}
