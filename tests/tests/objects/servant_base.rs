//! Servants that implement the operations of every object, and their implicit activation (CORBA 3.4
//! Part 1, 8.3 and 15.3.1). Remote and collocated.

use armilla::dynamic::{DynamicServant, ServerRequest, serve};
use armilla::{
    AnyServant, Collocation, Completion, Cookie, Current, ExceptionKind, IdUniqueness,
    ImplicitActivation, Lifespan, Minor, Object, ObjectId, OperationLookup, Orb, Poa, PoaError,
    ServantBase, ServantLocator, ServantManager, ServantManagerError, SystemException, Typed,
};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::{Common, Counted, counted};
use armilla_tests::shared::shapes::{AmhNamed, Named, named};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock};

type Result<T = (), E = SystemException> = std::result::Result<T, E>;

const COUNTED: &str = "IDL:armilla.org/Probe/Counted:1.0";
const COMMON: &str = "IDL:armilla.org/Probe/Common:1.0";
const AUDITED: &str = "IDL:armilla.org/Probe/Audited:1.0";
const STRANGER: &str = "IDL:armilla.org/Probe/Stranger:1.0";

/// Counters in a database: these ids are in it. What starts with `audited` is that, too.
struct Ledger(Vec<ObjectId>);

impl Ledger {
    fn with(ids: &[&str]) -> Self {
        Self(ids.iter().map(|id| ObjectId::from(*id)).collect())
    }
}

fn is_audited(current: &Current) -> bool {
    current.object_id().as_bytes().starts_with(b"audited")
}

fn failure(kind: ExceptionKind) -> SystemException {
    SystemException::new(kind, Minor(7), Completion::No)
}

impl ServantBase for Ledger {
    fn non_existent(&self, current: &Current) -> Result<bool> {
        match current.object_id().as_bytes() {
            b"locked" => Err(failure(ExceptionKind::NoPermission)),
            b"cursed" => panic!("as it was told"),
            b"lost" => Err(failure(ExceptionKind::ObjectNotExist)),
            _ => Ok(!self.0.contains(current.object_id())),
        }
    }

    fn is_a(&self, current: &Current, repository_id: &str) -> Result<bool> {
        let declared = current.servant().is_a(current.object_id(), repository_id);
        Ok(declared || repository_id == AUDITED && is_audited(current))
    }

    fn repository_id(&self, current: &Current) -> Result<String> {
        Ok(if is_audited(current) { AUDITED } else { COUNTED }.to_owned())
    }

    fn interface(&self, current: &Current) -> Result<Object> {
        Ok(current.poa().create_object_with_id(STRANGER, "definition")?)
    }

    fn component(&self, current: &Current) -> Result<Object> {
        Ok(current.poa().create_object_with_id(STRANGER, "component")?)
    }
}

impl Common for Ledger {
    fn ping(&self) -> Result {
        Ok(())
    }
}

impl Counted for Ledger {
    fn count(&self) -> Result<i32> {
        Ok(self.0.len() as i32)
    }

    fn increment(&self) -> Result<i32> {
        self.count()
    }

    fn servant_base(&self) -> Option<&dyn ServantBase> {
        Some(self)
    }
}

/// Lends the servant for each request, and notes for which operations.
struct Lender(AnyServant, Arc<Mutex<Vec<String>>>);

impl ServantLocator for Lender {
    fn preinvoke(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        operation: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        self.1.lock().unwrap().push(operation.to_owned());
        Ok((self.0.clone(), Cookie::default()))
    }
}

/// The reference as it is, and as a client elsewhere has it.
fn near_and_far(object: &Object) -> [Object; 2] {
    [object.clone(), orbs::travel_object(object, &orbs::client())]
}

