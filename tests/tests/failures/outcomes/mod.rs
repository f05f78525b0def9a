//! Completion statuses: after a servant was entered, nothing but the servant itself tells the client
//! that the call was not executed, so that nothing executes it twice.

mod around_the_servant;
mod connections;
mod replies;

use armilla::dynamic::{DynamicServant, ParameterMode, ServerRequest, serve};
use armilla::{
    Any, Collocation, Completion, Error, ExceptionKind, Minor, ObjectId, Orb, Policies, Retries,
    SystemException, TypeCode,
};
use armilla_tests::orbs::{self, travel};
use armilla_tests::probe::*;
use std::borrow::Cow;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

type Outcome = Result<(), SystemException>;

/// A servant that counts its calls and ends each in the same way.
struct Failing<F> {
    entered: AtomicU32,
    end: F,
}

impl<F: Fn() -> Outcome + Send + Sync + 'static> Failing<F> {
    fn new(end: F) -> Arc<Self> {
        Arc::new(Self { entered: AtomicU32::new(0), end })
    }

    fn fail(&self) -> Outcome {
        self.entered.fetch_add(1, SeqCst);
        (self.end)()
    }
}

impl<F: Fn() -> Outcome + Send + Sync + 'static> Listener for Failing<F> {
    fn hear(&self, _text: &str) -> Outcome {
        self.fail()
    }

    fn descend(&self, _partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        Ok(depth)
    }
}

fn raised(completed: Completion) -> SystemException {
    SystemException::new(ExceptionKind::Transient, Minor(7), completed)
}

/// A reference to an object that cannot be reached.
fn dead(client: &Orb) -> EverythingRef {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("corbaloc::127.0.0.1:{port}/dead");
    client.string_to_object(&url).unwrap().assume()
}

/// Policies under which a client repeats whatever was not executed.
fn eager() -> Policies {
    let mut policies = Policies::default();
    let delay = Duration::from_millis(1);
    policies.retries = Some(Retries { count: 5, delay, ..Retries::NONE });
    policies
}

/// Calls the object in every way: as a remote one by stub, asynchronously and dynamically, by its
/// published name, and within the process directly and through the POA.
fn in_every_way(activate: impl Fn(&Orb) -> ListenerRef, check: impl Fn(&str, Outcome)) {
    let server = orbs::listening();
    let local = activate(&server);
    let client = orbs::client();
    let remote = travel(&local, &client).with_policies(eager());
    check("remote", remote.hear(""));
    check("asynchronous", remote.hear_async("").wait());
    let mut request = remote.object().request("hear");
    request.add_in("text", Any::new("").unwrap());
    check("dynamic", request.invoke().map(drop).map_err(system));
    let url = server.publish("listener", local.object()).unwrap();
    let published: ListenerRef = client.resolve(&url).unwrap();
    check("published", published.with_policies(eager()).hear(""));
    check("collocated", local.with_policies(eager()).hear(""));
    check("asynchronous within the process", local.hear_async("").wait());
    let through = orbs::builder()
        .settings(|settings| settings.collocation = Collocation::ThroughPoa)
        .build()
        .unwrap();
    check("through the POA", activate(&through).with_policies(eager()).hear(""));
}

fn system<E>(error: Error<E>) -> SystemException {
    match error {
        Error::System(exception) => exception,
        Error::User(_) => panic!("a user exception"),
    }
}

/// Checks that each way of calling enters the servant once and ends with this status.
fn assert_each_ends<F>(servant: &Arc<Failing<F>>, expected: Completion)
where
    F: Fn() -> Outcome + Send + Sync + 'static,
{
    let activate =
        |orb: &Orb| orb.root_poa().activate(servant.clone() as Arc<dyn Listener>).unwrap();
    in_every_way(activate, |way, outcome| {
        let error = outcome.expect_err(way);
        assert_eq!(error.completed(), expected, "{way}: {error}");
        assert_eq!(servant.entered.swap(0, SeqCst), 1, "{way}: how often it was executed");
    });
}

#[test]
fn a_nested_call_that_was_not_executed_leaves_the_servant_as_perhaps_executed() {
    let client = orbs::client();
    let dead = dead(&client);
    assert_eq!(dead.ping().unwrap_err().completed(), Completion::No);
    assert_each_ends(&Failing::new(move || dead.ping()), Completion::Maybe);
}

