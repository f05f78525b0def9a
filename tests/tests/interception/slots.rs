//! The slots of a request on the server, from the first interception point through the servant
//! manager and the servant to the last point; and the slots of the thread.

use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, OrbInitInfo, OrbInitializer,
    ServerInterceptor, ServerRequestInfo, SlotId,
};
use armilla::{
    Any, AnyServant, ExceptionKind, Minor, ObjectId, Orb, OrbBuilder, Poa, ServantActivator,
    ServantManagerError,
};
use armilla::{ServantManager, SystemException};
use armilla_cos_naming::{Binding, BindingIterator, BindingIteratorRef, binding_iterator};
use armilla_tests::orbs::{self, Server};
use std::sync::{Arc, Mutex, OnceLock};

/// What each that looks into the slot has found there.
#[derive(Clone, Default)]
struct Diary {
    orb: Arc<OnceLock<(Orb, SlotId)>>,
    found: Arc<Mutex<Vec<String>>>,
}

impl Diary {
    /// The slot of the present thread.
    fn slot(&self) -> String {
        let (orb, slot) = self.orb.get().unwrap();
        text(&orb.pi_current().slot(*slot).unwrap())
    }

    fn set(&self, value: &str) {
        let (orb, slot) = self.orb.get().unwrap();
        orb.pi_current().set_slot(*slot, Any::new(value).unwrap()).unwrap();
    }

    fn note(&self, who: &str, what: String) {
        self.found.lock().unwrap().push(format!("{who}: {what}"));
    }

    /// Adds its name to what the thread has in the slot.
    fn pass(&self, who: &str) {
        self.note(who, self.slot());
        self.set(&format!("{}, {who}", self.slot()));
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.found.lock().unwrap())
    }
}

fn text(value: &Any) -> String {
    value.get().unwrap().unwrap_or_else(|| "nothing".to_owned())
}

impl ServerInterceptor for Diary {
    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        let (_, slot) = self.orb.get().unwrap();
        self.note("thread", self.slot());
        Ok(request.set_slot(*slot, Any::new("contexts").unwrap())?)
    }

    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let (_, slot) = self.orb.get().unwrap();
        self.note("request", text(&request.slot(*slot)?));
        self.pass("request's thread");
        Ok(())
    }

    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        let (_, slot) = self.orb.get().unwrap();
        self.note("reply", text(&request.slot(*slot)?));
        self.note("reply's thread", self.slot());
        Ok(())
    }
}

impl OrbInitializer for Diary {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        let slot = info.allocate_slot();
        self.orb.set((info.orb().clone(), slot)).ok();
        info.add_server_interceptor(self.clone())
    }
}

impl ServantActivator for Diary {
    fn incarnate(&self, _: &ObjectId, _: &Poa) -> Result<AnyServant, ServantManagerError> {
        self.pass("manager");
        Ok(binding_iterator::tie(self.clone()).into())
    }

    fn etherealize(&self, _: &ObjectId, _: &Poa, _: AnyServant, _: bool, _: bool) {}
}

impl BindingIterator for Diary {
    fn next_one(&self) -> Result<(bool, Binding), SystemException> {
        self.pass("servant");
        Ok((false, Binding::default()))
    }

    fn next_n(&self, _: u32) -> Result<(bool, Vec<Binding>), SystemException> {
        panic!("as it was told")
    }

    fn destroy(&self) -> Result<(), SystemException> {
        Ok(())
    }
}

/// An ORB whose objects a servant manager activates, and a reference to one of them.
fn keeping(builder: OrbBuilder) -> (Diary, Orb, BindingIteratorRef) {
    let diary = Diary::default();
    let orb = builder.initializer(diary.clone()).build().unwrap();
    let manager = ServantManager::Activator(Arc::new(diary.clone()));
    let poa = orb.root_poa().create_poa("kept").user_ids().servant_manager(manager);
    let object = poa.build().unwrap().create_reference_with_id("a").unwrap();
    (diary, orb, object)
}

