//! The detail message of a system exception, which the server sends in a standard service context.

use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException, Version};
use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::{
    ExceptionDetail, MessageHeader, ReplyStatus, ServiceContext, begin_reply, put_body,
};
use armilla_tests::orbs::{self, travel};
use armilla_tests::peer::Peer;
use armilla_tests::probe::*;

/// A listener that is never in the mood, and says so.
struct Deaf;

impl Listener for Deaf {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        assert_ne!(text, "panic");
        let refusal = SystemException::new(ExceptionKind::NoPermission, Minor(7), Completion::No);
        Err(refusal.with_reason(format!("the ear is closed to {text:?} until 6 o’clock")))
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

/// What a client hears of the failure of `text`, from a server in `orb`.
fn heard(orb: &Orb, text: &str) -> SystemException {
    let local: ListenerRef = orb.root_poa().activate(listener::tie(Deaf)).unwrap();
    travel(&local, &orbs::client()).hear(text).unwrap_err()
}

#[test]
fn a_client_gets_the_detail_message_of_an_exception() {
    let orb = orbs::listening();
    let error = heard(&orb, "gossip");
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::NoPermission, Minor(7)));
    let text = error.to_string();
    let words = "it says: the ear is closed to \"gossip\" until 6 o’clock";
    assert!(text.contains("answered hear") && text.contains(words), "{text}");

    let text = heard(&orb, "panic").to_string();
    assert!(text.contains("it says: the servant panicked in hear"), "{text}");
}

#[test]
fn the_words_come_with_asynchronous_calls_too() {
    let orb = orbs::listening();
    let local: ListenerRef = orb.root_poa().activate(listener::tie(Deaf)).unwrap();
    let remote = travel(&local, &orbs::client());
    let future = remote.invoke_async::<()>("hear", |out| out.put_string("gossip"), |_| Ok(()));
    let error = future.wait().unwrap_err();
    assert!(error.to_string().contains("it says: the ear is closed"), "{error}");
}

#[test]
fn a_server_can_hide_exception_details() {
    let orb = orbs::listening_with(|settings| settings.exception_details = false);
    let error = heard(&orb, "gossip");
    assert_eq!(error.kind(), ExceptionKind::NoPermission);
    assert!(!error.to_string().contains("it says"), "{error}");
}

#[test]
fn an_exception_whose_words_do_not_fit_a_message_comes_without_them() {
    let orb = orbs::listening_with(|settings| settings.max_message = 1_000);
    let error = heard(&orb, &"gossip ".repeat(80));
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::NoPermission, Minor(7)));
    assert!(!error.to_string().contains("it says"), "{error}");
}

/// What a client makes of a server's words.
fn shown(words: &[u8]) -> String {
    let words = words.to_vec();
    let peer = Peer::answering(move |request| {
        let contexts = [ServiceContext { id: 14, data: &words }];
        let mut out = Encoder::new(ByteOrder::Big);
        let status = ReplyStatus::SystemException;
        begin_reply(&mut out, request.version, request.id, status, &contexts).unwrap();
        put_body(&mut out, request.version, |out| {
            out.put_string("IDL:omg.org/CORBA/NO_PERMISSION:1.0")?;
            out.put_u32(7);
            out.put_u32(1);
            Ok(())
        })
        .unwrap();
        MessageHeader::finish(&mut out).unwrap();
        out.to_vec()
    });
    let error = peer.reference(&orbs::client(), Version::V1_2).ping().unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::NoPermission, Minor(7)));
    error.to_string()
}

#[test]
fn what_a_server_says_is_shown_without_its_control_characters_and_at_a_bearable_length() {
    let says = |text: &str| shown(&ExceptionDetail(text.to_owned()).to_data().unwrap());
    assert!(says("red \x1b[31malert\n").contains("it says: red  [31malert "));
    assert!(says(&"long ".repeat(100_000)).len() < 5_000);
    assert!(!says(" \n").contains("it says"));
}

#[test]
fn words_that_are_malformed_leave_the_exception_as_it_is() {
    for words in [&b""[..], b"\0", b"\0\0\0\0\xff\xff\xff\xff", b"\0\0\0\0\0\0\0\x02\xd8\0"] {
        assert!(!shown(words).contains("it says"));
    }
}
