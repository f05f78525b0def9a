// Clients of an event channel, over the stubs that omniidl makes of the Event Service's IDL:
//
//   client all CHANNEL COUNT      every kind of supplier and consumer, and what is refused
//   client supply CHANNEL COUNT   pushes 1 to COUNT
//   client consume CHANNEL COUNT  says "ready", pulls until it has 1 to COUNT in order

#include "CosEventChannelAdmin.hh"
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

using namespace CosEventChannelAdmin;

static void fail(const std::string &what) {
  std::cerr << "failed: " << what << std::endl;
  std::exit(1);
}

static void require(bool holds, const std::string &what) {
  if (!holds)
    fail(what);
}

static CORBA::Any of(CORBA::Long number) {
  CORBA::Any any;
  any <<= number;
  return any;
}

static CORBA::Long number_in(const CORBA::Any &any) {
  CORBA::Long number = 0;
  require(any >>= number, "an event is a long");
  return number;
}

// Takes what a channel pushes.
class Consumer : public POA_CosEventComm::PushConsumer {
public:
  void push(const CORBA::Any &data) override {
    std::lock_guard<std::mutex> lock(mutex);
    numbers.push_back(number_in(data));
    came.notify_all();
  }

  void disconnect_push_consumer() override {
    std::lock_guard<std::mutex> lock(mutex);
    disconnected = true;
    came.notify_all();
  }

  // Waits for `from` to `to`, in order.
  void await(CORBA::Long from, CORBA::Long to, const std::string &what) {
    std::unique_lock<std::mutex> lock(mutex);
    for (CORBA::Long expected = from; expected <= to; expected++) {
      bool in_time = came.wait_for(lock, std::chrono::seconds(20), [&] { return !numbers.empty(); });
      require(in_time, what + ": " + std::to_string(expected) + " did not come");
      require(numbers.front() == expected, what + ": out of order");
      numbers.pop_front();
    }
  }

  void await_end() {
    std::unique_lock<std::mutex> lock(mutex);
    bool told = came.wait_for(lock, std::chrono::seconds(20), [&] { return disconnected; });
    require(told, "the consumer is told of the end");
  }

private:
  std::mutex mutex;
  std::condition_variable came;
  std::deque<CORBA::Long> numbers;
  bool disconnected = false;
};

// Has events for a channel that asks.
class Supplier : public POA_CosEventComm::PullSupplier {
public:
  Supplier(CORBA::Long first, CORBA::Long last) : next(first), last(last) {}

  CORBA::Any *pull() override {
    CORBA::Boolean has = false;
    CORBA::Any *event = try_pull(has);
    if (!has)
      throw CORBA::TRANSIENT();
    return event;
  }

  CORBA::Any *try_pull(CORBA::Boolean &has_event) override {
    std::lock_guard<std::mutex> lock(mutex);
    has_event = next <= last;
    return new CORBA::Any(has_event ? of(next++) : CORBA::Any());
  }

  void disconnect_pull_supplier() override {}

private:
  std::mutex mutex;
  CORBA::Long next;
  CORBA::Long last;
};

// The next event of a proxy, within some seconds.
static CORBA::Long pull_next(ProxyPullSupplier_ptr proxy) {
  for (int attempt = 0; attempt < 20; attempt++) {
    try {
      CORBA::Any_var event = proxy->pull();
      return number_in(event.in());
    } catch (const CORBA::TRANSIENT &) {
      // Nothing came while the channel waited.
    }
  }
  fail("no event to pull");
  return 0;
}

