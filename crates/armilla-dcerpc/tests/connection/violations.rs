//! What a server answers to PDUs that a client should not send, as servers on Windows do it.

use crate::pair::{OPEN, Pair, SECOND, SECURED, TestHost, security};
use armilla_dcerpc::client::{Call, ClientOptions};
use armilla_dcerpc::pdu::{
    AuthLevel, Bind, BindNak, Body, ContextOffer, Fault, Flags, Framer, Outcome, Pdu, Request,
};
use armilla_dcerpc::server::{Server, ServerOptions};
use armilla_dcerpc::{ByteOrder, Status, SyntaxId};
use std::time::Duration;

const NOW: Duration = Duration::from_secs(1);
const FEATURES: SyntaxId = SyntaxId::literal("6cb71c2c-9812-4540-0300-000000000000", 1, 0);

fn offer(id: u16, interface: SyntaxId, transfer: SyntaxId) -> ContextOffer {
    ContextOffer { id, interface, transfer: vec![transfer] }
}

fn bind(contexts: Vec<ContextOffer>) -> Bind {
    Bind { max_transmit: 4280, max_receive: 4280, group: 0, contexts }
}

fn octets(flags: Flags, call_id: u32, body: Body<'_>) -> Vec<u8> {
    Pdu { order: ByteOrder::Little, flags, call_id, body, auth: None }.encode().unwrap()
}

fn server() -> Server {
    Server::new(ServerOptions::default(), TestHost, NOW)
}

/// A server that is bound to [`OPEN`] by number 0, with these flags in the bind.
fn bound(flags: Flags) -> Server {
    let mut server = server();
    let contexts = vec![offer(0, OPEN, SyntaxId::NDR)];
    say(&mut server, &octets(Flags::WHOLE | flags, 1, Body::Bind(bind(contexts))));
    server
}

/// What the server says to that.
fn say(server: &mut Server, octets: &[u8]) -> Vec<u8> {
    server.receive(octets, NOW);
    server.poll_output().unwrap_or_default()
}

fn request(flags: Flags, call_id: u32, context: u16) -> Vec<u8> {
    let body = Request { alloc_hint: 0, context, opnum: 0, object: None, stub: &[7; 8] };
    octets(flags, call_id, Body::Request(body))
}

/// The call, context, status and flags of a fault.
fn fault(octets: &[u8]) -> (u32, u16, Status, Flags) {
    let pdu = Pdu::decode(octets).unwrap();
    let Body::Fault(Fault { context, status, .. }) = pdu.body else { panic!("{pdu:?}") };
    (pdu.call_id, context, status, pdu.flags)
}