/// Runs a suite for each collocation and for each way in which a POA finds its servant. `prepare`
/// creates the active objects.
fn everywhere(
    servant: impl Fn() -> AnyServant,
    active: &[&str],
    suite: impl Fn(&dyn Fn(&str) -> [Object; 2]),
) {
    for collocation in [Collocation::Direct, Collocation::ThroughPoa, Collocation::Remote] {
        let server = Server::of(orbs::listening_with(|it| it.collocation = collocation));
        let root = server.root_poa();
        let begin = |name: &str| root.create_poa(name).user_ids();
        let locator = ServantManager::locator(Lender(servant(), Arc::default()));
        let defaulting = begin("default").default_servant(servant()).build().unwrap();
        let locating = begin("located").servant_manager(locator).build().unwrap();
        let retaining = begin("active").policy(IdUniqueness::Multiple).build().unwrap();
        let one = servant();
        for id in active {
            retaining.activate_servant_with_id(*id, one.clone()).unwrap();
        }
        for poa in [&defaulting, &locating, &retaining] {
            suite(&|id| near_and_far(&poa.create_object_with_id(COUNTED, id).unwrap()));
        }
    }
}

fn ledger() -> AnyServant {
    AnyServant::from(counted::tie(Ledger::with(&["alice", "audited bob"])))
}

const ACTIVE: &[&str] = &["alice", "audited bob", "closed", "locked", "lost"];

#[test]
fn an_id_that_is_in_no_database_is_no_object() {
    everywhere(ledger, ACTIVE, |object| {
        for (id, exists) in [("alice", true), ("audited bob", true), ("closed", false)] {
            for object in object(id) {
                assert_eq!(object.non_existent(), Ok(!exists), "{id} by {object:?}");
            }
        }
        for object in object("lost") {
            assert_eq!(object.non_existent(), Ok(true), "it raises OBJECT_NOT_EXIST");
        }
        for object in object("locked") {
            let raised = object.non_existent().unwrap_err();
            assert_eq!((raised.kind(), raised.minor()), (ExceptionKind::NoPermission, Minor(7)));
        }
    });
}

#[test]
fn a_servant_says_what_its_objects_are() {
    everywhere(ledger, ACTIVE, |object| {
        for object in object("audited bob") {
            for id in [COUNTED, COMMON, AUDITED, "IDL:omg.org/CORBA/Object:1.0"] {
                assert_eq!(object.is_a(id), Ok(true), "{id} by {object:?}");
            }
            assert_eq!(object.is_a(STRANGER), Ok(false));
            assert_eq!(object.repository_id().unwrap(), AUDITED);
            assert_eq!(object.ior().type_id, COUNTED, "references say what the skeleton is");
        }
        for object in object("alice") {
            assert_eq!(object.is_a(AUDITED), Ok(false), "{object:?}");
            assert_eq!(object.is_a(COMMON), Ok(true));
            assert_eq!(object.repository_id().unwrap(), COUNTED);
            object.narrow::<dyn Common>().unwrap().ping().unwrap();
        }
    });
}

#[test]
fn a_servant_gives_its_interface_and_its_component() {
    everywhere(ledger, ACTIVE, |object| {
        for object in object("alice") {
            assert_eq!(object.interface().unwrap().ior().type_id, STRANGER);
            // Other ORBs use either name.
            for operation in ["_component", "_get_component"] {
                let mut request = object.request(operation);
                request.set_return_type(Object::type_code());
                request.invoke().unwrap();
                let orb = object.orb().unwrap();
                let component =
                    request.return_value().get_with_context::<Object>(&orb).unwrap().unwrap();
                assert_eq!(component.ior().type_id, STRANGER);
            }
        }
    });
}

#[test]
fn it_answers_behind_skeletons_and_however_operations_are_found() {
    let lookups = [OperationLookup::Active, OperationLookup::Hashing, OperationLookup::Linear];
    for lookup in lookups {
        everywhere(
            || ledger().with_operation_lookup(lookup),
            ACTIVE,
            |object| {
                for object in object("closed") {
                    assert_eq!(object.non_existent(), Ok(true), "{lookup:?} by {object:?}");
                }
            },
        );
    }
}

