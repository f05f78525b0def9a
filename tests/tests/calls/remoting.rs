//! Remoting hooks for single objects: a component of the reference selects the stub, transparently
//! for callers.

use armilla::remoting::{Dispatched, ServerCall, Skeleton};
use armilla::{AnyServant, Error, ExceptionKind, ObjectId, Orb, SystemException, Version};
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const NOTED: u32 = 0x4558_0101;
const OTHER: u32 = 0x4558_0102;

type Notes = Arc<Mutex<Vec<String>>>;

/// Stands before an object, notes what is called, and adds to names what the component says.
struct Noting {
    mark: String,
    plain: NamedRef,
    notes: Notes,
}

impl Noting {
    fn register(orb: &Orb, component: u32) -> Notes {
        let notes = Notes::default();
        let kept = notes.clone();
        orb.register_stub_factory(component, move |data: &[u8], plain: NamedRef| {
            let mark = String::from_utf8(data.to_vec()).ok()?;
            kept.lock().unwrap().push(format!("{mark} made"));
            Some(Arc::new(Self { mark, plain, notes: kept.clone() }))
        });
        notes
    }
}

impl Common for Noting {
    fn ping(&self) -> Result<(), SystemException> {
        self.notes.lock().unwrap().push(format!("{} pinged", self.mark));
        self.plain.ping()
    }
}

impl Named for Noting {
    fn name(&self) -> Result<String, SystemException> {
        Ok(format!("{}{}", self.plain.name()?, self.mark))
    }

    fn set_name(&self, name: &str) -> Result<(), SystemException> {
        self.plain.set_name(name)
    }
}

/// A reference to the server's object that carries these components.
fn carrying(server: &Server, components: &[(u32, &str)]) -> NamedRef {
    server.local.set_name("probe").unwrap();
    let plain: NamedRef = server.local.upcast();
    components
        .iter()
        .fold(plain, |reference, (id, data)| reference.with_component(*id, *data).unwrap())
}

#[test]
fn what_a_component_names_stands_before_the_object() {
    let server = Server::start();
    let client = orbs::client();
    let reference = carrying(&server, &[(NOTED, "!")]);
    let before: NamedRef = travel(&reference, &client);
    let notes = Noting::register(&client, NOTED);
    assert_eq!(before.name().unwrap(), "probe", "this reference was there before the factory");

    let far = travel(&reference, &client);
    assert_eq!(far.name().unwrap(), "probe!");
    far.clone().ping().unwrap();
    far.ping().unwrap();
    assert_eq!(*notes.lock().unwrap(), ["! made", "! pinged", "! pinged"]);
    assert_eq!(far.object().component(NOTED).as_deref(), Some(&b"!"[..]));
    assert_eq!(far.object().component(OTHER), None);

    assert_eq!(travel(&carrying(&server, &[]), &client).name().unwrap(), "probe");
    assert_eq!(travel(&carrying(&server, &[(OTHER, "?")]), &client).name().unwrap(), "probe");
    let unreadable = server.local.upcast::<dyn Named>().with_component(NOTED, [0xff]).unwrap();
    assert_eq!(travel(&unreadable, &client).name().unwrap(), "probe", "the factory declined");
}

#[test]
fn several_stand_before_each_other_in_the_order_of_the_components() {
    let server = Server::start();
    let client = orbs::client();
    Noting::register(&client, NOTED);
    Noting::register(&client, OTHER);
    let reference = carrying(&server, &[(OTHER, "1"), (NOTED, "2")]);
    assert_eq!(travel(&reference, &client).name().unwrap(), "probe12");
}

#[test]
fn only_the_interface_of_the_factory_is_answered() {
    let server = Server::start();
    let client = orbs::client();
    let notes = Noting::register(&client, NOTED);
    let far = travel(&carrying(&server, &[(NOTED, "!")]), &client);
    let common: CommonRef = far.upcast();
    common.ping().unwrap();
    let everything: EverythingRef = far.object().narrow().unwrap();
    assert_eq!(everything.name().unwrap(), "probe");
    let again: NamedRef = everything.upcast();
    assert_eq!(again.name().unwrap(), "probe!");
    assert_eq!(*notes.lock().unwrap(), ["! made", "! made"]);
}