fn nak(octets: &[u8]) -> u16 {
    match Pdu::decode(octets).unwrap().body {
        Body::BindNak(BindNak { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn features_are_asked_for_once() {
    let mut server = server();
    let contexts = vec![offer(0, OPEN, FEATURES), offer(1, OPEN, FEATURES)];
    let answer = say(&mut server, &octets(Flags::WHOLE, 1, Body::Bind(bind(contexts))));
    assert_eq!(nak(&answer), BindNak::NOT_SPECIFIED);
    assert!(server.is_closed());
}

#[test]
fn the_first_of_two_contexts_for_one_interface_is_taken() {
    let mut server = bound(Flags::default());
    let contexts = vec![offer(1, OPEN, SyntaxId::NDR), offer(2, OPEN, SyntaxId::NDR)];
    let answer = say(&mut server, &octets(Flags::WHOLE, 2, Body::AlterContext(bind(contexts))));
    let Body::AlterContextResponse(ack) = Pdu::decode(&answer).unwrap().body else { panic!() };
    let outcomes: Vec<_> = ack.results.iter().map(|result| result.outcome).collect();
    assert_eq!(outcomes, [Outcome::Accepted, Outcome::UnknownTransfer]);
}

#[test]
fn a_context_stays_that_of_its_interface() {
    let mut server = bound(Flags::default());
    let other = vec![offer(0, SECOND, SyntaxId::NDR)];
    let answer = say(&mut server, &octets(Flags::WHOLE, 2, Body::AlterContext(bind(other))));
    assert_eq!(fault(&answer).2, Status::PROTOCOL_ERROR);
    assert!(server.is_closed());
}

#[test]
fn a_bind_whose_lengths_contradict_each_other_is_answered() {
    let mut bind = octets(Flags::WHOLE, 1, Body::Bind(bind(vec![])));
    bind[10] = 8;
    let mut server = server();
    assert_eq!(nak(&say(&mut server, &bind)), BindNak::VERSION);
    assert!(server.is_closed());
}

#[test]
fn a_fragment_that_continues_nothing_names_its_context_where_calls_run_at_once() {
    let mut one = bound(Flags::default());
    let (_, context, status, _) = fault(&say(&mut one, &request(Flags::LAST, 7, 0)));
    assert_eq!((context, status), (0, Status::PROTOCOL_ERROR));
    let mut many = bound(Flags::CONCURRENT);
    let answer = fault(&say(&mut many, &request(Flags::default(), 7, 9)));
    let flags = Flags::WHOLE | Flags::NOT_EXECUTED;
    assert_eq!(answer, (7, 0, Status::UNKNOWN_INTERFACE, flags));
    assert!(!many.is_closed());
    // While another call is unfinished, an unknown context is no request at all.
    assert_eq!(say(&mut many, &request(Flags::FIRST, 8, 0)), b"");
    let answer = fault(&say(&mut many, &request(Flags::WHOLE, 9, 9)));
    assert_eq!(answer, (9, 0, Status::PROTOCOL_ERROR, Flags::WHOLE));
    assert!(many.is_closed());
}

#[test]
fn what_continues_a_call_belongs_to_it_whatever_its_headers_say() {
    let ntlm = security("ntlm", AuthLevel::Connect);
    let client = ClientOptions { allow_low_level: true, ..ClientOptions::default() };
    let server = ServerOptions { min_level: AuthLevel::Connect, ..ServerOptions::default() };
    let mut pair = Pair::new(client, server);
    pair.client.bind(&[SECURED], ntlm).unwrap();
    pair.pass();
    pair.client.poll_event();
    pair.client.call(&Call::new(SECURED, 3, &[1; 9000])).unwrap();
    let sent = pair.client.poll_output().unwrap();
    let mut framer = Framer::new(u16::MAX);
    framer.receive(&sent);
    let mut first = true;
    while let Some((_, mut pdu)) = framer.next_pdu().unwrap() {
        if !first {
            // Another context and another operation.
            pdu[20..24].fill(111);
        }
        first = false;
        pair.server.receive(&pdu, pair.now);
    }
    let call = pair.served();
    assert_eq!((call.interface, call.opnum, call.stub.len()), (SECURED, 3, 9000));
}

#[test]
fn security_that_is_established_is_not_begun_anew() {
    let mut pair = Pair::bound(&[SECURED], security("ntlm", AuthLevel::Integrity));
    let trailer = [10, 5, 0, 0, 0, 0, 0, 0];
    let token = [0; 16];
    let mut auth3 = octets(Flags::WHOLE, 4, Body::Auth3);
    auth3.extend(trailer.iter().chain(&token));
    let length = auth3.len() as u8;
    (auth3[8], auth3[10]) = (length, 16);
    let answer = fault(&say(&mut pair.server, &auth3));
    assert_eq!(answer.2, Status::PROTOCOL_ERROR);
    assert!(pair.server.is_closed());
}

/// What the server answers to a further offer of number 0 with these encodings.
fn offered_again(first: &[SyntaxId], again: &[SyntaxId]) -> Vec<u8> {
    let mut server = server();
    let all = |transfer: &[SyntaxId]| {
        bind(vec![ContextOffer { id: 0, interface: OPEN, transfer: transfer.to_vec() }])
    };
    say(&mut server, &octets(Flags::WHOLE, 1, Body::Bind(all(first))));
    say(&mut server, &octets(Flags::WHOLE, 2, Body::AlterContext(all(again))))
}

#[test]
fn a_context_does_not_change_its_encoding() {
    let (ndr, both) = ([SyntaxId::NDR], [SyntaxId::NDR, SyntaxId::NDR64]);
    let (.., status, _) = fault(&offered_again(&ndr, &both));
    assert_eq!(status, Status::PROTOCOL_ERROR);
    // What was offered at first may be offered again.
    for (first, again) in [(&ndr[..], &ndr[..]), (&both, &both), (&both, &ndr)] {
        let answer = offered_again(first, again);
        let Body::AlterContextResponse(ack) = Pdu::decode(&answer).unwrap().body else { panic!() };
        assert_eq!(ack.results[0].outcome, Outcome::Accepted);
    }
}

#[test]
fn beside_security_only_what_anybody_may_call_needs_none() {
    for (interface, refused) in [(0, None), (1, Some(Status::PROTOCOL_ERROR))] {
        let mut pair = Pair::bound(&[OPEN, SECURED], security("ntlm", AuthLevel::Integrity));
        let answer = say(&mut pair.server, &request(Flags::WHOLE, 9, interface));
        match refused {
            None => assert_eq!(pair.served().level, AuthLevel::None),
            Some(expected) => assert_eq!(fault(&answer).2, expected),
        }
        assert_eq!(pair.server.is_closed(), refused.is_some());
    }
}
