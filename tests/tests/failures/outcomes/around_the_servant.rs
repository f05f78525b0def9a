//! Exceptions of the code around the servant: interceptors, servant managers, response handlers.

use super::{Failing, raised};
use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, ServerInterceptor, ServerRequestInfo,
};
use armilla::{
    AnyServant, Completion, Cookie, ObjectId, Orb, Poa, RequestProcessing, ServantLocator,
    ServantManager, ServantManagerError, ServantRetention, SystemException,
};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

/// The interception points of a call that is served.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Point {
    SendRequest,
    ReceiveContexts,
    ReceiveRequest,
    SendReply,
    SendException,
    ReceiveReply,
    ReceiveException,
}

/// Raises an exception with this completion status at one point.
#[derive(Clone, Copy)]
struct Raising(Point, Completion);

impl Raising {
    fn at(self, point: Point) -> Result<(), SystemException> {
        if self.0 == point { Err(raised(self.1)) } else { Ok(()) }
    }
}

impl ServerInterceptor for Raising {
    fn receive_request_service_contexts(
        &self,
        _: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        Ok(self.at(Point::ReceiveContexts)?)
    }

    fn receive_request(&self, _: &mut ServerRequestInfo) -> Result<(), Interruption> {
        Ok(self.at(Point::ReceiveRequest)?)
    }

    fn send_reply(&self, _: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.at(Point::SendReply)
    }

    fn send_exception(&self, _: &mut ServerRequestInfo) -> Result<(), Interruption> {
        Ok(self.at(Point::SendException)?)
    }
}

impl ClientInterceptor for Raising {
    fn send_request(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        Ok(self.at(Point::SendRequest)?)
    }

    fn receive_reply(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.at(Point::ReceiveReply)
    }

    fn receive_exception(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        Ok(self.at(Point::ReceiveException)?)
    }
}

/// The completion status with which a call ends whose interceptor raises an exception; the servant
/// answers with `outcome`.
fn intercepted(raising: Raising, outcome: fn() -> Result<(), SystemException>) -> Completion {
    let server = orbs::builder().listen("iiop://127.0.0.1:0").unwrap();
    let server = server.server_interceptor(raising).build().unwrap();
    let servant = Failing::new(outcome);
    let local: ListenerRef =
        server.root_poa().activate(servant.clone() as Arc<dyn Listener>).unwrap();
    let client = orbs::builder().client_interceptor(raising).build().unwrap();
    let remote = travel(&local, &client);
    let ended = [remote.hear(""), remote.hear_async("").wait()];
    let [sync, asynchronous] = ended.map(|ended| ended.unwrap_err().completed());
    assert_eq!(sync, asynchronous, "{:?}", raising.0);
    let entered = servant.entered.load(SeqCst);
    assert!(entered == 0 || entered == 2, "nothing was repeated: {entered}");
    sync
}

#[test]
fn an_interceptor_behind_the_servant_cannot_say_that_it_was_not_executed() {
    for point in [Point::SendReply, Point::ReceiveReply] {
        let completed = intercepted(Raising(point, Completion::No), || Ok(()));
        assert_eq!(completed, Completion::Maybe, "{point:?}");
    }
    for point in [Point::SendException, Point::ReceiveException] {
        let outcome = || Err(raised(Completion::Maybe));
        let completed = intercepted(Raising(point, Completion::No), outcome);
        assert_eq!(completed, Completion::Maybe, "{point:?}");
    }
}

#[test]
fn an_interceptor_before_the_servant_cannot_say_that_it_was_executed() {
    for point in [Point::SendRequest, Point::ReceiveContexts, Point::ReceiveRequest] {
        let completed = intercepted(Raising(point, Completion::Yes), || Ok(()));
        assert_eq!(completed, Completion::No, "{point:?}");
    }
}

/// Ends the request before the servant is called, and says afterwards that it was executed.
struct Refusing;

impl ClientInterceptor for Refusing {
    fn send_request(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        Err(raised(Completion::No).into())
    }
}

impl ServerInterceptor for Refusing {
    fn receive_request(&self, _: &mut ServerRequestInfo) -> Result<(), Interruption> {
        Err(raised(Completion::No).into())
    }
}

#[test]
fn an_interceptor_cannot_say_that_a_refused_request_was_executed() {
    let executed = Raising(Point::SendException, Completion::Yes);
    let server = orbs::builder().listen("iiop://127.0.0.1:0").unwrap();
    let server = server.server_interceptor(executed).server_interceptor(Refusing);
    let server = Server::of(server.build().unwrap());
    let remote = server.remote(&orbs::client());
    let executed = Raising(Point::ReceiveException, Completion::Yes);
    let client = orbs::builder().client_interceptor(executed).client_interceptor(Refusing);
    let refused = server.remote(&client.build().unwrap());
    for object in [remote, refused] {
        assert_eq!(object.increment().unwrap_err().completed(), Completion::No);
        assert_eq!(object.increment_async().wait().unwrap_err().completed(), Completion::No);
    }
    assert_eq!(server.probe.count(), Ok(0));
}

/// Raises an exception before or after the servant.
struct Locator {
    before: Option<Completion>,
    after: Option<Completion>,
    servant: Arc<dyn Listener>,
}

impl ServantLocator for Locator {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        match self.before {
            Some(completed) => Err(raised(completed).into()),
            None => Ok((self.servant.clone().into(), Cookie::default())),
        }
    }

    fn postinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
        _: Cookie,
        _: AnyServant,
    ) -> Result<(), SystemException> {
        self.after.map_or(Ok(()), |completed| Err(raised(completed)))
    }
}

fn located(orb: &Orb, locator: Locator) -> ListenerRef {
    let poa = orb
        .root_poa()
        .create_poa(orbs::unique("located"))
        .user_ids()
        .policy(ServantRetention::NonRetain)
        .policy(RequestProcessing::ServantManager)
        .servant_manager(ServantManager::locator(locator))
        .build()
        .unwrap();
    poa.create_reference_with_id("it").unwrap()
}

#[test]
fn a_servant_locator_says_the_truth_about_the_servant() {
    let server = orbs::listening();
    let client = orbs::client();
    let cases = [
        (Some(Completion::Yes), None, Completion::No, 0),
        (Some(Completion::No), None, Completion::No, 0),
        (None, Some(Completion::No), Completion::Maybe, 1),
        (None, Some(Completion::Yes), Completion::Yes, 1),
    ];
    for (before, after, expected, entered) in cases {
        let servant = Failing::new(|| Ok(()));
        let locator = Locator { before, after, servant: servant.clone() };
        let local = located(&server, locator);
        for object in [travel(&local, &client), local] {
            let error = object.hear("").unwrap_err();
            assert_eq!(error.completed(), expected, "{before:?} {after:?}: {error}");
            assert_eq!(servant.entered.swap(0, SeqCst), entered);
        }
    }
}

#[test]
fn a_servant_that_panics_was_perhaps_executed() {
    let server = Server::start();
    let servant = Failing::new(|| panic!("as the test wants it"));
    let local: ListenerRef = server.root_poa().activate(servant as Arc<dyn Listener>).unwrap();
    let error = travel(&local, &orbs::client()).hear("").unwrap_err();
    assert_eq!(error.completed(), Completion::Maybe);
}
