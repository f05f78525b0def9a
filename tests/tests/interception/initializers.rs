//! ORB initializers (CORBA 3.4 Part 1, 16.7), and the calls that their interceptors see.

use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, IorInfo, IorInterceptor, OrbInitInfo,
    OrbInitializer, ProcessingMode, ServerInterceptor, ServerRequestInfo,
};
use armilla::{Collocation, ExceptionKind, Minor, Object, SystemException, Threading};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::{Arc, Mutex};

/// An interceptor of every kind that does nothing.
struct Named(&'static str);

impl ClientInterceptor for Named {
    fn name(&self) -> &str {
        self.0
    }
}

impl ServerInterceptor for Named {
    fn name(&self) -> &str {
        self.0
    }
}

impl IorInterceptor for Named {
    fn name(&self) -> &str {
        self.0
    }

    fn establish_components(&self, _: &mut IorInfo<'_>) -> Result<(), SystemException> {
        Ok(())
    }
}

fn duplicate(added: Result<(), SystemException>) {
    let error = added.unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::BadParam, Minor::BAD_ARGUMENT));
    assert!(error.to_string().contains("\"same\""), "{error}");
}

/// Hears how often it ends.
struct Mortal(Arc<Mutex<Vec<&'static str>>>, &'static str);

impl Mortal {
    fn end(&self) {
        self.0.lock().unwrap().push(self.1);
    }
}

impl ClientInterceptor for Mortal {
    fn destroy(&self) {
        self.end();
    }
}

impl ServerInterceptor for Mortal {
    fn destroy(&self) {
        self.end();
    }
}

impl IorInterceptor for Mortal {
    fn establish_components(&self, _: &mut IorInfo<'_>) -> Result<(), SystemException> {
        Ok(())
    }

    fn components_established(&self, _: &mut IorInfo<'_>) -> Result<(), SystemException> {
        match self.1 {
            "refusing" => Err(no()),
            _ => Ok(()),
        }
    }

    fn adapter_destroyed(&self, adapter_name: &[String]) {
        self.0.lock().unwrap().push("adapter");
        assert_eq!(adapter_name, ["RootPOA"]);
    }

    fn destroy(&self) {
        self.end();
    }
}

fn no() -> SystemException {
    SystemException::new(ExceptionKind::NoPermission, Minor(77), armilla::Completion::No)
}

/// Registers interceptors and fails afterwards, at one point or the other.
struct Failing(Arc<Mutex<Vec<&'static str>>>, bool);

impl OrbInitializer for Failing {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        info.add_server_interceptor(Mortal(self.0.clone(), "server"))?;
        if self.1 { Err(no()) } else { Ok(()) }
    }

    fn post_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        info.add_ior_interceptor(Mortal(self.0.clone(), "ior"))?;
        Err(no())
    }
}

#[test]
fn interceptors_of_a_failed_orb_are_destroyed() {
    let told = Arc::default();
    let mortal = |what| Mortal(Arc::clone(&told), what);
    let builder = || orbs::builder().client_interceptor(mortal("client"));
    let heard = |orb: armilla::OrbBuilder| {
        let error = orb.build().unwrap_err();
        (error.kind(), std::mem::take(&mut *told.lock().unwrap()))
    };
    let failing = |early| builder().initializer(Failing(Arc::clone(&told), early));
    let refused = ExceptionKind::NoPermission;
    assert_eq!(heard(failing(true)), (refused, vec!["client", "server"]));
    assert_eq!(heard(failing(false)), (refused, vec!["client", "server", "ior"]));
    let (kind, ends) = heard(builder().ior_interceptor(mortal("refusing")));
    assert_eq!((kind, ends), (ExceptionKind::ObjAdapter, vec!["client", "refusing"]));
    let taken = Server::start();
    let (_, port) = taken.published_addresses().unwrap()[0].clone();
    let deaf = builder().ior_interceptor(mortal("ior")).listen(&format!("iiop://127.0.0.1:{port}"));
    let (kind, ends) = heard(deaf.unwrap());
    assert_eq!((kind, ends), (ExceptionKind::Initialize, vec!["adapter", "client", "ior"]));
}

/// Looks at everything, and registers what it can.
struct Service {
    object: Object,
    told: Arc<Mutex<Vec<String>>>,
}

impl OrbInitializer for Service {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        let mut told = self.told.lock().unwrap();
        told.push(format!("{} {:?}", info.orb_id(), info.arguments()));
        for name in ["same", "other", "", ""] {
            info.add_client_interceptor(Named(name))?;
            info.add_server_interceptor(Named(name))?;
            info.add_ior_interceptor(Named(name))?;
        }
        duplicate(info.add_client_interceptor(Named("same")));
        duplicate(info.add_server_interceptor(Named("same")));
        duplicate(info.add_ior_interceptor(Named("same")));
        info.register_initial_reference("Service", &self.object)?;
        let refused = |name: &str, object: &Object| {
            info.register_initial_reference(name, object).unwrap_err().minor()
        };
        assert_eq!(refused("Service", &self.object), Minor::BAD_ARGUMENT, "InvalidName");
        assert_eq!(refused("", &self.object), Minor::BAD_ARGUMENT, "InvalidName");
        assert_eq!(refused("Nil", &Object::nil()), Minor::BAD_PARAM_NIL_INITIAL_REFERENCE);
        Ok(())
    }

    fn post_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        assert_eq!(info.resolve_initial_reference("Service")?, self.object);
        let unknown = info.resolve_initial_reference("Nobody").unwrap_err();
        assert_eq!(unknown.minor(), Minor::NO_INITIAL_REFERENCE);
        self.told.lock().unwrap().push(info.orb().list_initial_references().join(" "));
        Ok(())
    }
}

