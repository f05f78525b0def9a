//! Contexts that a server keeps.

use crate::world::{Client, Server};
use armilla::interceptor::{Interruption, ServerInterceptor, ServerRequestInfo};
use armilla::{Object, Orb, Policies, Rebind};
use armilla_security::{Authentication, ClientSecurity, ContextLimits};
use bank::bank::Account;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

fn stateful(server: &Server) -> Client {
    let security =
        ClientSecurity::builder().user("ann".parse().unwrap(), "secret").stateful(true).build();
    Client::with(server, &security)
}

#[test]
fn a_context_holds_for_its_connection_and_others_establish_their_own() {
    let server = Server::new(|builder| builder.authentication(Authentication::Required));
    let client = stateful(&server);
    for _ in 0..3 {
        assert_eq!(client.call(), Ok(1.0));
    }
    // At once, so over connections of their own.
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..20).for_each(|_| assert_eq!(client.call(), Ok(1.0))));
        }
    });
    let callers = server.callers();
    assert_eq!(callers.len(), 163, "each ran once");
    assert!(callers.iter().all(|caller| caller == "ann@bank by password"));
}

#[test]
fn a_client_whose_context_was_evicted_establishes_it_again() {
    let limits = ContextLimits { idle: Duration::ZERO, ..ContextLimits::default() };
    let server = Server::new(|it| it.authentication(Authentication::Required).contexts(limits));
    let client = stateful(&server);
    for _ in 0..5 {
        assert_eq!(client.call(), Ok(1.0));
    }
    assert_eq!(server.callers().len(), 5);
}

#[test]
fn a_server_without_contexts_is_shown_the_password_each_time() {
    let server = Server::new(|it| it.authentication(Authentication::Required).stateful(false));
    let client = stateful(&server);
    for _ in 0..3 {
        assert_eq!(client.call(), Ok(1.0));
    }
    assert_eq!(server.callers().len(), 3);
}

/// Sends every client to a server that may change, as a repository does.
#[derive(Clone, Default)]
struct Forwards(Arc<Mutex<Option<Object>>>);

impl ServerInterceptor for Forwards {
    fn receive_request(&self, _: &mut ServerRequestInfo) -> Result<(), Interruption> {
        match &*self.0.lock().unwrap() {
            Some(object) => Err(Interruption::Forward(object.clone())),
            None => Ok(()),
        }
    }
}

#[test]
fn behind_a_forward_a_forgotten_context_is_established_again_where_the_forward_leads_now() {
    let forwards = Forwards::default();
    let repository = Server::of(
        Orb::builder().listen("iiop://127.0.0.1:0").unwrap().server_interceptor(forwards.clone()),
        |it| it,
    );
    let forgetful = ContextLimits { idle: Duration::ZERO, ..ContextLimits::default() };
    let servers: Vec<_> = [forgetful, ContextLimits::default()]
        .map(|limits| {
            Server::new(|it| it.authentication(Authentication::Required).contexts(limits))
        })
        .into();
    let send_to = |server: &Server| {
        let object = repository.orb.string_to_object(&server.reference).unwrap();
        *forwards.0.lock().unwrap() = Some(object);
    };
    let client = stateful(&repository);
    send_to(&servers[0]);
    for _ in 0..5 {
        assert_eq!(client.call(), Ok(1.0));
    }
    assert_eq!(servers[0].callers(), ["ann@bank by password"; 5], "each ran once");
    // The server has moved, and the old one knows the context no more.
    send_to(&servers[1]);
    for _ in 0..3 {
        assert_eq!(client.call(), Ok(1.0));
    }
    assert_eq!(servers[0].callers().len() + servers[1].callers().len(), 3);
    assert!(repository.callers().is_empty());
}

#[test]
fn a_client_that_may_not_rebind_keeps_no_context_and_never_has_to_be_asked_again() {
    let forwards = Forwards::default();
    let repository = Server::of(
        Orb::builder().listen("iiop://127.0.0.1:0").unwrap().server_interceptor(forwards.clone()),
        |it| it,
    );
    let forgetful = ContextLimits { idle: Duration::ZERO, ..ContextLimits::default() };
    let server = Server::new(|it| it.authentication(Authentication::Required).contexts(forgetful));
    let object = repository.orb.string_to_object(&server.reference).unwrap();
    *forwards.0.lock().unwrap() = Some(object);
    for reached in [&repository, &server] {
        let client = stateful(reached);
        for rebind in [Rebind::NoRebind, Rebind::NoReconnect] {
            let policies = Policies { rebind: Some(rebind), ..Policies::default() };
            let account = client.account.with_policies(policies);
            for _ in 0..5 {
                assert_eq!(account.balance(), Ok(1.0), "{rebind:?}");
            }
            assert_eq!(server.callers(), ["ann@bank by password"; 5], "each ran once");
        }
    }
}
