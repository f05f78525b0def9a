//! Calls that are forwarded to objects with real-time policies: by a servant manager of another
//! process, and by the names that a server publishes.

use crate::common;
use armilla::{
    AnyServant, Object, ObjectId, Orb, Poa, SameHost, ServantActivator, ServantManager,
    ServantManagerError,
};
use armilla_rt::{DirectMapping, NativeRange, PriorityModel, RtOrb, RtPolicy, ThreadpoolOptions};
use common::*;
use std::sync::{Arc, Mutex};

const SENSOR: &str = "IDL:Station/Sensor:1.0";

/// A server whose object runs in the lanes 10 and 50, at the priority of its callers.
fn lanes() -> (Orb, SensorRef) {
    let (orb, rt) = server();
    let options = ThreadpoolOptions::with_lanes("two");
    let options = options.lane(priority(10), 1, 0).lane(priority(50), 1, 0);
    let pool = rt.create_threadpool(options).unwrap();
    let builder = rt.poa(orb.root_poa().create_poa("lanes")).threadpool(&pool);
    let propagated = PriorityModel::ClientPropagated(priority(10));
    let poa = builder.priority_model(propagated).build().unwrap();
    let sensor = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    (orb, sensor)
}

fn client() -> (Orb, RtOrb) {
    let orb = Orb::new().unwrap();
    let rt = RtOrb::new(&orb).with_mapping(DirectMapping(NativeRange::FIFO));
    (orb, rt)
}

/// Forwards the clients of all its objects to one that can be replaced.
#[derive(Clone)]
struct Forwarder {
    orb: Orb,
    target: Arc<Mutex<Object>>,
}

impl Forwarder {
    /// The forwarder, and a reference to one of its objects.
    fn new() -> (Self, SensorRef) {
        let (orb, _) = server();
        let this = Self { orb: orb.clone(), target: Arc::new(Mutex::new(Object::nil())) };
        let poa = orb.root_poa().create_poa("moved").user_ids();
        let poa = poa.servant_manager(ServantManager::activator(this.clone())).build().unwrap();
        let object = poa.create_object_with_id(SENSOR, "sensor").unwrap();
        (this, object.assume())
    }

    fn lead_to(&self, server: &Orb, sensor: &SensorRef) {
        *self.target.lock().unwrap() = remote(server, &self.orb, sensor).object().clone();
    }
}

impl ServantActivator for Forwarder {
    fn incarnate(&self, _: &ObjectId, _: &Poa) -> Result<AnyServant, ServantManagerError> {
        Err(ServantManagerError::Forward(self.target.lock().unwrap().clone()))
    }
}

/// The priority and the thread of a call at `number`.
fn call(rt: &RtOrb, number: i16, sensor: &SensorRef) -> (i16, String) {
    at(rt, number, || (sensor.priority().unwrap(), sensor.thread().unwrap()))
}

fn lane(number: i16) -> (i16, String) {
    (number, format!("lane{number}-serve"))
}

#[test]
fn a_forwarded_call_goes_to_the_lane_of_its_priority() {
    let (target, sensor) = lanes();
    let (forwarder, moved) = Forwarder::new();
    forwarder.lead_to(&target, &sensor);
    let (client, rt) = client();
    let distant = remote(&forwarder.orb, &client, &moved);
    for number in [50, 10, 50] {
        assert_eq!(call(&rt, number, &distant), lane(number));
    }
    let error = at(&rt, 30, || distant.ping()).unwrap_err();
    assert!(error.to_string().contains("lanes or bands for 50, 10 only"), "{error}");
    let ordinary = Orb::new().unwrap();
    let distant = remote(&forwarder.orb, &ordinary, &moved);
    assert_eq!(distant.priority().unwrap(), 10, "an ordinary client");
    target.shutdown();
    forwarder.orb.shutdown();
}

#[test]
fn an_asynchronous_call_keeps_the_priority_of_its_thread_when_it_is_forwarded() {
    let (target, sensor) = lanes();
    let (forwarder, moved) = Forwarder::new();
    forwarder.lead_to(&target, &sensor);
    let (client, rt) = client();
    for number in [50, 10] {
        let distant = remote(&forwarder.orb, &client, &moved);
        for turn in ["the first call", "the second call"] {
            let call = at(&rt, number, || distant.priority_async());
            assert_eq!(call.wait().unwrap(), number, "{turn}");
        }
    }
    target.shutdown();
    forwarder.orb.shutdown();
}

