//! What clients take up that do not behave, and what others notice of it.

use crate::by_name::Source;
use crate::plant::{COUNTED, Chain, Counted, LONG, Plant, client, options, plant, plant_with};
use armilla_dcerpc::client::Call;
use armilla_dcerpc::driver::{self, Connection};
use armilla_dcerpc::ndr::{Operation, Parameters, to_stub};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcerpc::{ByteOrder, Status, Uuid};
use armilla_dcom::automation::dispatch::{
    Advise, AdviseIn, CONNECTION_POINT_CONTAINER, FindConnectionPoint, FindIn,
};
use armilla_dcom::client::{Client, ClientOptions, Proxy};
use armilla_dcom::remote::{
    CountsIn, OBJECT_EXPORTER, Query2In, QueryIn, REM_UNKNOWN_2, ReferenceCount, RemAddRef,
    RemQueryInterface, RemQueryInterface2, ResolveOxid2, ResolveOxidIn,
};
use armilla_dcom::server::{Caller, Object, ObjectCall};
use armilla_dcom::{ConnectionPoint, InterfacePointer, ObjRef, OrpcThis, Reference};
use armilla_dcom::{DualStringArray, StandardReference, StringBinding};
use std::net::TcpListener;
use std::sync::{Arc, Barrier};
use std::time::Duration;

/// An object that panics at its end.
struct Bitter;

impl Object for Bitter {
    fn supports(&self, iid: Uuid) -> bool {
        iid == COUNTED.uuid
    }

    fn call(&self, _: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        Err(Status::OPERATION_OUT_OF_RANGE)
    }
}

impl Drop for Bitter {
    fn drop(&mut self) {
        panic!("as the test wants it");
    }
}

const BITTER_CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d13");

fn bitter_plant() -> Plant {
    let made = |_: &Caller<'_>| Ok(Arc::new(Bitter) as Arc<dyn Object>);
    plant_with(|_| {}, |builder| builder.class(BITTER_CLASS, made))
}

#[test]
fn objects_that_panic_at_their_end_take_nobody_with_them() {
    let (plant, client) = (bitter_plant(), client());
    let bitter = || client.activate(&plant.host(), BITTER_CLASS, COUNTED.uuid).unwrap();
    // Given back together, in one call.
    drop((bitter(), bitter()));
    assert!(client.flush(LONG));
    assert!(plant.server.exports().is_empty());
    let kept = (bitter(), plant.counted(&client), bitter());
    plant.hand.advance(Duration::from_secs(361));
    plant.server.exports().expire();
    assert_eq!((plant.alive(), plant.server.exports().len()), (0, 0));
    drop(kept);
}

#[test]
fn a_ping_set_that_does_not_fit_leaves_nothing() {
    let plant = plant_with(|options| options.limits.max_memberships = 1, |it| it);
    let client = client();
    let (one, two) = (plant.counted(&client), plant.counted(&client));
    for _ in 0..3 {
        assert_eq!(client.ping().unwrap_err().status(), Some(Status::OUT_OF_MEMORY));
        assert_eq!(plant.server.exports().ping_sets(), 0);
    }
    drop(two);
    assert!(client.flush(LONG));
    client.ping().unwrap();
    assert_eq!(plant.server.exports().ping_sets(), 1);
    one.call::<Chain>(&()).unwrap();
}

/// A connection of a client that says what it likes.
struct Raw(Connection);

impl Raw {
    fn new(plant: &Plant) -> Self {
        let mut connection = Connection::connect(plant.server.address(), LONG).unwrap();
        let credentials = Credentials::new("", "operator", "secret");
        let security = (driver::ntlm(credentials), AuthLevel::Integrity);
        let remote = armilla_dcom::remote::syntax(REM_UNKNOWN_2.uuid);
        connection.bind(&[OBJECT_EXPORTER, remote], Some(security)).unwrap();
        Self(connection)
    }

    /// The object that counts references, if the exporter has this name.
    fn resolve(&mut self, oxid: u64) -> Result<Uuid, Status> {
        let given = ResolveOxidIn { oxid, count: 1, protocols: vec![7].into() };
        let found = self.0.call::<ResolveOxid2>(&given).unwrap();
        if found.status == 0 { Ok(found.rem_unknown) } else { Err(Status(found.status)) }
    }

