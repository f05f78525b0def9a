//! Activation, calls, interfaces, references from elsewhere.

use crate::plant::{COUNTED, COUNTED_CLASS, Chain, Counted, client, options, plant, plant_with};
use crate::study::{
    GetMultipleString, GetSingleString, MultipleIn, SingleIn, TEST_SERVER, TEST_SERVER_CLASS,
};
use armilla_dcerpc::ByteOrder;
use armilla_dcerpc::Status;
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcom::client::{Client, ClientOptions, Mechanism};
use armilla_dcom::remote::UNKNOWN;
use armilla_dcom::server::Object;
use armilla_dcom::{DualStringArray, ObjRef, Reference, StringBinding};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

#[test]
fn the_study_gets_its_strings_by_each_mechanism_level_and_order() {
    let plant = plant();
    let ways = [
        (Mechanism::Spnego, AuthLevel::Integrity, ByteOrder::Little),
        (Mechanism::Spnego, AuthLevel::Privacy, ByteOrder::Big),
        (Mechanism::Ntlm, AuthLevel::Privacy, ByteOrder::Little),
    ];
    for (mechanism, level, order) in ways {
        let options = ClientOptions { mechanism, level, order, ..options("secret") };
        let client = Client::new(options).unwrap();
        let (class, iid) = (TEST_SERVER_CLASS, TEST_SERVER.uuid);
        let object = client.activate(&plant.host(), class, iid).unwrap();
        let single = object.call::<GetSingleString>(&SingleIn { index: 7 }).unwrap();
        assert_eq!(single.item.to_text(), format!("{:-<80}", 7));
        let many = MultipleIn { index: 990, count: 100 };
        let many = object.call::<GetMultipleString>(&many).unwrap();
        assert_eq!(many.got, 10);
        assert_eq!(many.items.get().unwrap().0[9].to_text(), format!("{:-<80}", 999));
        let error = object.call::<GetSingleString>(&SingleIn { index: 1_000 }).unwrap_err();
        assert_eq!(error.status(), Some(Status::INVALID_ARGUMENT));
    }
}

#[test]
fn an_object_has_its_interfaces_and_no_others() {
    let (plant, client) = (plant(), client());
    let asked = [COUNTED.uuid, armilla_dcerpc::Uuid::NIL, TEST_SERVER.uuid, UNKNOWN];
    let all = client.activate_all(&plant.host(), COUNTED_CLASS, &asked).unwrap();
    let [counted, none, strings, unknown] = &all[..] else { panic!("four were asked for") };
    assert_eq!(none.as_ref().unwrap_err().status(), Some(Status::NO_INTERFACE));
    let (counted, strings) = (counted.as_ref().unwrap(), strings.as_ref().unwrap());
    assert_eq!(counted.oid(), strings.oid());
    assert_eq!(unknown.as_ref().unwrap().oid(), strings.oid());
    let again = counted.query_interface(TEST_SERVER.uuid).unwrap();
    assert_eq!(again.ipid(), strings.ipid());
    again.call::<GetSingleString>(&SingleIn { index: 0 }).unwrap();
    let error = counted.query_interface(COUNTED_CLASS).unwrap_err();
    assert_eq!(error.status(), Some(Status::NO_INTERFACE));
    // An IPID is called by its own interface only.
    let error = counted.call::<GetSingleString>(&SingleIn { index: 0 });
    assert!(error.is_err());
}

#[test]
fn a_factory_makes_objects() {
    let (plant, client) = (plant(), client());
    let factory = client.class_object(&plant.host(), COUNTED_CLASS).unwrap();
    let one = factory.create_instance(COUNTED.uuid).unwrap();
    let two = factory.create_instance(COUNTED.uuid).unwrap();
    assert_ne!(one.oid(), two.oid());
    assert_eq!(plant.alive(), 2);
    drop((one, two, factory));
    assert!(client.flush(crate::plant::LONG));
    assert_eq!((plant.alive(), plant.server.exports().len()), (0, 0));
}

#[test]
fn calls_of_a_chain_keep_its_name_and_others_do_not() {
    let (plant, client) = (plant(), client());
    let object = plant.counted(&client);
    let chain = || object.call::<Chain>(&()).unwrap().causality;
    assert_ne!(chain(), chain());
    // An object that calls another one within its own call.
    struct Caller(armilla_dcom::client::Proxy);
    impl Object for Caller {
        fn supports(&self, iid: armilla_dcerpc::Uuid) -> bool {
            iid == COUNTED.uuid
        }
        fn call(&self, call: &armilla_dcom::server::ObjectCall<'_>) -> Result<Vec<u8>, Status> {
            let nested = self.0.call::<Chain>(&()).map_err(|_| Status::FAIL)?;
            assert_eq!(nested.causality, call.causality);
            call.answer(&nested)
        }
    }
    let outer = plant.server.exports().export(Arc::new(Caller(object)), COUNTED.uuid).unwrap();
    client.unmarshal(&outer).unwrap().call::<Chain>(&()).unwrap();
}

