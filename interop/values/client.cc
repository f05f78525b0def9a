// The omniORB client of values-check: its argument is the reference of a mirror.

#include "graph.hh"

#include <iostream>
#include <string>

static int failed = 0;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      std::cout << "does not hold: " << #condition << std::endl;      \
      failed = 1;                                                     \
    }                                                                 \
  } while (0)

static void check(Graph::Mirror_ptr mirror) {
  Graph::Node_var one = new OBV_Graph::Node();
  one->number(1);
  one->next(nullptr);
  Graph::Node_var two = new OBV_Graph::Node();
  two->number(2);
  two->next(one);
  CHECK(mirror->are_one(one, one));
  CHECK(!mirror->are_one(one, two));
  CHECK(mirror->are_one(nullptr, nullptr));

  Graph::Leaf_var leaf = new OBV_Graph::Leaf();
  leaf->number(9);
  leaf->title("leaf");
  leaf->next(one);
  leaf->extra(one);
  Graph::Node_var copy;
  Graph::Node_var second = mirror->echo(leaf, two, copy.out());
  Graph::Leaf* back = Graph::Leaf::_downcast(copy);
  CHECK(back != nullptr);
  CHECK(back && back->next() == back->extra() && back->next() == second->next());
  CHECK(back && std::string(back->title()) == "leaf");
  CHECK(second->number() == 2 && second->next()->number() == 1);

  Graph::Leaf_var circle = mirror->make(2);
  CHECK(circle->next()->next() == circle.in());
  CHECK(circle->extra() == circle->next());
  CHECK(std::string(circle->title()) == "made");

  Graph::Text_var text = new Graph::Text("text");
  CORBA::Boolean are_one = false;
  Graph::Text_var echoed = mirror->echo_text(text, text, are_one);
  CHECK(are_one && std::string(echoed->_value()) == "text");
}

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  orb->register_value_factory("IDL:Graph/Node:1.0", new Graph::Node_init());
  orb->register_value_factory("IDL:Graph/Leaf:1.0", new Graph::Leaf_init());
  try {
    CORBA::Object_var object = orb->string_to_object(argv[1]);
    Graph::Mirror_var mirror = Graph::Mirror::_narrow(object);
    check(mirror);
  } catch (const CORBA::SystemException& error) {
    const char* minor = error.NP_minorString();
    std::cout << error._name() << " " << (minor ? minor : "") << std::endl;
    failed = 1;
  }
  return failed;
}
