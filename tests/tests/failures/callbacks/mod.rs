//! Callbacks: whatever of the program the ORB calls may panic, or wait for the ORB. The panic ends
//! nothing but its call, and nobody waits for itself.

mod panics;
mod shutdown;
mod transport;

use armilla::codegen::{CdrResult, Encoder};
use armilla::interceptor::{
    ClientInterceptor, Interruption, IorInfo, IorInterceptor, ProcessingMode, ServerInterceptor,
    ServerRequestInfo,
};
use armilla::remoting::{Dispatched, ServerCall, Skeleton};
use armilla::{
    AnyServant, Completion, Concurrency, Cookie, ExceptionKind, Minor, ObjectAddresses, ObjectId,
    Orb, Poa, PoaExtension, ResponseHandler, ServantActivator, ServantLocator, ServantManager,
    ServantManagerError, SystemException, UpcallInfo,
};
use armilla_tests::gate::eventually;
use armilla_tests::orbs;
use armilla_tests::probe::*;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::thread;

/// What code of the program does, given the name of its place.
type Deed = Arc<dyn Fn(&'static str) + Send + Sync>;

/// Code of the program at every place where the ORB calls it. It does what it is told.
#[derive(Clone, Default)]
struct Meddler(Arc<State>);

#[derive(Default)]
struct State {
    deed: Mutex<Option<Deed>>,
    reached: Mutex<BTreeSet<&'static str>>,
}

impl Meddler {
    fn at(&self, place: &'static str) {
        self.0.reached.lock().unwrap().insert(place);
        let deed = self.0.deed.lock().unwrap().clone();
        deed.into_iter().for_each(|deed| deed(place));
    }

    fn tell(&self, deed: impl Fn(&'static str) + Send + Sync + 'static) {
        *self.0.deed.lock().unwrap() = Some(Arc::new(deed));
    }

    fn tell_nothing(&self) {
        *self.0.deed.lock().unwrap() = None;
    }

    /// Waits until this place was reached since the last wait.
    fn await_place(&self, place: &str) {
        eventually(place, || self.0.reached.lock().unwrap().contains(place));
        self.0.reached.lock().unwrap().clear();
    }
}

/// Does what it is told when it is dropped.
struct Dropped(Meddler, &'static str);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.at(self.1);
    }
}

impl ServerInterceptor for Meddler {
    fn processing_mode(&self) -> ProcessingMode {
        self.at("ServerInterceptor::processing_mode");
        ProcessingMode::default()
    }

    fn reads_values(&self) -> bool {
        self.at("ServerInterceptor::reads_values");
        false
    }

    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        request.keep(Dropped(self.clone(), "the drop of a kept value"));
        self.at("ServerInterceptor::receive_request_service_contexts");
        Ok(())
    }

    fn receive_request(&self, _: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.at("ServerInterceptor::receive_request");
        Ok(())
    }

    fn send_reply(&self, _: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.at("ServerInterceptor::send_reply");
        Ok(())
    }

    fn send_exception(&self, _: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.at("ServerInterceptor::send_exception");
        Ok(())
    }

    fn send_other(&self, _: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.at("ServerInterceptor::send_other");
        Ok(())
    }

    fn destroy(&self) {
        self.at("ServerInterceptor::destroy");
    }
}

impl ClientInterceptor for Meddler {
    fn destroy(&self) {
        self.at("ClientInterceptor::destroy");
    }
}

impl IorInterceptor for Meddler {
    fn establish_components(&self, _: &mut IorInfo<'_>) -> Result<(), SystemException> {
        self.at("IorInterceptor::establish_components");
        Ok(())
    }

    fn components_established(&self, _: &mut IorInfo<'_>) -> Result<(), SystemException> {
        self.at("IorInterceptor::components_established");
        Ok(())
    }

    fn manager_state_changed(&self, _: &str, _: armilla::ManagerState) {
        self.at("IorInterceptor::manager_state_changed");
    }

    fn adapter_destroyed(&self, _: &[String]) {
        self.at("IorInterceptor::adapter_destroyed");
    }

    fn destroy(&self) {
        self.at("IorInterceptor::destroy");
    }
}

impl ServantActivator for Meddler {
    fn incarnate(&self, _: &ObjectId, _: &Poa) -> Result<AnyServant, ServantManagerError> {
        self.at("ServantActivator::incarnate");
        Ok(self.servant())
    }

    fn etherealize(&self, _: &ObjectId, _: &Poa, _: AnyServant, _: bool, _: bool) {
        self.at("ServantActivator::etherealize");
    }
}