#[test]
fn a_call_asks_again_where_its_object_is_when_that_has_ended() {
    let (first, sensor) = lanes();
    let (forwarder, moved) = Forwarder::new();
    forwarder.lead_to(&first, &sensor);
    let (client, rt) = client();
    let [distant, other] = [(); 2].map(|()| remote(&forwarder.orb, &client, &moved));
    assert_eq!(call(&rt, 50, &distant), lane(50));
    assert_eq!(call(&rt, 50, &other), lane(50));
    let (second, sensor) = lanes();
    forwarder.lead_to(&second, &sensor);
    first.shutdown();
    assert_eq!(call(&rt, 50, &distant), lane(50));
    assert_eq!(call(&rt, 10, &distant), lane(10));
    let asynchronous = at(&rt, 50, || other.priority_async());
    assert_eq!(asynchronous.wait().unwrap(), 50, "asynchronously");
    second.shutdown();
    assert!(distant.ping().is_err(), "nobody is there");
    forwarder.orb.shutdown();
}

#[test]
fn a_connection_is_validated_where_the_object_is() {
    let (target, sensor) = lanes();
    let (client, rt) = client();
    let distant = published(&target, &sensor, &client);
    assert!(at(&rt, 50, || rt.validate_connection(distant.object())).unwrap());
    let error = at(&rt, 30, || rt.validate_connection(distant.object())).unwrap_err();
    assert!(error.to_string().contains("lanes or bands for 50, 10 only"), "{error}");
    assert_eq!(call(&rt, 50, &distant), lane(50));
    target.shutdown();
}

/// A reference to an object by the name that its server publishes.
fn published(server: &Orb, sensor: &SensorRef, client: &Orb) -> SensorRef {
    server.publish("Sensor", sensor).unwrap();
    let (host, port) = server.published_addresses().unwrap()[0].clone();
    client.string_to_object(&format!("corbaloc::{host}:{port}/Sensor")).unwrap().assume()
}

#[test]
fn a_published_name_leads_to_the_lanes_of_its_object() {
    let (target, sensor) = lanes();
    let (client, rt) = client();
    let distant = published(&target, &sensor, &client);
    for number in [10, 50] {
        assert_eq!(call(&rt, number, &distant), lane(number));
    }
    target.shutdown();
}

#[test]
fn the_policies_of_a_reference_apply_where_it_is_forwarded() {
    let (target, sensor) = lanes();
    let (forwarder, moved) = Forwarder::new();
    forwarder.lead_to(&target, &sensor);
    // Ports tell the connections apart.
    let client = Orb::builder().settings(|settings| settings.same_host = SameHost::Off);
    let client = client.build().unwrap();
    let rt = RtOrb::new(&client).with_mapping(DirectMapping(NativeRange::FIFO));
    let shared = remote(&forwarder.orb, &client, &moved);
    let private = || {
        let policies = [RtPolicy::PrivateConnection];
        let object = rt.with_policies(shared.object(), policies).unwrap();
        object.assume::<dyn Sensor>()
    };
    let (first, second) = (private(), private());
    let caller = |sensor: &SensorRef| {
        let callers = [(); 2].map(|()| at(&rt, 50, || sensor.caller().unwrap()));
        assert_eq!(callers[0], callers[1], "one connection");
        callers[0].clone()
    };
    let callers = [&shared, &first, &second].map(caller);
    assert!(callers[0] != callers[1] && callers[1] != callers[2] && callers[0] != callers[2]);
    let (number, thread) = call(&rt, 50, &first);
    assert!(number == 50 && thread.starts_with("lane50-"), "{number} {thread}");
    target.shutdown();
    forwarder.orb.shutdown();
}

#[test]
fn a_forward_that_leads_on_ends_in_the_lane_of_the_priority() {
    let (target, sensor) = lanes();
    let ((last, of_last), (first, moved)) = (Forwarder::new(), Forwarder::new());
    last.lead_to(&target, &sensor);
    first.lead_to(&last.orb, &of_last);
    let (client, rt) = client();
    let distant = remote(&first.orb, &client, &moved);
    let object = rt.with_policies(distant.object(), [RtPolicy::PrivateConnection]).unwrap();
    for sensor in [distant, object.assume()] {
        for number in [50, 10, 50] {
            let (priority, thread) = call(&rt, number, &sensor);
            assert_eq!(priority, number);
            assert!(thread.starts_with(&format!("lane{number}-")), "{thread}");
        }
    }
    [target, last.orb, first.orb].iter().for_each(Orb::shutdown);
}
