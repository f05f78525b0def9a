//! A service of channels: its factory, who may use it, and what outlives its process.

use crate::common;
use admin::{
    ConsumerAdmin as _, EventChannel as _, ProxyPullSupplier as _, ProxyPushConsumer as _,
    ProxyPushSupplier as _, SupplierAdmin as _,
};
use armilla::{Any, Error, ExceptionKind, Orb, TypeCode};
use armilla_events::corba::factory::channel_factory::CreateChannelRaises;
use armilla_events::corba::factory::{ChannelFactory as _, ChannelFactoryRef, ChannelQos};
use armilla_events::corba::life_cycle::{GenericFactory as _, Key, Nvp};
use armilla_events::corba::naming::NameComponent;
use armilla_events::corba::{
    Event, EventChannel as _, EventChannelRef, ProxyPushConsumerRef, PushConsumer as _, admin, comm,
};
use armilla_events::server::Server;
use armilla_events::{ChannelLimits, ConsumerOptions, Store, Subscription};
use armilla_store::faults::{Fault, Faults};
use comm::{PullSupplier as _, PushConsumer as _};
use common::{next, remote_consumer, server, until};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;

/// A directory of the test's own, which goes when the test does.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let name = format!("armilla-events-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::remove_dir_all(&path).ok();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn start(store: Store, endpoint: &str) -> Server {
    let server = Server::builder().store(store).channels(4).start(|orb| orb.listen(endpoint));
    let server = server.unwrap();
    server.orb().perform_work().unwrap();
    server
}

/// A service with this store, at an address that it keeps.
fn stored(directory: &Path, endpoint: &str) -> Server {
    let mut store = None;
    // The service before may still be writing.
    until("the store is free", || {
        store = Store::open(directory).ok();
        store.is_some()
    });
    start(store.unwrap(), endpoint)
}

fn endpoint(server: &Server) -> String {
    let (host, port) = &server.orb().published_addresses().unwrap()[0];
    format!("iiop://{host}:{port}")
}

/// The factory as another process knows it.
fn factory(server: &Server, client: &Orb) -> ChannelFactoryRef {
    client.resolve(server.url()).unwrap()
}

fn end(server: Server) {
    server.orb().shutdown();
    drop(server);
}

#[test]
fn channels_are_made_found_listed_and_removed() {
    let server_ = start(Store::in_memory(), "iiop://127.0.0.1:0");
    let (client, _) = server();
    let factory = factory(&server_, &client);
    let qos = ChannelQos { queue_length: 3, ..ChannelQos::default() };
    let made = factory.create_channel("alarms", &qos).unwrap();
    assert!(factory.find_channel("alarms").unwrap().object().is_equivalent(made.object()));
    let again = factory.create_channel("alarms", &qos).unwrap_err();
    assert!(matches!(again, Error::User(CreateChannelRaises::ChannelExists(_))), "{again:?}");
    for refused in ["EventChannelFactory", "a/b", "a\nb", &"x".repeat(200)] {
        let error = factory.create_channel(refused, &qos).unwrap_err();
        assert!(matches!(error, Error::User(CreateChannelRaises::Refused(_))), "{error:?}");
    }
    factory.create_channel("", &qos).unwrap();
    let listed = factory.list_channels().unwrap();
    let names: Vec<_> = listed.iter().map(|info| &*info.name).collect();
    assert_eq!(names, ["alarms", "channel-1"]);
    assert_eq!(listed[0].qos, qos);
    // Plain clients find a channel by its name.
    let (host, port) = &server_.orb().published_addresses().unwrap()[0];
    let url = format!("corbaloc::{host}:{port}/alarms");
    let plain: admin::EventChannelRef = client.string_to_object(&url).unwrap().narrow().unwrap();
    let pulls = plain.for_consumers().unwrap().obtain_pull_supplier().unwrap();
    (0..5).for_each(|number| push(&made, number));
    let consumers = factory.list_consumers("alarms").unwrap();
    assert!(consumers[0].pulls && consumers[0].statistics.discarded == 2, "{consumers:?}");
    assert_eq!(pulls.try_pull().unwrap().0.get::<i32>().unwrap(), Some(2));
    // The limit of the service.
    factory.create_channel("c", &qos).unwrap();
    factory.create_channel("d", &qos).unwrap();
    let text = format!("{:?}", factory.create_channel("e", &qos).unwrap_err());
    assert!(text.contains("4 channels"), "{text}");
    factory.remove_channel("d").unwrap();
    // A channel that is destroyed is forgotten.
    made.destroy().unwrap();
    assert!(factory.find_channel("alarms").is_err());
    assert!(factory.remove_channel("alarms").is_err());
    assert!(made.object().non_existent().unwrap());
    client.shutdown();
    end(server_);
}