impl ServantLocator for Meddler {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        self.at("ServantLocator::preinvoke");
        Ok((self.servant(), Cookie::default()))
    }

    fn postinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
        _: Cookie,
        _: AnyServant,
    ) -> Result<(), SystemException> {
        self.at("ServantLocator::postinvoke");
        Ok(())
    }
}

impl PoaExtension for Meddler {
    fn answer(&self, _: &UpcallInfo<'_>) -> Option<Result<(), SystemException>> {
        self.at("PoaExtension::answer");
        None
    }

    fn before_upcall(&self, _: &UpcallInfo<'_>) -> Result<(), SystemException> {
        self.at("PoaExtension::before_upcall");
        Ok(())
    }

    fn after_upcall(&self) {
        self.at("PoaExtension::after_upcall");
    }

    fn addresses(&self, _: &[u8]) -> Option<ObjectAddresses> {
        None
    }
}

/// A servant, and what its drop does.
struct Servant {
    meddler: Meddler,
    /// Where it deactivates its object when it is called, so that the call is its last one.
    brief: Option<Orb>,
    _dropped: Dropped,
}

impl Listener for Servant {
    fn hear(&self, _: &str) -> Result<(), SystemException> {
        if let Some(orb) = &self.brief {
            let current = orb.poa_current()?;
            current.poa().deactivate(current.object_id())?;
        }
        self.meddler.at("a servant");
        Ok(())
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Err(SystemException::new(ExceptionKind::NoPermission, Minor(0), Completion::Yes))
    }
}

/// How a skeleton replies, before the generated one.
#[derive(Clone, Copy)]
enum Reply {
    Now,
    Later,
}

struct Replying(Meddler, Reply);

impl Skeleton for Replying {
    fn dispatch(&self, call: &mut ServerCall<'_>, _: &AnyServant) -> Dispatched {
        fn encode(meddler: &Meddler, _: &mut Encoder<'_>) -> CdrResult {
            meddler.at("the results of an operation");
            Ok(())
        }
        match self.1 {
            Reply::Now => call.reply(Ok::<_, SystemException>(self.0.clone()), encode),
            Reply::Later => {
                let handler: ResponseHandler<Meddler> = call.response_handler(encode);
                let results = self.0.clone();
                // It panics where that is told.
                drop(thread::spawn(move || handler.complete(Ok(results))).join());
                Ok(())
            }
        }
    }
}

impl Meddler {
    fn listener(&self, brief: Option<Orb>) -> Arc<dyn Listener> {
        let _dropped = Dropped(self.clone(), "the drop of a servant");
        Arc::new(Servant { meddler: self.clone(), brief, _dropped })
    }

    fn servant(&self) -> AnyServant {
        self.listener(None).into()
    }
}

/// A server with a meddler everywhere, and a client.
struct Stage {
    meddler: Meddler,
    orb: Orb,
    client: Orb,
}

/// The names of POAs that have one object, `it`, or would have.
const POAS: [&str; 6] = ["plain", "incarnated", "located", "extended", "now", "later"];

impl Stage {
    /// One call at a time per POA, few threads, and few requests in progress: what a panic does not
    /// give back is missed soon.
    fn new(concurrency: Concurrency) -> Self {
        let meddler = Meddler::default();
        let orb = orbs::builder()
            .settings(|settings| {
                settings.concurrency = concurrency;
                settings.requests_in_progress = 4;
                settings.requests_per_connection = 4;
            })
            .server_interceptor(meddler.clone())
            .client_interceptor(meddler.clone())
            .ior_interceptor(meddler.clone())
            .listen("iiop://127.0.0.1:0")
            .unwrap()
            .build()
            .unwrap();
        let stage = Self { meddler, orb, client: orbs::client() };
        stage.make_poas();
        stage.set_locators();
        stage.orb.perform_work().unwrap();
        stage.meddler.0.reached.lock().unwrap().clear();
        stage
    }

