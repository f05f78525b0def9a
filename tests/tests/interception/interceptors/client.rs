//! Client interceptors: their order, what they see, and requests that they interrupt.

use super::{Deed, client_side, raise, system};
use armilla::{Error, ExceptionKind};
use armilla_tests::orbs::Server;
use armilla_tests::peer::dead_port;
use armilla_tests::probe::*;
use std::sync::{Arc, OnceLock};

#[test]
fn a_client_calls_them_forth_and_back() {
    let (server, client, witnesses) = client_side();
    let remote = server.remote(&client);
    remote.ping().unwrap();
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, \
         c.receive_reply Successful, b.receive_reply Successful, a.receive_reply Successful",
    );
    client.shutdown();
    witnesses.expect("a.destroy, b.destroy, c.destroy");
}

#[test]
fn a_client_sees_exceptions_of_both_kinds() {
    let (server, client, witnesses) = client_side();
    let remote = server.remote(&client);
    let refused = remote.choose(2, &mut String::new());
    assert!(matches!(refused, Err(Error::User(everything::ChooseRaises::Empty(_)))));
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_exception UserException, \
         b.receive_exception UserException, a.receive_exception UserException",
    );
    assert_eq!(system(remote.choose(3, &mut String::new())), ExceptionKind::NoPermission);
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_exception SystemException, \
         b.receive_exception SystemException, a.receive_exception SystemException",
    );
}

#[test]
fn interceptors_without_a_starting_point_get_no_ending_point() {
    let (server, client, witnesses) = client_side();
    let remote = server.remote(&client);
    witnesses.tell(1, "send_request", raise(ExceptionKind::NoPermission));
    assert_eq!(remote.ping().unwrap_err().kind(), ExceptionKind::NoPermission);
    witnesses.expect("a.send_request, b.send_request, a.receive_exception SystemException");
    witnesses.tell(0, "send_request", raise(ExceptionKind::NoPermission));
    assert_eq!(remote.ping().unwrap_err().kind(), ExceptionKind::NoPermission);
    witnesses.expect("a.send_request");
    assert_eq!(remote.count().unwrap(), 0, "the server was never called, and can be");
}

#[test]
fn an_exception_of_an_ending_point_replaces_the_outcome_for_the_rest() {
    let (server, client, witnesses) = client_side();
    let remote = server.remote(&client);
    witnesses.tell(2, "receive_reply", raise(ExceptionKind::Internal));
    witnesses.tell(1, "receive_exception", raise(ExceptionKind::NoResources));
    assert_eq!(remote.increment().unwrap_err().kind(), ExceptionKind::NoResources);
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_reply Successful, \
         b.receive_exception SystemException, a.receive_exception SystemException",
    );
    assert_eq!(remote.count().unwrap(), 1, "the operation was executed");
    witnesses.diary();
    witnesses.tell(2, "receive_other", raise(ExceptionKind::BadContext));
    assert_eq!(remote.remark("x").unwrap_err().kind(), ExceptionKind::BadContext);
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_other Unknown, \
         b.receive_exception SystemException, a.receive_exception SystemException",
    );
}

#[test]
fn a_client_interceptor_sends_a_request_elsewhere_from_its_beginning_and_from_its_end() {
    let (server, client, witnesses) = client_side();
    let other = Server::start();
    let place = Arc::new(OnceLock::new());
    place.set(other.remote(&client).object().clone()).unwrap();
    let remote = server.remote(&client);
    witnesses.tell(1, "send_request", Deed::Forward(place.clone()));
    assert_eq!(remote.increment().unwrap(), 1);
    witnesses.expect(
        "a.send_request, b.send_request, a.receive_other LocationForward, a.send_request, \
         b.send_request, c.send_request, c.receive_reply Successful, b.receive_reply Successful, \
         a.receive_reply Successful",
    );
    assert_eq!((server.local.count().unwrap(), other.local.count().unwrap()), (0, 1));

    let remote = server.remote(&client);
    witnesses.tell(2, "receive_exception", Deed::Forward(place));
    let mut note = "why".to_owned();
    let refused = remote.choose(1, &mut note);
    assert!(matches!(refused, Err(Error::User(everything::ChooseRaises::Refused(_)))), "again");
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_exception UserException, \
         b.receive_other LocationForward, a.receive_other LocationForward, \
         a.send_request, b.send_request, c.send_request, c.receive_exception UserException, \
         b.receive_exception UserException, a.receive_exception UserException",
    );
}

#[test]
fn a_forward_of_the_server_and_a_retry_begin_anew() {
    let (server, client, witnesses) = client_side();
    let url = server.orb.publish("Probe", &server.local).unwrap();
    let published: EverythingRef = client.string_to_object(&url).unwrap().assume();
    published.ping().unwrap();
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_other LocationForward, \
         b.receive_other LocationForward, a.receive_other LocationForward, a.send_request, \
         b.send_request, c.send_request, c.receive_reply Successful, b.receive_reply Successful, \
         a.receive_reply Successful",
    );
    // The first address of this reference refuses connections.
    let mut ior = server.local.object().ior();
    let mut profile = ior.iiop_profiles().next().unwrap().unwrap();
    (profile.host, profile.port) = ("127.0.0.1".into(), dead_port());
    ior.profiles.insert(0, profile.to_tagged().unwrap());
    let text = ior.to_text().unwrap();
    let remote: EverythingRef = client.string_to_object(&text).unwrap().assume();
    remote.ping().unwrap();
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_other TransportRetry, \
         b.receive_other TransportRetry, a.receive_other TransportRetry, a.send_request, \
         b.send_request, c.send_request, c.receive_reply Successful, b.receive_reply Successful, \
         a.receive_reply Successful",
    );
}