/// Pushes a number by a plain supplier.
fn push(channel: &EventChannelRef, number: i32) {
    let plain: admin::EventChannelRef = channel.clone().upcast();
    let proxy = plain.for_suppliers().unwrap().obtain_push_consumer().unwrap();
    proxy.push(&Any::new(&number).unwrap()).unwrap();
    comm::PushConsumer::disconnect_push_consumer(&proxy).unwrap();
}

#[test]
fn the_factory_is_that_of_omni_events() {
    let server_ = start(Store::in_memory(), "iiop://127.0.0.1:0");
    let (client, _) = server();
    let factory = factory(&server_, &client);
    for id in [
        "IDL:omni/omniEvents/EventChannelFactory:1.0",
        "IDL:EventChannelAdmin/EventChannelFactory:1.0",
        "IDL:omg.org/CosLifeCycle/GenericFactory:1.0",
    ] {
        assert!(factory.object().is_a(id).unwrap(), "{id}");
    }
    let key = object_key;
    assert!(factory.supports(&key("EventChannel")).unwrap());
    assert!(!factory.supports(&key("Printer")).unwrap());
    let text = |name: &str, value: &str| Nvp { name: name.into(), value: Any::new(value).unwrap() };
    let number = |name: &str, value: u32| Nvp {
        name: name.into(),
        value: Any::with_type(TypeCode::ULong, &value).unwrap(),
    };
    let criteria =
        [text("InsName", "foo"), number("MaxQueueLength", 7), number("CyclePeriod_ns", 1)];
    let made = factory.create_object(&key("EventChannel"), &criteria).unwrap();
    assert!(made.is_a("IDL:omg.org/CosEventChannelAdmin/EventChannel:1.0").unwrap());
    assert_eq!(factory.list_channels().unwrap()[0].qos.queue_length, 7);
    factory.create_object(&key("EventChannel"), &[]).unwrap();
    assert_eq!(factory.list_channels().unwrap().len(), 2);
    for (refused, why) in [
        (vec![text("FilterId", "IDL:X:1.0")], "CannotMeetCriteria"),
        (vec![text("MaxQueueLength", "many")], "InvalidCriteria"),
        (vec![text("Colour", "blue")], "InvalidCriteria"),
        (criteria.to_vec(), "CannotMeetCriteria"),
    ] {
        let error = factory.create_object(&key("EventChannel"), &refused).unwrap_err();
        assert!(format!("{error:?}").contains(why), "{error:?}");
    }
    assert!(factory.create_object(&key("Printer"), &[]).is_err());
    client.shutdown();
    end(server_);
}

fn object_key(id: &str) -> Key {
    vec![NameComponent { id: id.to_owned(), kind: "object interface".to_owned() }]
}

#[test]
fn clients_of_every_kind_are_connected_again_after_a_restart() {
    let directory = Directory::new("restart");
    let first = stored(&directory.0, "iiop://127.0.0.1:0");
    let endpoint = endpoint(&first);
    let (client, _) = server();
    let factory_ = factory(&first, &client);
    let made = factory_.create_channel("alarms", &ChannelQos::default()).unwrap();
    let (consumer, receive) = remote_consumer(&client);
    let qos = ConsumerOptions::new(Subscription::of_type(20)).queue_length(5).to_qos();
    made.connect_consumer(&consumer, &qos).unwrap();
    let supplier: ProxyPushConsumerRef =
        made.connect_supplier(&comm::PushSupplierRef::nil()).unwrap();
    let plain: admin::EventChannelRef = made.clone().upcast();
    let (send, plainly) = channel();
    let of_plain = client.root_poa().activate(comm::push_consumer::tie(Plain(send))).unwrap();
    let pushed = plain.for_consumers().unwrap().obtain_push_supplier().unwrap();
    pushed.connect_push_consumer(&of_plain).unwrap();
    let pulls = plain.for_consumers().unwrap().obtain_pull_supplier().unwrap();
    pulls.connect_pull_consumer(&comm::PullConsumerRef::nil()).unwrap();
    let pushes = plain.for_suppliers().unwrap().obtain_push_consumer().unwrap();
    pushes.connect_push_supplier(&comm::PushSupplierRef::nil()).unwrap();
    let leaves = plain.for_consumers().unwrap().obtain_pull_supplier().unwrap();
    leaves.connect_pull_consumer(&comm::PullConsumerRef::nil()).unwrap();
    leaves.disconnect_pull_supplier().unwrap();
    end(first);

    let second = stored(&directory.0, &endpoint);
    let statistics = made.statistics().unwrap();
    assert_eq!((statistics.consumers, statistics.suppliers), (3, 2));
    supplier.push(&[Event::signal(1, 20)]).unwrap();
    assert_eq!(next(&receive), [20]);
    pushes.push(&Any::new(&7).unwrap()).unwrap();
    let got = || plainly.recv_timeout(common::PATIENCE).unwrap().get::<i32>().unwrap();
    assert_eq!((got(), got()), (None, Some(7)));
    until("both are pulled", || pulls.try_pull().unwrap().0.get::<i32>().unwrap() == Some(7));
    assert!(leaves.try_pull().is_err());
    // A new proxy is none of before.
    let new = plain.for_consumers().unwrap().obtain_pull_supplier().unwrap();
    assert!(!new.object().is_equivalent(pulls.object()));
    end(second);

    // Whoever is gone meanwhile is noticed as ever; the channel stays.
    client.shutdown();
    let (client, _) = server();
    let third = stored(&directory.0, &endpoint);
    let factory_ = factory(&third, &client);
    let made = factory_.find_channel("alarms").unwrap();
    let supplier = made.connect_supplier(&comm::PushSupplierRef::nil()).unwrap();
    until("the dead are disconnected", || {
        supplier.push(&[Event::signal(1, 20)]).unwrap();
        made.statistics().unwrap().consumers == 1
    });
    factory_.remove_channel("alarms").unwrap();
    end(third);
    let fourth = stored(&directory.0, &endpoint);
    assert!(factory(&fourth, &client).list_channels().unwrap().is_empty());
    client.shutdown();
    end(fourth);
}