    fn make_poas(&self) {
        let (root, meddler) = (self.orb.root_poa(), || self.meddler.clone());
        for name in POAS {
            let poa = root.create_poa(name).user_ids().max_concurrent_requests(1);
            let poa = match name {
                "incarnated" => poa.servant_manager(ServantManager::activator(meddler())),
                "located" => poa.servant_manager(ServantManager::locator(meddler())),
                "extended" => poa.extension(Arc::new(meddler())),
                _ => poa,
            };
            let poa = poa.build().unwrap();
            let servant = self.meddler.servant();
            let servant = match name {
                "incarnated" | "located" => continue,
                "now" => servant.with_skeleton(Replying(meddler(), Reply::Now)),
                "later" => servant.with_skeleton(Replying(meddler(), Reply::Later)),
                _ => servant,
            };
            poa.activate_servant_with_id("it", servant).unwrap();
        }
        let meddler = meddler();
        root.set_activator(move |parent: &Poa, name: &str| {
            meddler.at("AdapterActivator::unknown_adapter");
            let poa = parent.create_poa(name).persistent().user_ids();
            poa.default_servant(meddler.servant()).build().is_ok()
        });
    }

    fn set_locators(&self) {
        let plain = self.near("plain").object().clone();
        let (meddler, target) = (self.meddler.clone(), plain.clone());
        self.orb.publish_on_demand(move |name| {
            meddler.at("the locator of names");
            Ok((name == "name").then(|| target.clone()))
        });
        let meddler = self.meddler.clone();
        self.orb.set_key_locator(move |_, reply| {
            meddler.at("the locator of keys");
            reply.forward(plain.ior());
        });
    }

    /// The object of a POA, within the process.
    fn near(&self, poa: &str) -> ListenerRef {
        let poa = self.orb.root_poa().find_poa(poa, false).unwrap();
        poa.create_reference_with_id("it").unwrap()
    }

    /// The same in another process.
    fn far(&self, poa: &str) -> ListenerRef {
        orbs::travel(&self.near(poa), &self.client)
    }

    fn url(&self, key: &str) -> Result<ListenerRef, SystemException> {
        let (host, port) = &self.orb.published_addresses()?[0];
        let url = format!("corbaloc::{host}:{port}/{key}");
        Ok(self.client.string_to_object(&url)?.assume())
    }

    /// Calls an object whose POA the adapter activator has to make.
    fn call_made(&self) -> Result<(), SystemException> {
        let root = self.orb.root_poa();
        if let Ok(poa) = root.find_poa("made", false) {
            poa.destroy(true, true)?;
        }
        // A reference of an earlier POA of that name.
        let deed = self.meddler.0.deed.lock().unwrap().take();
        let poa = root.create_poa("made").persistent().user_ids().build()?;
        let object: ListenerRef = poa.create_reference_with_id("it")?;
        let object = orbs::travel(&object, &self.client);
        poa.destroy(true, true)?;
        *self.meddler.0.deed.lock().unwrap() = deed;
        object.hear("")
    }

    /// Calls an object that is not active.
    fn call_incarnated(&self) -> Result<(), SystemException> {
        let object = self.far("incarnated");
        let poa = self.orb.root_poa().find_poa("incarnated", false)?;
        poa.deactivate(&"it".into()).ok();
        object.hear("")
    }

    /// Calls an object for the last time.
    fn call_brief(&self) -> Result<(), SystemException> {
        let poa = self.orb.root_poa().find_poa("plain", false)?;
        let object =
            poa.activate_with_id("brief", self.meddler.listener(Some(self.orb.clone())))?;
        orbs::travel(&object, &self.client).hear("")
    }

    /// Makes a POA, lets its manager hold requests, and destroys it.
    fn change_poas(&self) -> Result<(), SystemException> {
        let poa = self.orb.root_poa().create_poa("brief").build()?;
        poa.manager().hold_requests(true)?;
        poa.destroy(true, true)?;
        Ok(())
    }

    /// Makes the call, or does something else, of this name.
    fn call(&self, call: &str) -> Result<(), SystemException> {
        match call {
            "made" => self.call_made(),
            "incarnated" => self.call_incarnated(),
            "brief" => self.call_brief(),
            "POA" => self.change_poas(),
            "name" | "key" => self.url(call)?.hear(""),
            "failing" => {
                let partner = self.client.string_to_object(NIL)?.assume();
                let failed = self.far("plain").descend(&partner, 1).unwrap_err();
                match failed.kind() {
                    ExceptionKind::NoPermission => Ok(()),
                    _ => Err(failed),
                }
            }
            poa => self.far(poa).hear(""),
        }
    }

    fn call_all(&self) {
        for call in CALLS.iter().chain(&POAS) {
            self.call(call).unwrap_or_else(|error| panic!("{call}: {error}"));
        }
    }
}

/// The names of further calls.
const CALLS: [&str; 7] = ["made", "incarnated", "brief", "POA", "name", "key", "failing"];

/// A reference to no object.
const NIL: &str = "IOR:01000000010000000000000000000000";