static void all(PortableServer::POA_ptr poa, EventChannel_ptr channel, CORBA::Long count) {
  ConsumerAdmin_var consumers = channel->for_consumers();
  SupplierAdmin_var suppliers = channel->for_suppliers();

  PortableServer::Servant_var<Consumer> consumer = new Consumer;
  PortableServer::ObjectId_var id = poa->activate_object(consumer.in());
  CosEventComm::PushConsumer_var own = consumer->_this();
  ProxyPushSupplier_var pushing = consumers->obtain_push_supplier();
  try {
    pushing->connect_push_consumer(CosEventComm::PushConsumer::_nil());
    fail("a nil consumer was taken");
  } catch (const CORBA::BAD_PARAM &) {
  }
  pushing->connect_push_consumer(own);
  try {
    pushing->connect_push_consumer(own);
    fail("a second consumer was taken");
  } catch (const AlreadyConnected &) {
  }

  ProxyPullSupplier_var pulling = consumers->obtain_pull_supplier();
  pulling->connect_pull_consumer(CosEventComm::PullConsumer::_nil());
  CORBA::Boolean has = true;
  CORBA::Any_var nothing = pulling->try_pull(has);
  require(!has, "there is nothing to pull yet");

  ProxyPushConsumer_var push_to = suppliers->obtain_push_consumer();
  push_to->connect_push_supplier(CosEventComm::PushSupplier::_nil());
  for (CORBA::Long number = 1; number <= count; number++)
    push_to->push(of(number));
  consumer->await(1, count, "pushed");
  for (CORBA::Long number = 1; number <= count; number++)
    require(pull_next(pulling) == number, "pulled out of order");
  std::cout << "push supplier, push consumer and pull consumer: " << count << " events" << std::endl;

  PortableServer::Servant_var<Supplier> supplier = new Supplier(count + 1, 2 * count);
  PortableServer::ObjectId_var supplying = poa->activate_object(supplier.in());
  CosEventComm::PullSupplier_var asked = supplier->_this();
  ProxyPullConsumer_var pull_from = suppliers->obtain_pull_consumer();
  pull_from->connect_pull_supplier(asked);
  consumer->await(count + 1, 2 * count, "pulled by the channel");
  pull_from->disconnect_pull_consumer();
  std::cout << "pull supplier: " << count << " events" << std::endl;

  push_to->disconnect_push_consumer();
  try {
    push_to->push(of(0));
    fail("a disconnected supplier was heard");
  } catch (const CosEventComm::Disconnected &) {
  } catch (const CORBA::OBJECT_NOT_EXIST &) {
  }
  pulling->disconnect_pull_supplier();
  pushing->disconnect_push_supplier();
  consumer->await_end();
  poa->deactivate_object(id);
  poa->deactivate_object(supplying);
  std::cout << "all are disconnected" << std::endl;
}

static void supply(EventChannel_ptr channel, CORBA::Long count) {
  SupplierAdmin_var suppliers = channel->for_suppliers();
  ProxyPushConsumer_var proxy = suppliers->obtain_push_consumer();
  proxy->connect_push_supplier(CosEventComm::PushSupplier::_nil());
  for (CORBA::Long number = 1; number <= count; number++)
    proxy->push(of(number));
  proxy->disconnect_push_consumer();
}

static void consume(EventChannel_ptr channel, CORBA::Long count) {
  ConsumerAdmin_var consumers = channel->for_consumers();
  ProxyPullSupplier_var proxy = consumers->obtain_pull_supplier();
  proxy->connect_pull_consumer(CosEventComm::PullConsumer::_nil());
  std::cout << "ready" << std::endl;
  for (CORBA::Long number = 1; number <= count; number++) {
    // A channel of omniEvents lets a pull wait for ever.
    CORBA::Boolean has = false;
    CORBA::Long seen = 0;
    for (int attempt = 0; attempt < 2000 && !has; attempt++) {
      CORBA::Any_var event = proxy->try_pull(has);
      if (has)
        seen = number_in(event.in());
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    require(has, std::to_string(number) + " did not come");
    require(seen == number, "out of order");
  }
  proxy->disconnect_pull_supplier();
  std::cout << "consumed " << count << std::endl;
}

int main(int argc, char **argv) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    if (argc != 4)
      fail("usage: client all|supply|consume CHANNEL COUNT");
    CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    CORBA::Object_var object = orb->string_to_object(argv[2]);
    EventChannel_var channel = EventChannel::_narrow(object);
    require(!CORBA::is_nil(channel), "it is an event channel");
    std::string mode = argv[1];
    CORBA::Long count = std::atoi(argv[3]);
    if (mode == "all")
      all(poa, channel, count);
    else if (mode == "supply")
      supply(channel, count);
    else
      consume(channel, count);
    orb->destroy();
  } catch (const CORBA::Exception &exception) {
    fail(std::string("exception ") + exception._name());
  }
}