/// A plain consumer.
struct Plain(std::sync::mpsc::Sender<Any>);

impl comm::PushConsumer for Plain {
    fn push(&self, data: &Any) -> Result<(), Error<comm::push_consumer::PushRaises>> {
        self.0.send(data.clone()).ok();
        Ok(())
    }

    fn disconnect_push_consumer(&self) -> Result<(), armilla::SystemException> {
        Ok(())
    }
}

#[test]
fn a_store_that_cannot_be_written_refuses_clients_and_is_no_health() {
    let directory = Directory::new("full");
    std::fs::create_dir_all(&directory.0).unwrap();
    let faults = Faults::below(&directory.0).unwrap();
    let server_ = stored(&directory.0, "iiop://127.0.0.1:0");
    let (client, _) = server();
    let factory = factory(&server_, &client);
    let made = factory.create_channel("alarms", &ChannelQos::default()).unwrap();
    server_.check().unwrap();
    for fault in [Fault::Device, Fault::Full] {
        faults.fail(fault, 0, true);
        assert!(factory.create_channel("more", &ChannelQos::default()).is_err(), "{fault:?}");
        let refused = made.connect_supplier(&comm::PushSupplierRef::nil()).unwrap_err();
        assert!(format!("{refused:?}").contains("PERSIST_STORE"), "{refused:?}");
        assert_eq!(made.statistics().unwrap().suppliers, 0);
        until("that is noticed", || server_.check().is_err());
        faults.heal();
        until("it has recovered", || server_.check().is_ok());
    }
    let names: Vec<_> = factory.list_channels().unwrap().into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["alarms"]);
    made.connect_supplier(&comm::PushSupplierRef::nil()).unwrap();
    client.shutdown();
    end(server_);
}

#[test]
fn who_is_no_operator_makes_and_destroys_nothing() {
    let server_ = Server::builder().operator_user(u32::MAX).channel("alarms");
    let server_ = server_.start(|orb| orb.listen("iiop://127.0.0.1:0")).unwrap();
    server_.orb().perform_work().unwrap();
    let (client, _) = server();
    let factory = factory(&server_, &client);
    let channel = factory.find_channel("alarms").unwrap();
    let refused = channel.destroy().unwrap_err();
    assert_eq!(refused.kind(), ExceptionKind::NoPermission, "{refused}");
    let Error::System(refused) = factory.remove_channel("alarms").unwrap_err() else { panic!() };
    assert_eq!(refused.kind(), ExceptionKind::NoPermission);
    assert!(factory.create_channel("b", &ChannelQos::default()).is_err());
    // What plain clients do, anybody may.
    channel.connect_supplier(&comm::PushSupplierRef::nil()).unwrap();
    assert_eq!(channel.statistics().unwrap().suppliers, 1);
    client.shutdown();
    end(server_);
}

#[test]
fn limits_of_the_service_are_those_of_its_channels() {
    let mut limits = ChannelLimits::default();
    limits.suppliers = 1;
    limits.idle_if_full = std::time::Duration::from_secs(600);
    let server_ = Server::builder().limits(limits).channel("alarms");
    let server_ = server_.start(|orb| orb.listen("iiop://127.0.0.1:0")).unwrap();
    server_.orb().perform_work().unwrap();
    let (client, _) = server();
    let channel = factory(&server_, &client).find_channel("alarms").unwrap();
    channel.connect_supplier(&comm::PushSupplierRef::nil()).unwrap();
    let text =
        format!("{:?}", channel.connect_supplier(&comm::PushSupplierRef::nil()).unwrap_err());
    assert!(text.contains("LimitReached"), "{text}");
    client.shutdown();
    end(server_);
}