#[test]
fn a_reference_that_came_by_other_means_is_resolved() {
    let plant = plant_with(|_| {}, |builder| builder.exporter_at("127.0.0.1:0"));
    assert_ne!(plant.server.address(), plant.server.exporter_address());
    let count = Arc::new(AtomicUsize::new(0));
    let object: Arc<dyn Object> = Arc::new(Counted::new(&count));
    let reference = plant.server.exports().export_for_good(object.clone(), COUNTED.uuid).unwrap();
    let octets = reference.encode().unwrap();
    let client = client();
    let proxy = client.unmarshal(&ObjRef::decode(&octets).unwrap()).unwrap();
    proxy.call::<Chain>(&()).unwrap();
    // Given to a third one, with references of its own.
    let third = crate::plant::client();
    let given = proxy.reference_for(&plant.host()).unwrap();
    let theirs = third.unmarshal(&given).unwrap();
    drop(proxy);
    assert!(client.flush(crate::plant::LONG));
    theirs.call::<Chain>(&()).unwrap();
    drop(theirs);
    assert!(third.flush(crate::plant::LONG));
    assert_eq!(plant.server.exports().len(), 1);
    plant.server.exports().withdraw(&object);
    assert!(plant.server.exports().is_empty());
}

#[test]
fn dead_addresses_are_passed_over_and_others_overridden() {
    let plant = plant_with(|options| options.names = vec!["plant.invalid".into()], |it| it);
    // The host by which the object was activated is tried in the end.
    let client = client();
    plant.counted(&client).call::<Chain>(&()).unwrap();
    // What a call gives is reached as the object that gave it.
    let factory = client.class_object(&plant.host(), COUNTED_CLASS).unwrap();
    factory.create_instance(COUNTED.uuid).unwrap().call::<Chain>(&()).unwrap();
    let object = Arc::new(Counted::new(&Arc::new(AtomicUsize::new(0))));
    let mut reference = plant.server.exports().export_for_good(object, COUNTED.uuid).unwrap();
    let error = client_without(&[]).unmarshal(&reference).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("bind IObjectExporter at level integrity"), "{text}");
    assert!(text.contains("plant.invalid") && text.contains("`addresses` of the client"), "{text}");
    let known = client_without(&[("plant.invalid", "127.0.0.1")]);
    known.unmarshal(&reference).unwrap().call::<Chain>(&()).unwrap();
    // A dead resolver before one that lives.
    let Reference::Standard { resolver, .. } = &mut reference.reference else { panic!() };
    let host = plant.host();
    *resolver = DualStringArray {
        strings: vec![StringBinding::tcp("127.0.0.1[1]"), StringBinding::tcp(&host)],
        security: vec![],
    };
    known.unmarshal(&reference).unwrap().call::<Chain>(&()).unwrap();
}

fn client_without(addresses: &[(&str, &str)]) -> Client {
    let addresses = addresses.iter().map(|(from, to)| ((*from).into(), (*to).into())).collect();
    Client::new(ClientOptions { addresses, ..options("secret") }).unwrap()
}

#[test]
fn a_resolver_says_that_it_is_there_without_security() {
    let plant = plant();
    let (version, bindings) = client().server_alive(&plant.host()).unwrap();
    assert_eq!((version.major, version.minor), (5, 7));
    assert_eq!(bindings.strings[0].address, plant.host());
}

#[test]
fn a_host_does_not_speak_for_the_exporter_of_another_one() {
    let (theirs, others, client) = (plant(), plant(), client());
    let object = Arc::new(Counted::new(&Arc::new(AtomicUsize::new(0))));
    let mut reference = theirs.server.exports().export_for_good(object, COUNTED.uuid).unwrap();
    client.unmarshal(&reference).unwrap().call::<Chain>(&()).unwrap();
    // The same names, said to be at another host: it is asked, and knows nothing of them.
    let Reference::Standard { resolver, .. } = &mut reference.reference else { panic!() };
    resolver.strings = vec![StringBinding::tcp(&others.host())];
    let error = client.unmarshal(&reference).unwrap_err();
    assert_eq!(error.status(), Some(Status::UNKNOWN_OXID));
}
