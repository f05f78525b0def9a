use super::*;
use crate::testing::{message, written};
use crate::{
    LocateStatus, ReplyStatus, Version, begin_locate_reply, begin_reply, close_connection,
    message_error,
};
use alloc::vec::Vec;
use armilla_cdr::ByteOrder;

fn reply(id: u32) -> Vec<u8> {
    written(ByteOrder::Big, |out| {
        begin_reply(out, Version::V1_2, id, ReplyStatus::NoException, &[]).unwrap();
    })
}

/// A connection on which these calls wait for their replies.
fn with<const N: usize>(calls: [&'static str; N]) -> (Initiator<&'static str>, [u32; N]) {
    let mut initiator = Initiator::new(8);
    let ids = calls.map(|call| {
        let id = initiator.begin(call, None).unwrap();
        initiator.queue(id, 100);
        initiator.sent(100);
        id
    });
    (initiator, ids)
}

fn answered(initiator: &mut Initiator<&'static str>, id: u32) -> Option<&'static str> {
    let octets = reply(id);
    match initiator.receive(&message(&octets)).unwrap() {
        ClientEvent::Reply(call, header, _) => {
            assert_eq!(header.request_id, id);
            Some(call)
        }
        _ => None,
    }
}

fn lost(
    initiator: &mut Initiator<&'static str>,
    loss: &ConnectionLoss,
) -> Vec<(&'static str, CompletionStatus)> {
    let mut lost: Vec<_> = initiator.end(loss).collect();
    lost.sort_by_key(|(call, _)| *call);
    assert_eq!(initiator.begin("late", None), Err(BeginError::Closed));
    lost
}

#[test]
fn replies_find_their_calls_in_any_order_and_once() {
    let (mut initiator, [a, b, c]) = with(["a", "b", "c"]);
    for (id, call) in [(b, "b"), (c, "c"), (a, "a")] {
        assert_eq!(answered(&mut initiator, id), Some(call));
        assert_eq!(answered(&mut initiator, id), None, "a reply that comes twice");
    }
    assert!(initiator.is_idle());
    assert_eq!(answered(&mut initiator, 4711), None, "a reply to nothing");
}

#[test]
fn a_locate_reply_is_not_accepted_for_a_request() {
    let (mut initiator, [a]) = with(["a"]);
    let octets = written(ByteOrder::Little, |out| {
        begin_locate_reply(out, Version::V1_2, a, LocateStatus::ObjectHere);
    });
    let arrived = initiator.receive(&message(&octets)).unwrap();
    assert!(matches!(arrived, ClientEvent::LocateReply("a", header, _)
        if header.status == LocateStatus::ObjectHere));
}

#[test]
fn a_cancelled_call_takes_no_place_and_its_late_reply_is_passed_over() {
    let (mut initiator, [a, b]) = with(["a", "b"]);
    assert_eq!(initiator.cancel(a), Some("a"));
    assert_eq!(initiator.cancel(a), None);
    assert_eq!((initiator.in_flight(), initiator.is_pending(a)), (1, false));
    assert_eq!(answered(&mut initiator, a), None, "nobody waits for it any more");
    assert_eq!(answered(&mut initiator, b), Some("b"));
    for turn in 0..100_u64 {
        let id = initiator.begin("later", Some(turn)).expect("the others have left");
        match turn % 2 {
            0 => assert_eq!(initiator.cancel(id), Some("later")),
            _ => initiator.expire(turn, |expired, _| assert_eq!(expired, id)),
        }
        assert!(initiator.is_idle());
    }
}

/// The sequence of ids has gone round.
#[test]
fn a_late_reply_is_never_taken_for_that_of_a_later_call() {
    for cancelled_first in [true, false] {
        let (mut initiator, [a, b, c]) = with(["a", "b", "c"]);
        initiator.cancel(if cancelled_first { a } else { b });
        initiator.cancel(c);
        initiator.next_id = u32::MAX;
        assert_eq!(initiator.begin("last", None), Ok(u32::MAX));
        // Ids in use are passed over, and those of cancelled calls are not used again.
        assert_eq!(initiator.begin("later", None), Err(BeginError::Closed));
        assert!(!initiator.is_open());
        for stale in [a, b, c] {
            let waits = initiator.is_pending(stale);
            assert_eq!(answered(&mut initiator, stale).is_some(), waits);
        }
        assert_eq!(answered(&mut initiator, u32::MAX), Some("last"));
    }
}

#[test]
fn a_oneway_request_with_the_id_of_a_cancelled_call_ends_the_sequence_too() {
    let (mut initiator, [a]) = with(["a"]);
    initiator.cancel(a);
    initiator.next_id = a;
    assert_eq!(initiator.next_id(), a, "no reply comes to it");
    assert_eq!(initiator.begin("b", None), Err(BeginError::Closed));
}

/// The server may not have been told of the cancellation when it sends MessageError.
#[test]
fn the_message_that_a_server_cannot_read_may_be_a_cancelled_request() {
    let (mut initiator, [a, _]) = with(["a", "b"]);
    initiator.cancel(a);
    let maybe = [("b", CompletionStatus::Maybe)];
    assert_eq!(lost(&mut initiator, &ConnectionLoss::MessageError), maybe);

    let mut initiator = Initiator::new(8);
    for call in ["a", "b"] {
        let id = initiator.begin(call, None).unwrap();
        initiator.queue(id, 100);
    }
    initiator.sent(100);
    initiator.cancel(initiator.next_id - 1);
    let executed = [("a", CompletionStatus::No)];
    assert_eq!(lost(&mut initiator, &ConnectionLoss::MessageError), executed, "b was not sent");
}

#[test]
fn both_ends_of_a_connection_have_numbers_of_their_own() {
    for (role, first) in [(Role::Originator, 0), (Role::Acceptor, 1)] {
        let mut initiator = Initiator::bidirectional(3, role);
        let numbers = ["a", "b", "c"].map(|call| initiator.begin(call, None).unwrap());
        assert_eq!(numbers, [first, first + 2, first + 4]);
        initiator.next_id = u32::MAX - 1 + first;
        assert_eq!(initiator.next_id(), u32::MAX - 1 + first);
        assert_eq!(initiator.next_id(), first + 6, "those in use are passed over");
    }
}

#[test]
fn numbers_go_round() {
    let mut initiator = Initiator::new(2);
    initiator.next_id = u32::MAX;
    let [last, first] = ["last", "first"].map(|call| initiator.begin(call, None).unwrap());
    assert_eq!((last, first), (u32::MAX, 0));
    assert_eq!(initiator.begin("third", None), Err(BeginError::Full));
    assert_eq!(initiator.next_id(), 1, "oneway calls need no room");
    initiator.forget(first);
    assert_eq!(initiator.begin("third", None), Ok(2));
}

#[test]
fn a_server_that_closes_in_order_has_begun_nothing_that_it_did_not_answer() {
    let (mut initiator, [a, ..]) = with(["a", "b", "c"]);
    answered(&mut initiator, a);
    let octets = close_connection(Version::V1_2);
    let loss = initiator.receive(&message(&octets)).unwrap_err();
    assert_eq!(loss, ConnectionLoss::Closed);
    let expected = [("b", CompletionStatus::No), ("c", CompletionStatus::No)];
    assert_eq!(lost(&mut initiator, &loss), expected);
}

#[test]
fn a_request_behind_which_a_oneway_request_was_sent_may_have_been_executed() {
    for loss in [ConnectionLoss::Closed, ConnectionLoss::MessageError] {
        let mut initiator = Initiator::new(8);
        initiator.begin("a", None).unwrap();
        initiator.next_id();
        assert_eq!(lost(&mut initiator, &loss), [("a", CompletionStatus::Maybe)]);
        // Of queued requests it counts what was sent.
        for (sent, executed) in [(50, CompletionStatus::No), (51, CompletionStatus::Maybe)] {
            let mut initiator = Initiator::new(8);
            let a = initiator.begin("a", None).unwrap();
            initiator.queue(a, 50);
            initiator.next_id();
            initiator.queue_other(20);
            initiator.sent(sent);
            assert_eq!(lost(&mut initiator, &loss), [("a", executed)]);
        }
    }
}

#[test]
fn a_server_that_cannot_read_a_message_does_not_say_which() {
    let octets = message_error(Version::V1_2);
    let (mut one, _) = with(["a"]);
    let loss = one.receive(&message(&octets)).unwrap_err();
    assert_eq!(lost(&mut one, &loss), [("a", CompletionStatus::No)]);
    let (mut two, _) = with(["a", "b"]);
    let expected = [("a", CompletionStatus::Maybe), ("b", CompletionStatus::Maybe)];
    assert_eq!(lost(&mut two, &loss), expected, "it may read on behind the message");
    let (mut answered_before, [a, _]) = with(["a", "b"]);
    answered(&mut answered_before, a);
    assert_eq!(lost(&mut answered_before, &loss), [("b", CompletionStatus::No)]);
    let (mut unsent_behind, _) = with(["a"]);
    let b = unsent_behind.begin("b", None).unwrap();
    unsent_behind.queue(b, 50);
    let expected = [("a", CompletionStatus::No), ("b", CompletionStatus::No)];
    assert_eq!(lost(&mut unsent_behind, &loss), expected);
}

#[test]
fn the_message_that_a_server_cannot_read_may_be_one_that_waits_for_no_reply() {
    let loss = ConnectionLoss::MessageError;
    let mut exclusive = Initiator::new(1);
    exclusive.next_id();
    exclusive.begin("a", None).unwrap();
    assert_eq!(lost(&mut exclusive, &loss), [("a", CompletionStatus::Maybe)]);
    let mut queued = Initiator::new(8);
    queued.next_id();
    queued.queue_other(20);
    let a = queued.begin("a", None).unwrap();
    queued.queue(a, 50);
    queued.sent(70);
    assert_eq!(lost(&mut queued, &loss), [("a", CompletionStatus::Maybe)]);
}

#[test]
fn the_message_that_a_peer_cannot_read_may_be_a_reply_on_a_bidirectional_connection() {
    let mut both = Initiator::bidirectional(8, Role::Originator);
    let a = both.begin("a", None).unwrap();
    both.queue(a, 50);
    both.sent(50);
    let expected = [("a", CompletionStatus::Maybe)];
    assert_eq!(lost(&mut both, &ConnectionLoss::MessageError), expected);
}

#[test]
fn a_partly_sent_request_was_not_executed() {
    let (mut initiator, _) = with(["a"]);
    let b = initiator.begin("b", None).unwrap();
    initiator.queue(b, 50);
    initiator.queue_other(20);
    let c = initiator.begin("c", None).unwrap();
    initiator.queue(c, 50);
    initiator.sent(50 + 20 + 49);
    let expected = [
        ("a", CompletionStatus::Maybe),
        ("b", CompletionStatus::Maybe),
        ("c", CompletionStatus::No),
    ];
    assert_eq!(lost(&mut initiator, &ConnectionLoss::Broken), expected);
}

#[test]
fn messages_that_no_server_sends_end_the_connection() {
    let (mut initiator, _) = with(["a"]);
    let octets = crate::cancel_request(Version::V1_2, 0);
    let loss = initiator.receive(&message(&octets)).unwrap_err();
    assert_eq!(loss, ConnectionLoss::Unexpected(MessageKind::CancelRequest));
    let mut octets = reply(0);
    octets.truncate(14);
    octets[8..12].copy_from_slice(&2_u32.to_be_bytes());
    let loss = initiator.receive(&message(&octets)).unwrap_err();
    assert!(matches!(loss, ConnectionLoss::Malformed(MessageKind::Reply, _)));
    assert_eq!(lost(&mut initiator, &loss), [("a", CompletionStatus::Maybe)]);
}

#[test]
fn calls_expire_at_their_time() {
    let mut initiator = Initiator::new(8);
    for (call, deadline) in [("a", Some(30)), ("b", None), ("c", Some(10)), ("d", Some(20))] {
        initiator.begin(call, deadline).unwrap();
    }
    let mut expired = |now| {
        let mut calls = Vec::new();
        initiator.expire(now, |_, call| calls.push(call));
        calls.sort_unstable();
        (calls, initiator.poll_timeout())
    };
    assert_eq!(expired(9), (alloc::vec![], Some(10)));
    assert_eq!(expired(25), (alloc::vec!["c", "d"], Some(30)));
    assert_eq!(expired(30), (alloc::vec!["a"], None));
    assert!(!initiator.is_idle(), "b has no limit");
}
