//! Replies that cannot be understood: their status still says whether the call was executed.

use armilla::{Completion, ExceptionKind, Version};
use armilla_giop::{LocateStatus, MessageHeader, ReplyStatus, begin_locate_reply};
use armilla_tests::orbs;
use armilla_tests::peer::{self, Peer, Request};
use armilla_tests::probe::*;

/// How a call ends that is answered so, by an exclusive and by a multiplexed connection, and
/// asynchronously.
fn ended(answer: fn(&Request) -> Vec<u8>) -> (ExceptionKind, Completion) {
    let peer = Peer::answering(answer);
    let client = orbs::client();
    let reference = peer.reference(&client, Version::V1_2);
    let shared = reference.with_connection_policy(armilla::ConnectionPolicy::Multiplexed);
    let outcomes = [reference.count(), shared.count(), reference.count_async().wait()];
    let outcomes = outcomes.map(|outcome| {
        let error = outcome.unwrap_err();
        (error.kind(), error.completed())
    });
    assert_eq!(outcomes[0], outcomes[1], "exclusive and multiplexed");
    assert_eq!(outcomes[0], outcomes[2], "synchronous and asynchronous");
    outcomes[0]
}

fn empty(request: &Request, status: ReplyStatus) -> Vec<u8> {
    peer::reply(request.version, request.order, request.id, status, |_| Ok(()))
}

#[test]
fn a_result_or_user_exception_that_cannot_be_decoded_was_executed() {
    let executed = (ExceptionKind::Marshal, Completion::Yes);
    assert_eq!(ended(|request| empty(request, ReplyStatus::NoException)), executed);
    assert_eq!(ended(|request| empty(request, ReplyStatus::UserException)), executed);
}

#[test]
fn a_forward_that_cannot_be_decoded_was_not_executed() {
    let forwarded = (ExceptionKind::Marshal, Completion::No);
    assert_eq!(ended(|request| empty(request, ReplyStatus::LocationForward)), forwarded);
    assert_eq!(ended(|request| empty(request, ReplyStatus::LocationForwardPerm)), forwarded);
    assert_eq!(ended(|request| empty(request, ReplyStatus::NeedsAddressingMode)), forwarded);
}

#[test]
fn a_system_exception_that_cannot_be_decoded_was_perhaps_executed() {
    let unknown = (ExceptionKind::Marshal, Completion::Maybe);
    assert_eq!(ended(|request| empty(request, ReplyStatus::SystemException)), unknown);
}

#[test]
fn a_reply_of_the_wrong_kind_says_nothing() {
    let (_, completed) = ended(|request| {
        let mut out = armilla_cdr::Encoder::new(request.order);
        begin_locate_reply(&mut out, request.version, request.id, LocateStatus::ObjectHere);
        MessageHeader::finish(&mut out).unwrap();
        out.to_vec()
    });
    assert_eq!(completed, Completion::Maybe);
}