const PASSED: [&str; 6] = [
    "manager: contexts",
    "request: contexts",
    "request's thread: contexts, manager",
    "servant: contexts, manager, request's thread",
    "reply: contexts, manager, request's thread, servant",
    "reply's thread: contexts, manager, request's thread, servant",
];

#[test]
fn what_the_first_point_sets_the_servant_manager_and_the_servant_find_and_change() {
    let (diary, orb, object) = keeping(orbs::builder().listen("iiop://127.0.0.1:0").unwrap());
    let far = orbs::travel(&object, &orbs::client());
    far.next_one().unwrap();
    let found = diary.taken();
    assert_eq!(found[0], "thread: nothing");
    assert_eq!(found[1..], PASSED);
    // The next request of the thread finds nothing of the one before.
    far.next_one().unwrap();
    assert_eq!(diary.taken()[0], "thread: nothing");
    orb.shutdown();
}

/// Uses its slot before the ORB is made.
#[derive(Clone, Default)]
struct Hasty(Arc<Mutex<Vec<SystemException>>>);

impl Hasty {
    fn hurry(&self, info: &mut OrbInitInfo<'_>) {
        let (slot, current) = (info.allocate_slot(), info.orb().pi_current());
        let set = current.set_slot(slot, Any::default());
        self.0.lock().unwrap().extend([current.slot(slot).unwrap_err(), set.unwrap_err()]);
    }
}

impl OrbInitializer for Hasty {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        self.hurry(info);
        Ok(())
    }

    fn post_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        self.hurry(info);
        Ok(())
    }
}

#[test]
fn an_initializer_allocates_slots_and_cannot_use_them_yet() {
    let hasty = Hasty::default();
    orbs::builder().initializer(hasty.clone()).build().unwrap();
    let refused = hasty.0.lock().unwrap();
    assert_eq!(refused.len(), 4);
    for error in &*refused {
        assert_eq!(
            (error.kind(), error.minor()),
            (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_INVALID_INTERCEPTOR_CALL)
        );
    }
}

#[test]
fn a_call_within_the_thread_leaves_the_slots_of_the_caller_as_they_were() {
    let (diary, orb, object) = keeping(orbs::builder());
    diary.set("mine");
    object.next_one().unwrap();
    let found = diary.taken();
    assert_eq!(found[0], "thread: mine");
    assert_eq!(found[1..], PASSED);
    assert_eq!(diary.slot(), "mine");
    object.next_n(1).unwrap_err();
    assert_eq!(diary.slot(), "mine", "though the servant has panicked");
    orb.shutdown();
}

/// Keeps what it finds in the slot of its thread from one point of a call to the next.
#[derive(Clone)]
struct Thrifty(Diary);

impl ClientInterceptor for Thrifty {
    fn send_request(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.0.pass("beginning");
        Ok(())
    }

    fn receive_reply(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.0.pass("end");
        Ok(())
    }
}

impl OrbInitializer for Thrifty {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        let slot = info.allocate_slot();
        self.0.orb.set((info.orb().clone(), slot)).ok();
        info.add_client_interceptor(self.clone())
    }
}

#[test]
fn interceptors_have_slots_of_their_own_from_the_beginning_of_a_call_to_its_end() {
    let server = Server::start();
    let diary = Diary::default();
    let client = orbs::builder().initializer(Thrifty(diary.clone())).build().unwrap();
    let ping = server.remote(&client).object().request("ping");
    diary.set("mine");
    let found = ["beginning: nothing", "end: nothing, beginning"];
    ping.clone().invoke().unwrap();
    assert_eq!(diary.taken(), found);
    ping.send_deferred().wait().unwrap();
    assert_eq!(diary.taken(), found, "whichever thread saw the end");
    assert_eq!(diary.slot(), "mine");
}