#[test]
fn policies_of_a_proxy_apply_to_its_calls() {
    let server = Server::start();
    let client = orbs::client();
    Noting::register(&client, NOTED);
    let far = travel(&carrying(&server, &[(NOTED, "!")]), &client);
    let hurried = far.with_timeout(Duration::from_nanos(1));
    assert_eq!(hurried.name().unwrap_err().kind(), ExceptionKind::Timeout);
    assert_eq!(far.name().unwrap(), "probe!");
}

/// Calls what stands behind it with a limit of its own.
struct Hurrying {
    mark: &'static str,
    plain: NamedRef,
}

impl Hurrying {
    fn behind(&self) -> NamedRef {
        self.plain.with_timeout(PATIENCE)
    }
}

impl Common for Hurrying {
    fn ping(&self) -> Result<(), SystemException> {
        self.behind().ping()
    }
}

impl Named for Hurrying {
    fn name(&self) -> Result<String, SystemException> {
        Ok(format!("{}{}", self.behind().name()?, self.mark))
    }

    fn set_name(&self, name: &str) -> Result<(), SystemException> {
        self.behind().set_name(name)
    }
}

#[test]
fn what_a_factory_is_given_never_leads_back_to_what_it_makes() {
    let server = Server::start();
    let client = orbs::client();
    Noting::register(&client, NOTED);
    client.register_stub_factory(OTHER, |_: &[u8], plain: NamedRef| -> Option<Arc<dyn Named>> {
        Some(Arc::new(Hurrying { mark: "2", plain: plain.with_timeout(PATIENCE) }))
    });
    let both = carrying(&server, &[(NOTED, "1"), (OTHER, "")]);
    assert_eq!(travel(&both, &client).name().unwrap(), "probe12");

    // What it narrows is as what it is given.
    client.register_stub_factory(OTHER, |_: &[u8], plain: NamedRef| -> Option<Arc<dyn Named>> {
        let plain = plain.object().narrow().ok()?;
        Some(Arc::new(Hurrying { mark: "2", plain }))
    });
    assert_eq!(travel(&both, &client).name().unwrap(), "probe12");
}

#[test]
fn something_may_stand_before_all_objects_with_an_interface() {
    let server = Server::start();
    let client = orbs::client();
    let kept: Arc<Mutex<Vec<NamedRef>>> = Arc::default();
    let made = kept.clone();
    client.register_stub_factory_for_all(move |plain: NamedRef| -> Option<Arc<dyn Named>> {
        made.lock().unwrap().push(plain.clone());
        Some(Arc::new(Hurrying { mark: "*", plain: plain.object().narrow().ok()? }))
    });
    let plain = carrying(&server, &[]);
    let far = travel(&plain, &client);
    assert_eq!(far.name().unwrap(), "probe*");
    assert_eq!(far.with_timeout(PATIENCE).name().unwrap(), "probe*");
    assert_eq!(kept.lock().unwrap().remove(0).name().unwrap(), "probe", "what it stands before");
    assert_eq!(
        travel(&plain, &client).object().narrow::<dyn Everything>().unwrap().name().unwrap(),
        "probe"
    );
    // Before it stands what components name.
    Noting::register(&client, NOTED);
    assert_eq!(travel(&carrying(&server, &[(NOTED, "!")]), &client).name().unwrap(), "probe*!");
    client.register_stub_factory_for_all(|_: NamedRef| -> Option<Arc<dyn Named>> { None });
    assert_eq!(travel(&carrying(&server, &[(NOTED, "!")]), &client).name().unwrap(), "probe!");
    assert_eq!(travel(&plain, &client).name().unwrap(), "probe");
}

#[test]
fn a_reference_with_one_more_component_keeps_its_policies() {
    let server = Server::start();
    let far = server.remote(&orbs::client()).with_timeout(Duration::from_millis(50));
    let more = far.with_component(NOTED, "!").unwrap();
    assert_eq!(more.object().client_policies(), far.object().client_policies());
}

#[test]
fn calls_of_an_object_in_the_process_go_to_its_servant() {
    let server = Server::start();
    let notes = Noting::register(&server.orb, NOTED);
    let near = carrying(&server, &[(NOTED, "!")]);
    near.ping().unwrap();
    assert_eq!(near.name().unwrap(), "probe");
    assert!(notes.lock().unwrap().is_empty());
}

#[test]
fn references_without_room_for_components_take_none() {
    let server = Server::of(
        orbs::builder()
            .max_giop(Version::V1_0)
            .listen("iiop://127.0.0.1:0")
            .unwrap()
            .build()
            .unwrap(),
    );
    let error = server.local.with_component(NOTED, "!").unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::BadParam);
    let error = NamedRef::nil().with_component(NOTED, "!").unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::InvObjref);
}