#[test]
fn a_locator_is_called_for_operations_of_every_object() {
    let server = Server::start();
    let log = Arc::default();
    let lender = ServantManager::locator(Lender(ledger(), Arc::clone(&log)));
    let poa = server.root_poa().create_poa("lent").user_ids().servant_manager(lender);
    let object = poa.build().unwrap().create_object_with_id(COUNTED, "alice").unwrap();
    for object in near_and_far(&object) {
        object.non_existent().unwrap();
        object.is_a(STRANGER).unwrap();
        object.repository_id().unwrap();
        let asked = std::mem::take(&mut *log.lock().unwrap());
        assert_eq!(asked, ["_non_existent", "_is_a", "_repository_id"]);
    }
}

#[test]
fn a_panic_in_an_answer_is_that_of_the_servant() {
    everywhere(ledger, &["cursed"], |object| {
        for object in object("cursed") {
            let raised = object.non_existent().unwrap_err();
            assert_eq!(raised.kind(), ExceptionKind::Unknown, "{object:?}");
            assert_eq!(object.is_a(AUDITED), Ok(false), "it serves on");
        }
    });
}

/// Says nothing where it is called, but in one `impl`.
struct Said<const WHERE: u8>;

impl<const WHERE: u8> ServantBase for Said<WHERE> {
    fn repository_id(&self, _current: &Current) -> Result<String> {
        Ok(WHERE.to_string())
    }
}

impl<const WHERE: u8> Common for Said<WHERE> {
    fn ping(&self) -> Result {
        Ok(())
    }

    fn servant_base(&self) -> Option<&dyn ServantBase> {
        (WHERE == 1).then_some(self as _)
    }
}

impl<const WHERE: u8> armilla_tests::probe::Named for Said<WHERE> {
    fn name(&self) -> Result<String> {
        Ok(String::new())
    }

    fn set_name(&self, _value: &str) -> Result {
        Ok(())
    }
}

impl Counted for Said<1> {
    fn count(&self) -> Result<i32> {
        Ok(0)
    }

    fn increment(&self) -> Result<i32> {
        Ok(0)
    }
}

#[test]
fn what_is_said_for_a_base_interface_holds_for_those_that_inherit_from_it() {
    everywhere(
        || counted::tie(Said::<1>).into(),
        ACTIVE,
        |object| {
            for object in object("alice") {
                assert_eq!(object.repository_id().unwrap(), "1", "{object:?}");
            }
        },
    );
    let silent: Arc<dyn armilla_tests::probe::Named> = Arc::new(Said::<0>);
    everywhere(
        || silent.clone().into(),
        ACTIVE,
        |object| {
            for object in object("alice") {
                let id = "IDL:armilla.org/Probe/Named:1.0";
                assert_eq!(object.repository_id().unwrap(), id, "{object:?}");
                assert_eq!(object.non_existent(), Ok(false));
            }
        },
    );
}

/// Replies later.
struct Late;

impl ServantBase for Late {
    fn non_existent(&self, _current: &Current) -> Result<bool> {
        Ok(true)
    }
}

impl Named for Late {
    fn name(&self) -> Result<String> {
        Ok(String::new())
    }

    fn servant_base(&self) -> Option<&dyn ServantBase> {
        Some(self)
    }
}

impl AmhNamed for Late {}

/// Serves nothing.
struct Blank;

impl ServantBase for Blank {
    fn non_existent(&self, current: &Current) -> Result<bool> {
        Ok(current.object_id().as_bytes() == b"closed")
    }
}

impl DynamicServant for Blank {
    fn primary_interface(&self, object: &ObjectId) -> Cow<'_, str> {
        if object.as_bytes() == b"alice" { COUNTED } else { COMMON }.into()
    }

    fn servant_base(&self) -> Option<&dyn ServantBase> {
        Some(self)
    }

    fn invoke(&self, _request: &mut ServerRequest<'_, '_>) -> Result {
        Ok(())
    }
}

