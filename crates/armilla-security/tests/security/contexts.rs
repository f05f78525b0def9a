//! Contexts that a server keeps.

use crate::world::{Client, Server};
use armilla_security::{Authentication, ClientSecurity, ContextLimits};
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