#[test]
fn what_the_orb_refuses_to_a_servant_leaves_the_servant_as_perhaps_executed() {
    let client = orbs::client();
    let parse = move || client.string_to_object("nonsense").map(drop);
    assert_eq!(parse().unwrap_err().completed(), Completion::No);
    assert_each_ends(&Failing::new(parse), Completion::Maybe);
}

#[test]
fn a_servant_can_say_of_an_exception_of_its_own_that_it_was_not_executed() {
    let refused = || Err(ExceptionKind::NoPermission.because("the shutter is closed"));
    assert_each_ends(&Failing::new(refused), Completion::No);
    let (kind, minor) = (ExceptionKind::BadParam, Minor(0x1234_5006));
    let refused = move || Err(SystemException::new(kind, minor, Completion::No));
    assert_each_ends(&Failing::new(refused), Completion::No);
    let undecided = || Err(raised(Completion::Maybe));
    assert_each_ends(&Failing::new(undecided), Completion::Maybe);
}

#[test]
fn a_servant_can_state_that_a_nested_call_was_all_that_it_tried() {
    let client = orbs::client();
    let dead = dead(&client);
    let stated = move || {
        let failed = dead.ping().unwrap_err();
        // Not a TRANSIENT, which clients repeat.
        let other = ExceptionKind::NoResources;
        let failed = SystemException::new(other, failed.minor(), failed.completed());
        assert_eq!(failed.clone().completed(), Completion::No);
        Err(failed.with_completed(Completion::No))
    };
    assert_each_ends(&Failing::new(stated), Completion::No);
}

/// That is what the status says: the client may try again, as its policies allow.
#[test]
fn a_client_repeats_what_a_servant_has_refused_for_now() {
    let servant = Failing::new(|| Err(raised(Completion::No)));
    let server = orbs::listening();
    let local = server.root_poa().activate(servant.clone() as Arc<dyn Listener>).unwrap();
    let remote: ListenerRef = travel(&local, &orbs::client());
    assert_eq!(remote.hear("").unwrap_err().completed(), Completion::No);
    assert_eq!(servant.entered.swap(0, SeqCst), 1, "unless asked to repeat, it does not");
    assert!(remote.with_policies(eager()).hear("").is_err());
    assert_eq!(servant.entered.swap(0, SeqCst), 6);
}

#[test]
fn a_servant_can_say_that_it_was_executed() {
    assert_each_ends(&Failing::new(|| Err(raised(Completion::Yes))), Completion::Yes);
}

#[test]
fn a_nested_call_that_was_executed_says_nothing_of_the_call_around_it() {
    let other = orbs::listening();
    let inner = Failing::new(|| Err(raised(Completion::Yes)));
    let inner: ListenerRef = other.root_poa().activate(inner as Arc<dyn Listener>).unwrap();
    let client = orbs::client();
    for nested in [travel(&inner, &client), inner] {
        assert_eq!(nested.hear("").unwrap_err().completed(), Completion::Yes);
        assert_each_ends(&Failing::new(move || nested.hear("")), Completion::Maybe);
    }
}

struct Dynamic<F>(Arc<Failing<F>>);

impl<F: Fn() -> Outcome + Send + Sync + 'static> DynamicServant for Dynamic<F> {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:armilla.org/Probe/Listener:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Outcome {
        request.arguments([(ParameterMode::In, TypeCode::String(0))])?;
        self.0.fail()
    }
}

/// How each way of calling a dynamic servant ends.
fn assert_dynamic_ends<F>(servant: &Arc<Failing<F>>, expected: Completion)
where
    F: Fn() -> Outcome + Send + Sync + 'static,
{
    let activate = |orb: &Orb| -> ListenerRef {
        orb.root_poa().activate(serve(Dynamic(servant.clone()))).unwrap().object().assume()
    };
    in_every_way(activate, |way, outcome| {
        assert_eq!(outcome.expect_err(way).completed(), expected, "{way}");
        assert_eq!(servant.entered.swap(0, SeqCst), 1, "{way}");
    });
}

#[test]
fn a_dynamic_servant_says_of_its_own_exceptions_alone_that_it_was_not_executed() {
    let refused = || Err(ExceptionKind::NoPermission.because("the shutter is closed"));
    assert_dynamic_ends(&Failing::new(refused), Completion::No);
    let client = orbs::client();
    let dead = dead(&client);
    assert_dynamic_ends(&Failing::new(move || dead.ping()), Completion::Maybe);
}