#[test]
fn a_service_is_given_names_arguments_and_initial_references() {
    let server = Server::start();
    let told = Arc::default();
    let service = Service { object: server.local.object().clone(), told: Arc::clone(&told) };
    let arguments =
        ["program", "-ORBid", "inner", "-Service", "-ORBInitRef", "Given=corbaloc::h/k"];
    let builder = orbs::builder().arguments(arguments.map(str::to_owned)).unwrap();
    builder.initializer(service).build().unwrap();
    let expected = [format!("inner {arguments:?}"), "Given Service".to_owned()];
    assert_eq!(*told.lock().unwrap(), expected);
}

#[test]
fn an_orb_with_two_interceptors_of_one_name_is_not_made() {
    let builder = orbs::builder().ior_interceptor(Named("same")).client_interceptor(Named("same"));
    duplicate(builder.ior_interceptor(Named("same")).build().map(drop));
}

#[test]
fn what_the_program_registers_goes_before_what_the_orb_was_given() {
    let server = Server::start();
    let arguments = ["-ORBInitRef", "Probe=corbaloc::nowhere.invalid/Probe"].map(str::to_owned);
    let orb = orbs::builder().arguments(arguments).unwrap().build().unwrap();
    orb.register_initial_reference("Probe", server.local.object()).unwrap();
    let probe: EverythingRef = orb.resolve("corbaloc:rir:/Probe").unwrap();
    probe.ping().unwrap();
}

/// Counts the requests that it sees at their beginnings and ends.
#[derive(Clone)]
struct Counter {
    mode: ProcessingMode,
    begun: Arc<Mutex<[usize; 2]>>,
    ended: Arc<Mutex<[usize; 2]>>,
}

impl Counter {
    fn new(mode: ProcessingMode) -> Self {
        Self { mode, begun: Arc::default(), ended: Arc::default() }
    }

    /// How many calls the client's and the server's saw since this was asked last.
    fn seen(&self) -> [usize; 2] {
        let seen = std::mem::take(&mut *self.begun.lock().unwrap());
        assert_eq!(std::mem::take(&mut *self.ended.lock().unwrap()), seen);
        seen
    }
}

impl ClientInterceptor for Counter {
    fn send_request(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.begun.lock().unwrap()[0] += 1;
        Ok(())
    }

    fn receive_reply(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.ended.lock().unwrap()[0] += 1;
        Ok(())
    }

    fn processing_mode(&self) -> ProcessingMode {
        self.mode
    }
}

impl ServerInterceptor for Counter {
    fn receive_request(&self, _: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.begun.lock().unwrap()[1] += 1;
        Ok(())
    }

    fn send_reply(&self, _: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.ended.lock().unwrap()[1] += 1;
        Ok(())
    }

    fn processing_mode(&self) -> ProcessingMode {
        self.mode
    }
}

use ProcessingMode::{Encoded, LocalAndRemote, LocalOnly, RemoteOnly};

/// What interceptors of these modes see of a call within the process and of one from another.
fn count<const N: usize>(modes: [ProcessingMode; N], collocation: Collocation) -> [[usize; 2]; N] {
    let counters = modes.map(Counter::new);
    let builder = orbs::builder().settings(|settings| settings.collocation = collocation);
    let builder = counters.iter().fold(builder, |builder, counter| {
        builder.client_interceptor(counter.clone()).server_interceptor(counter.clone())
    });
    let server = Server::of(builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    server.remote(&orbs::client()).ping().unwrap();
    let remote = counters.each_ref().map(|counter| counter.seen()[1]);
    server.local.ping().unwrap();
    let mut seen = remote.map(|remote| [remote, 0]);
    for (seen, counter) in seen.iter_mut().zip(&counters) {
        let [client, served] = counter.seen();
        assert_eq!(client, served, "both ends see it");
        seen[1] = served;
    }
    seen
}

#[test]
fn interceptors_see_the_calls_of_their_processing_mode() {
    let all = [LocalOnly, RemoteOnly, LocalAndRemote, Encoded];
    assert_eq!(count(all, Collocation::Direct), [[0, 1], [1, 0], [1, 1], [1, 1]]);
    assert_eq!(count([RemoteOnly, Encoded], Collocation::Direct), [[1, 0], [1, 0]]);
    assert_eq!(count([RemoteOnly, Encoded], Collocation::ThroughPoa), [[1, 0], [1, 1]]);
    assert_eq!(count([Encoded, LocalOnly], Collocation::Direct), [[1, 1], [0, 1]]);
}

#[test]
fn a_request_from_elsewhere_is_one_although_the_main_thread_serves_it() {
    let counters = [RemoteOnly, LocalOnly].map(Counter::new);
    let builder = counters
        .iter()
        .fold(orbs::builder(), |builder, counter| builder.server_interceptor(counter.clone()));
    let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let main = orb.root_poa().create_poa("main").policy(Threading::MainThread).build().unwrap();
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    let far = orbs::travel(&main.activate(servant).unwrap(), &orbs::client());
    let caller = std::thread::spawn({
        let orb = orb.clone();
        move || {
            far.ping().unwrap();
            orb.shutdown();
        }
    });
    orb.run().unwrap();
    caller.join().unwrap();
    assert_eq!(counters.map(|counter| counter.seen()[1]), [1, 0]);
}
