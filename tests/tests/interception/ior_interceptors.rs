//! IOR interceptors: notifications about POAs, added components, and object reference factories
//! (CORBA 3.4 Part 1, 16.5).

use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, IorInfo, IorInterceptor,
};
use armilla::{
    Completion, ExceptionKind, Lifespan, ManagerState, Minor, Object, ObjectId, Poa, PoaError,
    Policy, PolicyType, SystemException,
};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tests::servant::{Ear, Probe};
use std::sync::{Arc, Mutex};

const MARK: u32 = 0x4558_0401;

type Diary = Arc<Mutex<Vec<String>>>;

fn out_of_order<T: std::fmt::Debug>(what: Result<T, SystemException>) {
    let error = what.unwrap_err();
    assert_eq!(
        (error.kind(), error.minor()),
        (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_INVALID_INTERCEPTOR_CALL)
    );
}

/// Marks the references of persistent POAs with the name of the adapter, and tries what cannot be
/// done at a point.
struct Surveyor;

impl IorInterceptor for Surveyor {
    fn establish_components(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        out_of_order(info.adapter_template());
        out_of_order(info.current_factory().map(drop));
        out_of_order(info.set_current_factory(|_: &str, _: &ObjectId| Ok(Object::nil())));
        let unknown = info.policy(PolicyType(0x4558_0077)).unwrap_err();
        assert_eq!(
            (unknown.kind(), unknown.minor()),
            (ExceptionKind::InvPolicy, Minor::INV_POLICY_NO_FACTORY)
        );
        let persistent = Policy::Lifespan(Lifespan::Persistent);
        if info.policy(PolicyType::LIFESPAN)? == Some(persistent.clone()) {
            assert!(info.policies().contains(&persistent));
            let other = info.add_component_to_profile(1, MARK, Vec::new()).unwrap_err();
            assert_eq!(
                (other.kind(), other.minor()),
                (ExceptionKind::BadParam, Minor::BAD_PARAM_INVALID_PROFILE_ID)
            );
            info.add_component_to_profile(0, MARK, info.adapter_name().join("/").into_bytes())?;
        }
        Ok(())
    }

    fn components_established(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        out_of_order(info.add_component(MARK, Vec::new()));
        let template = info.adapter_template()?;
        assert!(template.orb_id().starts_with("inner") && template.server_id() == "house");
        assert_eq!(template.adapter_name(), info.adapter_name());
        Ok(())
    }
}

#[test]
fn the_references_of_a_poa_are_marked_by_its_policies() {
    let names = ["-ORBid", &orbs::unique("inner"), "-ORBServerId", "house"].map(str::to_owned);
    let orb = orbs::builder().arguments(names).unwrap().ior_interceptor(Surveyor);
    let orb = orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let plain = orb.root_poa().create_reference::<dyn Listener>().unwrap();
    assert_eq!(plain.object().component(MARK), None);
    let poa = orb.root_poa().create_poa("kept").persistent().user_ids().build().unwrap();
    let first = poa.create_reference_with_id::<dyn Listener>("first").unwrap();
    assert_eq!(first.object().component(MARK), Some(b"RootPOA/kept".to_vec()));
    let ear: Arc<dyn Listener> = Arc::new(Ear::default());
    let second = poa.activate_with_id("second", ear).unwrap();
    assert_eq!(second.object().component(MARK), Some(b"RootPOA/kept".to_vec()));
    assert_eq!(poa.policies().len(), 8);
    orb.shutdown();
}

/// Adds a component to the references of each POA; `broken` fails at that, `strict` allows the root
/// POA alone.
struct Stamp(&'static str);

impl IorInterceptor for Stamp {
    fn name(&self) -> &str {
        self.0
    }

    fn establish_components(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        info.add_component(MARK, format!("{} {:?}", self.0, info.adapter_name()).into_bytes())?;
        match self.0 {
            "broken" => Err(no_permission()),
            _ => Ok(()),
        }
    }

    fn components_established(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        match (self.0, info.adapter_name().len()) {
            ("strict", 2..) => Err(no_permission()),
            _ => Ok(()),
        }
    }
}

fn no_permission() -> SystemException {
    SystemException::new(ExceptionKind::NoPermission, Minor(0), Completion::No)
}

/// Looks for the stamps of the reference that it calls.
struct Clerk(Diary);

impl ClientInterceptor for Clerk {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let stamps = request.effective_components(MARK);
        let texts = stamps.iter().map(|stamp| String::from_utf8_lossy(stamp).into_owned());
        self.0.lock().unwrap().extend(texts);
        Ok(())
    }
}

