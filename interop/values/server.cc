// The omniORB server of values-check. With the argument "older" it does not know leaves.

#include "graph.hh"

#include <cstring>
#include <iostream>

class Mirror : public POA_Graph::Mirror {
public:
  Graph::Node* echo(Graph::Node* a, Graph::Node* b, Graph::Node_out copy) override {
    CORBA::add_ref(a);
    CORBA::add_ref(b);
    copy = a;
    return b;
  }

  Graph::Text* echo_text(Graph::Text* a, Graph::Text* b, CORBA::Boolean_out are_one) override {
    CORBA::add_ref(a);
    are_one = a == b;
    return a;
  }

  CORBA::Boolean are_one(Graph::Node* a, Graph::Node* b) override { return a == b; }

  Graph::Leaf* make(CORBA::Long number) override {
    auto* node = new OBV_Graph::Node();
    node->number(5);
    node->weight(2.5);
    auto* leaf = new OBV_Graph::Leaf();
    leaf->number(number);
    leaf->weight(1.5);
    leaf->title("made");
    leaf->next(node);
    leaf->extra(node);
    if (number == 2) node->next(leaf);
    return leaf;
  }
};

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  orb->register_value_factory("IDL:Graph/Node:1.0", new Graph::Node_init());
  if (argc < 2 || std::strcmp(argv[1], "older") != 0)
    orb->register_value_factory("IDL:Graph/Leaf:1.0", new Graph::Leaf_init());
  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
  auto* servant = new Mirror();
  PortableServer::ObjectId_var id = poa->activate_object(servant);
  Graph::Mirror_var mirror = servant->_this();
  CORBA::String_var text = orb->object_to_string(mirror);
  std::cout << text.in() << std::endl;
  poa->the_POAManager()->activate();
  orb->run();
}