/// Serves one operation that the IDL does not have, and notes all others.
struct Before(Notes);

impl Skeleton for Before {
    fn dispatch(&self, call: &mut ServerCall<'_>, servant: &AnyServant) -> Dispatched {
        match call.operation().as_str() {
            "double" => {
                let given = call.arguments().u32()?;
                call.reply(Ok::<_, SystemException>(given * 2), |result, out| {
                    out.put_u32(*result);
                    Ok(())
                })
            }
            "forget" => Ok(()),
            operation => {
                self.0.lock().unwrap().push(operation.to_owned());
                servant.dispatch(call)
            }
        }
    }
}

#[test]
fn a_skeleton_stands_before_the_generated_one() {
    let server = Server::start();
    let client = orbs::client();
    let notes = Notes::default();
    let servant = || AnyServant::from(everything::tie(Probe::default()));
    let poa = server.root_poa().create_poa("extended").user_ids().build().unwrap();
    let id = ObjectId::from("one");
    let object =
        poa.activate_servant_with_id(id.clone(), servant().with_skeleton(Before(notes.clone())));
    let far = travel(&object.unwrap().assume::<dyn Everything>(), &client);
    let doubled = far.invoke(
        "double",
        |out| {
            out.put_u32(21);
            Ok(())
        },
        |input| input.u32(),
    );
    assert_eq!(doubled.unwrap(), 42);
    far.set_name("served by the generated skeleton").unwrap();
    assert_eq!(far.name().unwrap(), "served by the generated skeleton");
    assert_eq!(*notes.lock().unwrap(), ["_set_name", "_get_name"]);
    let short = far.invoke("double", |_| Ok(()), |input| input.u32());
    assert_eq!(short.unwrap_err().kind(), ExceptionKind::Marshal);
    assert!(poa.id_to_servant(&id).unwrap().downcast::<dyn Everything>().is_some());

    let plain = server.root_poa().activate_servant(servant()).unwrap();
    let plain = travel(&plain.assume::<dyn Everything>(), &client);
    let unknown = plain.invoke("double", |_| Ok(()), |input| input.u32());
    assert_eq!(unknown.unwrap_err().kind(), ExceptionKind::BadOperation);
}

#[test]
fn a_skeleton_without_a_reply_is_no_response() {
    let server = Server::start();
    let servant = AnyServant::from(everything::tie(Probe::default()));
    let near = server.root_poa().activate_servant(servant.with_skeleton(Before(Notes::default())));
    let near = near.unwrap();
    for object in [orbs::travel_object(&near, &orbs::client()), near] {
        match object.request("forget").invoke() {
            Err(Error::System(exception)) => {
                assert_eq!(exception.kind(), ExceptionKind::NoResponse);
            }
            other => panic!("{other:?}"),
        }
        object.request("forget").send_oneway().unwrap();
        object.request("ping").invoke().unwrap();
    }
}

/// Knows which objects of a default servant there are: what other languages have servants override.
struct Rows(Orb);

impl Skeleton for Rows {
    fn dispatch(&self, call: &mut ServerCall<'_>, servant: &AnyServant) -> Dispatched {
        if call.operation().as_str() != "_non_existent" {
            return servant.dispatch(call);
        }
        let current = self.0.poa_current().map_err(SystemException::from)?;
        let is_gone = current.object_id() != &ObjectId::from("here");
        call.reply(Ok::<_, SystemException>(is_gone), |is_gone, out| {
            out.put_bool(*is_gone);
            Ok(())
        })
    }
}

#[test]
fn a_servant_may_say_itself_whether_an_object_exists() {
    let server = Server::start();
    let servant = AnyServant::from(everything::tie(Probe::default()));
    let servant = servant.with_skeleton(Rows(server.orb.clone()));
    let poa = server.root_poa().create_poa("rows").user_ids().default_servant(servant);
    let poa = poa.build().unwrap();
    for (id, is_gone) in [("here", false), ("gone", true)] {
        let near: EverythingRef = poa.create_reference_with_id(id).unwrap();
        for object in [near.clone(), travel(&near, &orbs::client())] {
            assert_eq!(object.object().non_existent(), Ok(is_gone));
            object.ping().unwrap();
        }
    }
}