#[test]
fn servants_that_reply_later_and_dynamic_ones_answer_too() {
    everywhere(
        || named::tie_amh(Late).into(),
        ACTIVE,
        |object| {
            for object in object("alice") {
                assert_eq!(object.non_existent(), Ok(true), "{object:?}");
            }
        },
    );
    everywhere(
        || serve(Blank).into(),
        ACTIVE,
        |object| {
            for (id, interface) in [("alice", COUNTED), ("closed", COMMON)] {
                for object in object(id) {
                    assert_eq!(object.non_existent(), Ok(id == "closed"), "{object:?}");
                    assert_eq!(object.repository_id().unwrap(), interface);
                    assert_eq!(object.is_a(interface), Ok(true));
                }
            }
        },
    );
}

#[test]
fn the_policies_of_the_poa_hold_for_what_a_servant_is_asked() {
    let server = Server::start();
    let manager = server.create_poa_manager("ledger").unwrap();
    let poa = server.root_poa().create_poa("ledger").user_ids().manager(&manager).build().unwrap();
    let object = poa.activate_servant_with_id("alice", ledger()).unwrap();
    manager.discard_requests(false).unwrap();
    for asked in [object.is_a(AUDITED).err(), object.repository_id().err()] {
        assert_eq!(asked.unwrap().kind(), ExceptionKind::Transient);
    }
    manager.activate().unwrap();
    assert_eq!(object.is_a(AUDITED), Ok(false));
}

/// Has a POA of its own for objects.
#[derive(Default)]
struct Homed {
    poa: OnceLock<Poa>,
    orb: OnceLock<Orb>,
    /// Itself, as it is tied.
    myself: OnceLock<std::sync::Weak<Self>>,
}

impl ServantBase for Homed {
    fn default_poa(&self, orb: &Orb) -> Poa {
        self.poa.get().cloned().unwrap_or_else(|| orb.root_poa())
    }
}

impl Common for Homed {
    /// Fails unless the object that is called is what the servant gets as itself.
    fn ping(&self) -> Result {
        let orb = self.orb.get().unwrap();
        let myself: Arc<dyn Common> = self.myself.get().unwrap().upgrade().unwrap();
        let (this, called) = (orb.this(&myself)?, orb.poa_current()?.reference()?);
        match *this.object() == called {
            true => Ok(()),
            false => Err(failure(ExceptionKind::Internal)),
        }
    }

    fn servant_base(&self) -> Option<&dyn ServantBase> {
        Some(self)
    }
}

#[test]
fn a_servant_is_activated_in_the_poa_that_it_names() {
    let server = Server::start();
    let root = server.root_poa();
    let implicit = root.create_poa("implicit").policy(ImplicitActivation::On).build().unwrap();
    let explicit = root.create_poa("explicit").policy(Lifespan::Persistent).build().unwrap();

    let unnamed: Arc<dyn Common> = Arc::new(Homed::default());
    let this = server.this(&unnamed).unwrap();
    assert!(root.reference_to_id(this.object()).is_ok(), "the root POA");
    assert_eq!(server.this(&unnamed).unwrap(), this, "it is active now");

    let homed = Homed::default();
    homed.poa.set(implicit.clone()).unwrap();
    let homed: Arc<dyn Common> = Arc::new(homed);
    let this = server.this(&homed).unwrap();
    assert!(implicit.reference_to_id(this.object()).is_ok());
    assert_eq!(root.reference_to_id(this.object()), Err(PoaError::WrongAdapter));

    let strict = Homed::default();
    strict.poa.set(explicit).unwrap();
    let strict: Arc<dyn Common> = Arc::new(strict);
    assert_eq!(server.this(&strict), Err(PoaError::ServantNotActive));
}

#[test]
fn within_a_request_this_is_the_object_that_is_called() {
    let server = Server::start();
    let homed = Arc::new(Homed::default());
    homed.orb.set(server.orb.clone()).unwrap();
    homed.myself.set(Arc::downgrade(&homed)).unwrap();
    let servant: Arc<dyn Common> = homed;
    let poa = server.root_poa().create_poa("default").user_ids();
    let poa = poa.default_servant(servant).build().unwrap();
    for id in ["one", "two"] {
        let object = poa.create_reference_with_id::<dyn Common>(id).unwrap();
        object.ping().unwrap();
        orbs::travel(&object, &orbs::client()).ping().unwrap();
    }
}