#[test]
fn clients_see_the_components_of_all_interceptors_that_succeeded() {
    let stamps = ["first", "broken", "strict"].map(Stamp);
    let builder =
        stamps.into_iter().fold(orbs::builder(), |builder, stamp| builder.ior_interceptor(stamp));
    let server = Server::of(builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let seen = Diary::default();
    let client = orbs::builder().client_interceptor(Clerk(seen.clone())).build().unwrap();
    server.remote(&client).ping().unwrap();
    let expected = [r#"first ["RootPOA"]"#, r#"strict ["RootPOA"]"#];
    assert_eq!(*seen.lock().unwrap(), expected, "nothing of the broken one");
}

#[test]
fn a_poa_that_an_interceptor_refuses_is_not_made() {
    let orb = orbs::builder().ior_interceptor(Stamp("strict"));
    let orb = orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let refused = SystemException::from(orb.root_poa().create_poa("second").build().unwrap_err());
    assert_eq!(
        (refused.kind(), refused.minor()),
        (ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_IOR_INTERCEPTOR_FAILED)
    );
    let found = orb.root_poa().find_poa("second", false);
    assert_eq!(found.unwrap_err(), PoaError::AdapterNonExistent);
    orb.shutdown();
}

/// Notes what becomes of adapters and their managers.
struct Registrar(Diary);

impl IorInterceptor for Registrar {
    fn establish_components(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        let (name, manager) = (info.adapter_name().join("/"), info.manager_id());
        let made = format!("{name} is made, {manager} is {:?}", info.state());
        self.0.lock().unwrap().push(made);
        Ok(())
    }

    fn manager_state_changed(&self, manager_id: &str, state: ManagerState) {
        self.0.lock().unwrap().push(format!("{manager_id} is {state:?}"));
    }

    fn adapter_destroyed(&self, adapter_name: &[String]) {
        self.0.lock().unwrap().push(format!("{} ends", adapter_name.join("/")));
    }
}

#[test]
fn interceptors_are_notified_once_of_each_adapter_and_manager() {
    let diary = Diary::default();
    let orb = orbs::builder().ior_interceptor(Registrar(diary.clone()));
    let orb = orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let outer = orb.root_poa().create_poa("outer").build().unwrap();
    outer.create_reference::<dyn Listener>().unwrap();
    let again = orb.root_poa().create_poa("outer").build().unwrap_err();
    assert_eq!(again, PoaError::AdapterAlreadyExists);
    let manager = outer.manager();
    manager.hold_requests(false).unwrap();
    manager.hold_requests(false).unwrap();
    outer.create_poa("inner").manager(manager).build().unwrap();
    manager.activate().unwrap();
    outer.destroy(true, false).unwrap();
    let told = std::mem::take(&mut *diary.lock().unwrap());
    assert_eq!(
        told,
        [
            "RootPOA is made, RootPOAManager is Active",
            "RootPOA/outer is made, POAManager1 is Active",
            "POAManager1 is Holding",
            "RootPOA/outer/inner is made, POAManager1 is Holding",
            "POAManager1 is Active",
            "RootPOA/outer/inner ends",
            "RootPOA/outer ends",
        ]
    );
    orb.shutdown();
}

/// Panics at every point, in the POA of that name.
struct Clumsy;

impl IorInterceptor for Clumsy {
    fn establish_components(&self, _: &mut IorInfo<'_>) -> Result<(), SystemException> {
        panic!("as it was told")
    }

    fn components_established(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        assert!(!info.adapter_name().contains(&"clumsy".to_owned()), "as it was told");
        Ok(())
    }

    fn manager_state_changed(&self, _: &str, _: ManagerState) {
        panic!("as it was told")
    }

    fn adapter_destroyed(&self, _: &[String]) {
        panic!("as it was told")
    }

    fn destroy(&self) {
        panic!("as it was told")
    }
}

#[test]
fn a_panicking_interceptor_does_not_affect_others() {
    let diary = Diary::default();
    let orb = orbs::builder().ior_interceptor(Clumsy).ior_interceptor(Registrar(diary.clone()));
    let orb = orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let refused = SystemException::from(orb.root_poa().create_poa("clumsy").build().unwrap_err());
    assert_eq!(
        (refused.kind(), refused.minor()),
        (ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_IOR_INTERCEPTOR_FAILED)
    );
    let poa = orb.root_poa().create_poa("other").build().unwrap();
    poa.manager().hold_requests(false).unwrap();
    poa.destroy(true, true).unwrap();
    let told = std::mem::take(&mut *diary.lock().unwrap());
    assert_eq!(told[told.len() - 2..], ["POAManager2 is Holding", "RootPOA/other ends"]);
    orb.shutdown();
}

/// Adds the id of each object to its reference, on what made it before, and sends those of `away`
/// elsewhere.
struct Signpost {
    away: Arc<Mutex<Object>>,
    mark: u32,
}

impl IorInterceptor for Signpost {
    fn establish_components(&self, _: &mut IorInfo<'_>) -> Result<(), SystemException> {
        Ok(())
    }

    fn components_established(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        let (before, away, mark) = (info.current_factory()?, self.away.clone(), self.mark);
        let leaves = info.adapter_name().last().is_some_and(|name| name == "away");
        info.set_current_factory(move |repository_id: &str, id: &ObjectId| match leaves {
            true => Ok(away.lock().unwrap().clone()),
            false => before.make_object(repository_id, id)?.with_component(mark, id.as_bytes()),
        })
    }
}

/// An ORB of two signposts, and a POA with ids of the program.
fn signposted() -> (Server, Poa, Arc<Mutex<Object>>) {
    let away = Arc::new(Mutex::new(Object::nil()));
    let signpost = |mark| Signpost { away: away.clone(), mark };
    let builder =
        orbs::builder().ior_interceptor(signpost(MARK)).ior_interceptor(signpost(MARK + 1));
    let server = Server::of(builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let poa = server.orb.root_poa().create_poa("here").user_ids().multiple_ids().build().unwrap();
    (server, poa, away)
}

#[test]
fn a_factory_makes_all_references_of_a_poa() {
    let (server, poa, _) = signposted();
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    let id = ObjectId::from("one");
    let active = poa.activate_with_id("one", servant).unwrap();
    let made = [
        active.object().clone(),
        poa.id_to_reference(&id).unwrap(),
        poa.create_object_with_id("IDL:armilla.org/Probe/Everything:1.0", "one").unwrap(),
    ];
    for object in &made {
        assert_eq!(object.component(MARK), Some(b"one".to_vec()));
        assert_eq!(object.component(MARK + 1), Some(b"one".to_vec()), "the other interceptor's");
        assert_eq!(poa.reference_to_id(object).unwrap(), id);
    }
    active.ping().unwrap();
    orbs::travel(&active, &orbs::client()).ping().unwrap();
    assert!(server.local.object().component(MARK).is_some(), "the root POA has it too");
}

#[test]
fn a_factory_may_lead_the_references_of_a_poa_elsewhere() {
    let (server, _, away) = signposted();
    let other = Server::start();
    *away.lock().unwrap() = orbs::travel_object(other.local.object(), &server.orb);
    let leaving = server.orb.root_poa().create_poa("away").user_ids().build().unwrap();
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    let reference = leaving.activate_with_id("one", servant).unwrap();
    reference.remark("to the other").unwrap();
    assert_eq!(other.local.remarks(1).unwrap(), ["to the other"]);
    assert_eq!(leaving.reference_to_id(&reference).unwrap_err(), PoaError::WrongAdapter);
}
