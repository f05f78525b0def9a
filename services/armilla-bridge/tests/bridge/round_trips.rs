//! References that cross and come back, and callbacks both ways.

use crate::from_com::object;
use crate::generated::plant::{Boiler, BoilerRef};
use crate::generated::shop::{ListenerRef, listener};
use crate::site::{Boiler as ComBoiler, Ear, Site, com_client};
use armilla_dcom::automation::Variant;
use armilla_dcom::automation::dispatch::DISPATCH;
use armilla_dcom::server::{Dispatched, Server};
use std::sync::Arc;

fn ear(site: &Site) -> (Arc<std::sync::Mutex<Vec<String>>>, ListenerRef) {
    let ear = Ear::default();
    let heard = ear.0.clone();
    (heard, site.orb.root_poa().activate(listener::tie(ear)).unwrap())
}

#[test]
fn an_object_of_com_calls_back_one_of_corba() {
    let site = Site::new();
    let boiler: BoilerRef = site.com_object("boiler").narrow().unwrap();
    let (heard, listener) = ear(&site);
    boiler.tell(&listener, "the water is warm").unwrap();
    assert_eq!(*heard.lock().unwrap(), ["the water is warm"]);
}

#[test]
fn an_object_of_corba_calls_back_one_of_com() {
    let site = Site::new();
    let (_client, store) = site.view();
    // The client's own server has the object.
    let theirs =
        Server::builder("CLIENT").account("operator", "secret").listen("127.0.0.1:0").unwrap();
    let sink = Arc::new(Dispatched(ComBoiler::default()));
    let pointer = theirs.exports().pointer(sink.clone(), DISPATCH.uuid).unwrap();
    store.call_by_name("listen", &[Variant::Dispatch(Some(pointer))]).unwrap();
    assert_eq!(*sink.0.told.lock().unwrap(), ["you are heard"]);
    // The reference is good beyond the call.
    let kept = site.store.listener.lock().unwrap().clone().unwrap();
    crate::generated::shop::Listener::told(&kept, "again").unwrap();
    assert_eq!(*sink.0.told.lock().unwrap(), ["you are heard", "again"]);
    assert_eq!(site.bridge.counts().references, 3);
}

#[test]
fn a_reference_of_corba_comes_back_unwrapped() {
    let site = Site::new();
    let (client, store) = site.view();
    let part = store.call_by_name("part", &[]).unwrap();
    // While it is held, the view lives that the reference names.
    let held = object(&client, &part);
    assert_eq!(held.get("value").unwrap(), Variant::I4(7));
    assert_eq!(store.call_by_name("is_part", &[part]).unwrap(), Variant::Bool(true));
    // Through a program of COM that keeps it for a while.
    let boiler: BoilerRef = site.com_object("boiler").narrow().unwrap();
    let (_heard, listener) = ear(&site);
    let back = boiler.keep(&listener).unwrap();
    assert_eq!(back.object(), listener.object());
    assert_eq!(site.bridge.counts().unwrapped, 2);
}

#[test]
fn a_reference_of_com_comes_back_unwrapped() {
    let site = Site::new();
    let (_client, store) = site.view();
    let pointer = site.plant.exports().pointer(site.boiler.clone(), DISPATCH.uuid).unwrap();
    let sent = pointer.reference().unwrap();
    let value = Variant::Dispatch(Some(pointer));
    let back = store.call_by_name("echo", &[value]).unwrap();
    let Variant::Dispatch(Some(back)) = back else { panic!("{back:?}") };
    let back = com_client().unmarshal(&back.reference().unwrap()).unwrap();
    let sent = com_client().unmarshal(&sent).unwrap();
    // The same object of the same exporter: not a view of a view.
    assert_eq!(back.oid(), sent.oid());
    assert_eq!(back.call_by_name("add", &[1.into(), 2.into()]).unwrap(), Variant::I4(3));
}

#[test]
fn references_to_objects_of_com_are_bounded() {
    let site = Site::with(|options| options.most = Some(3));
    let (_client, store) = site.view();
    let theirs =
        Server::builder("CLIENT").account("operator", "secret").listen("127.0.0.1:0").unwrap();
    for _ in 0..10 {
        let sink = Arc::new(Dispatched(ComBoiler::default()));
        let pointer = theirs.exports().pointer(sink, DISPATCH.uuid).unwrap();
        store.call_by_name("listen", &[Variant::Dispatch(Some(pointer))]).unwrap();
    }
    // Two have names.
    assert_eq!(site.bridge.counts().references, 2 + 3);
    let kept = site.store.listener.lock().unwrap().clone().unwrap();
    crate::generated::shop::Listener::told(&kept, "the last one is there").unwrap();
}

#[test]
fn references_without_a_call_are_forgotten() {
    let site = Site::with(|options| options.idle = Some(std::time::Duration::ZERO));
    let (_client, store) = site.view();
    let theirs =
        Server::builder("CLIENT").account("operator", "secret").listen("127.0.0.1:0").unwrap();
    let sink = Arc::new(Dispatched(ComBoiler::default()));
    let pointer = theirs.exports().pointer(sink, DISPATCH.uuid).unwrap();
    store.call_by_name("listen", &[Variant::Dispatch(Some(pointer))]).unwrap();
    site.bridge.expire();
    assert_eq!(site.bridge.counts().references, 2);
    let kept = site.store.listener.lock().unwrap().clone().unwrap();
    let gone = crate::generated::shop::Listener::told(&kept, "nobody").unwrap_err();
    assert_eq!(gone.kind(), armilla::ExceptionKind::ObjectNotExist);
}