    /// Calls the object that counts references; what it says at the end.
    fn call<O: Operation>(&mut self, object: Uuid, given: &O::In) -> Status {
        let order = ByteOrder::Little;
        let mut stub = to_stub(&OrpcThis::new(Uuid::NIL), order).unwrap();
        stub.extend(given.to_stub(order).unwrap());
        let call = Call { object: Some(object), ..Call::new(REM_UNKNOWN_2, O::OPNUM, &stub) };
        match self.0.call_stub(&call) {
            Ok((_, results)) => {
                let end = results.len() - results.len() % 4;
                let words = results[..end].chunks_exact(4).rev();
                // Padding of the signature may follow.
                let last = words.map(|word| u32::from_le_bytes(word.try_into().unwrap()));
                Status(last.into_iter().find(|word| *word != 0).unwrap_or(0))
            }
            Err(driver::DriverError::Fault(fault)) => fault.status,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn counts_are_bounded_and_guesses_lead_nowhere() {
    let (plant, client) = (plant(), client());
    let object = plant.counted(&client);
    let exports = plant.server.exports();
    let Reference::Standard { standard, .. } = object.reference_for("").unwrap().reference else {
        panic!("another kind of reference")
    };
    let mut raw = Raw::new(&plant);
    assert_eq!(raw.resolve(standard.oxid ^ 1), Err(Status::UNKNOWN_OXID));
    let remote = raw.resolve(standard.oxid).unwrap();
    let before = exports.references();
    let add = |ipid, public| {
        let counts = vec![ReferenceCount { ipid, public, private: 0 }].into();
        CountsIn { count: 1, counts }
    };
    let refused = raw.call::<RemAddRef>(remote, &add(object.ipid(), u32::MAX));
    assert_eq!(refused, Status::INVALID_ARGUMENT);
    assert_eq!(raw.call::<RemAddRef>(remote, &add(Uuid::NIL, 1)), Status::DISCONNECTED);
    assert_eq!(raw.call::<RemAddRef>(Uuid::NIL, &add(object.ipid(), 1)), Status::DISCONNECTED);
    let (ipid, count, iids) = (object.ipid(), 257, vec![COUNTED.uuid; 257]);
    let query = QueryIn { ipid, references: 1, count, iids: iids.clone().into() };
    assert_eq!(raw.call::<RemQueryInterface>(remote, &query), Status::INVALID_ARGUMENT);
    let query = Query2In { ipid, count, iids: iids.into() };
    assert_eq!(raw.call::<RemQueryInterface2>(remote, &query), Status::INVALID_ARGUMENT);
    assert_eq!(exports.references(), before);
    object.call::<Chain>(&()).unwrap();
}

/// An object whose calls wait until the test ends.
struct Deaf(Arc<Barrier>);

impl Object for Deaf {
    fn supports(&self, iid: Uuid) -> bool {
        iid == COUNTED.uuid
    }

    fn call(&self, _: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        self.0.wait();
        Err(Status::FAIL)
    }
}

/// The connection point of a source, and a connection to it for sinks.
fn connected(plant: &Plant, client: &Client, sender: Client) -> (Arc<ConnectionPoint>, Proxy) {
    let point = ConnectionPoint::new(COUNTED.uuid, sender);
    let source = Arc::new(Source(point.clone()));
    let exported = plant.server.exports().export(source, CONNECTION_POINT_CONTAINER.uuid).unwrap();
    let container = client.unmarshal(&exported).unwrap();
    let found = container.call::<FindConnectionPoint>(&FindIn { iid: COUNTED.uuid }).unwrap();
    (point, client.pointer(&found.pointer).unwrap().unwrap())
}

#[test]
fn sinks_that_fall_silent_delay_an_event_together_and_get_no_more() {
    const SILENT: usize = 16;
    let (plant, theirs, client) = (plant(), plant(), client());
    // Long enough for who answers.
    let timeout = Duration::from_secs(2);
    let sender = Client::new(ClientOptions { timeout, ..options("secret") }).unwrap();
    let (point, connection) = connected(&plant, &client, sender);
    let end = Arc::new(Barrier::new(SILENT + 1));
    let advise = |object: Arc<dyn Object>| {
        let exported = theirs.server.exports().export_for_good(object, COUNTED.uuid).unwrap();
        let sink = Some(InterfacePointer::new(&exported).unwrap()).into();
        connection.call::<Advise>(&AdviseIn { sink }).unwrap();
    };
    (0..SILENT).for_each(|_| advise(Arc::new(Deaf(end.clone()))));
    advise(Arc::new(Counted::new(&theirs.objects)));
    let begun = std::time::Instant::now();
    let event = |sink: &Proxy| sink.call::<Chain>(&()).map(drop);
    assert_eq!((point.send(event), point.len()), (1, 1));
    // One after the other they would take longer.
    assert!(begun.elapsed() < timeout * (SILENT as u32 - 4), "{:?}", begun.elapsed());
    assert_eq!(point.send(event), 1);
    end.wait();
}

#[test]
fn a_sink_whose_resolver_is_silent_is_waited_for_in_vain_and_not_long() {
    let (plant, client) = (plant(), client());
    let timeout = Duration::from_millis(300);
    let sender = Client::new(ClientOptions { timeout, ..options("secret") }).unwrap();
    let (point, connection) = connected(&plant, &client, sender);
    // Many hosts that take connections and say nothing.
    let silent: Vec<_> = (0..50).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let binding = |it: &TcpListener| {
        let port = it.local_addr().unwrap().port();
        StringBinding::tcp(&format!("127.0.0.1[{port}]"))
    };
    let strings = silent.iter().map(binding).collect();
    let resolver = DualStringArray { strings, security: Vec::new() };
    let standard =
        StandardReference { flags: 0, public_references: 5, oxid: 1, oid: 2, ipid: COUNTED.uuid };
    let reference =
        ObjRef { iid: COUNTED.uuid, reference: Reference::Standard { standard, resolver } };
    let sink = Some(InterfacePointer::new(&reference).unwrap()).into();
    let object = plant.counted(&client);
    let begun = std::time::Instant::now();
    let refused = connection.call::<Advise>(&AdviseIn { sink }).unwrap_err();
    assert_eq!(refused.status(), Some(Status::CANNOT_CONNECT));
    assert!(begun.elapsed() < 40 * timeout, "{:?}", begun.elapsed());
    assert!(point.is_empty());
    object.call::<Chain>(&()).unwrap();
}
