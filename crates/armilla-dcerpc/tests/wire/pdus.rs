//! PDUs of all kinds, in both byte orders, whole and damaged.

use armilla_dcerpc::ByteOrder::{Big, Little};
use armilla_dcerpc::pdu::{
    Auth, AuthLevel, Bind, BindAck, BindNak, Body, ContextOffer, ContextResult, Fault, Flags,
    Framer, Outcome, Pdu, PduError, Request, Response, Trailer,
};
use armilla_dcerpc::{Status, SyntaxId, Uuid};
use std::borrow::Cow;

const RESOLVER: SyntaxId = SyntaxId::literal("99fcfec4-5260-101b-bbcb-00aa0021347a", 0, 0);

fn bind() -> Bind {
    let offer = |id, transfer| ContextOffer { id, interface: RESOLVER, transfer };
    Bind {
        max_transmit: 5840,
        max_receive: 4280,
        group: 9,
        contexts: vec![
            offer(0, vec![SyntaxId::NDR]),
            offer(1, vec![SyntaxId::NDR64, SyntaxId::NDR]),
            offer(2, vec![SyntaxId::of_features(3)]),
        ],
    }
}

fn ack() -> BindAck {
    let nil = SyntaxId { uuid: Uuid::NIL, major: 0, minor: 0 };
    let result = |outcome, transfer| ContextResult { outcome, transfer };
    BindAck {
        max_transmit: 1,
        max_receive: 2,
        group: 3,
        secondary_address: b"135\0".to_vec(),
        results: vec![
            result(Outcome::Accepted, SyntaxId::NDR),
            result(Outcome::UnknownTransfer, nil),
            result(Outcome::Features(1), nil),
            result(Outcome::Other(9, 9), nil),
        ],
    }
}

/// A body of each kind.
fn bodies() -> Vec<Body<'static>> {
    let object = Some(Uuid::literal("01020304-0506-0708-090a-0b0c0d0e0f10"));
    vec![
        Body::Request(Request { alloc_hint: 4, context: 1, opnum: 2, object, stub: b"stub" }),
        Body::Request(Request { alloc_hint: 0, context: 1, opnum: 2, object: None, stub: b"" }),
        Body::Response(Response { alloc_hint: 4, context: 1, cancels: 2, stub: b"stub" }),
        Body::Fault(Fault {
            alloc_hint: 0,
            context: 1,
            cancels: 0,
            status: Status::BAD_STUB,
            stub: b"",
        }),
        Body::Bind(bind()),
        Body::BindAck(ack()),
        Body::BindNak(BindNak { reason: BindNak::VERSION, versions: vec![(5, 0), (5, 1)] }),
        Body::AlterContext(bind()),
        Body::AlterContextResponse(BindAck { secondary_address: Vec::new(), ..ack() }),
        Body::Auth3,
        Body::Shutdown,
        Body::Cancel,
        Body::Orphaned,
    ]
}

/// Each body, in each byte order, with and without security.
fn all() -> Vec<Pdu<'static>> {
    let mut pdus = Vec::new();
    for body in bodies() {
        for order in [Little, Big] {
            for secure in [false, true] {
                let object = matches!(body, Body::Request(Request { object: Some(_), .. }));
                let trailer =
                    Trailer { service: 9, level: AuthLevel::Privacy, padding: 0, context_id: 5 };
                let auth = Auth { trailer, token: Cow::Borrowed(b"0123456789abcdef") };
                pdus.push(Pdu {
                    order,
                    flags: Flags::WHOLE.with(Flags::OBJECT, object),
                    call_id: 0x0102_0304,
                    body: body.clone(),
                    auth: secure.then_some(auth),
                });
            }
        }
    }
    pdus
}

#[test]
fn every_kind_comes_back_from_both_orders() {
    for pdu in all() {
        let octets = pdu.encode().unwrap();
        assert_eq!(Pdu::decode(&octets).unwrap(), pdu);
    }
}

#[test]
fn a_damaged_pdu_is_an_error_or_another_one() {
    for pdu in all() {
        let octets = pdu.encode().unwrap();
        for end in 0..octets.len() {
            assert!(Pdu::decode(&octets[..end]).is_err());
        }
        for bit in 0..octets.len() * 8 {
            let mut octets = octets.clone();
            octets[bit / 8] ^= 1 << (bit % 8);
            let _ = Pdu::decode(&octets);
        }
    }
}

#[test]
fn octets_lie_where_the_specification_says() {
    let body = Request { alloc_hint: 2, context: 1, opnum: 3, object: None, stub: &[8, 9] };
    let trailer = Trailer { service: 10, level: AuthLevel::Integrity, padding: 2, context_id: 7 };
    let pdu = Pdu {
        order: Little,
        flags: Flags::WHOLE,
        call_id: 4,
        body: Body::Request(body),
        auth: Some(Auth { trailer, token: Cow::Borrowed(&[1; 16]) }),
    };
    #[rustfmt::skip]
    let octets = [
        5, 0, 0, 3, 0x10, 0, 0, 0, 52, 0, 16, 0, 4, 0, 0, 0,
        2, 0, 0, 0, 1, 0, 3, 0,
        8, 9, 0, 0,
        10, 5, 2, 0, 7, 0, 0, 0,
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    ];
    assert_eq!(pdu.encode().unwrap(), octets);
    assert_eq!(Pdu::decode(&octets).unwrap(), pdu);
}

#[test]
fn what_is_no_pdu_says_why() {
    let octets = all()[0].encode().unwrap();
    let with = |at: usize, octet| {
        let mut octets = octets.clone();
        octets[at] = octet;
        Pdu::decode(&octets).unwrap_err()
    };
    assert_eq!(with(0, 4), PduError::Version { major: 4, minor: 0 });
    assert_eq!(with(2, 1), PduError::UnknownKind(1));
    assert_eq!(with(4, 0x11), PduError::Representation([0x11, 0, 0, 0]));
    assert!(matches!(with(8, 3), PduError::Length { stated: 3, .. }));
    assert!(matches!(with(10, 255), PduError::Length { .. }));
}

#[test]
fn padding_that_is_not_there_is_refused() {
    let secure = all().into_iter().find(|pdu| pdu.auth.is_some() && pdu.order == Little).unwrap();
    let mut octets = secure.encode().unwrap();
    let trailer = octets.len() - 24;
    octets[trailer + 2] = 255;
    assert_eq!(Pdu::decode(&octets), Err(PduError::Padding(255)));
    octets[trailer + 2] = 0;
    octets[trailer + 1] = 7;
    assert_eq!(Pdu::decode(&octets), Err(PduError::UnknownLevel(7)));
}

#[test]
fn a_stream_is_cut_into_pdus_however_it_arrives() {
    let pdus: Vec<_> = all().iter().map(|pdu| pdu.encode().unwrap()).collect();
    let stream = pdus.concat();
    for step in [1, 7, 16, 1000, stream.len()] {
        let (mut framer, mut found) = (Framer::new(5840), Vec::new());
        for part in stream.chunks(step) {
            framer.receive(part);
            while let Some((_, pdu)) = framer.next_pdu().unwrap() {
                found.push(pdu);
            }
        }
        assert_eq!(found, pdus);
        assert!(!framer.is_partial());
    }
}

#[test]
fn a_pdu_that_is_too_long_is_refused_by_its_header() {
    let mut framer = Framer::new(100);
    framer.receive(&[5, 0, 0, 3, 0x10, 0, 0, 0, 101, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(framer.next_pdu(), Err(PduError::TooLong { stated: 101, limit: 100 }));
}

#[test]
fn features_are_asked_for_by_a_syntax() {
    assert_eq!(SyntaxId::of_features(3).features(), Some(3));
    assert_eq!(SyntaxId::of_features(3).uuid.to_string(), "6cb71c2c-9812-4540-0300-000000000000");
    assert_eq!(SyntaxId::NDR.features(), None);
}

#[test]
fn a_status_has_a_name() {
    assert_eq!(Status(1783), Status::BAD_STUB);
    let text = Status::OPERATION_OUT_OF_RANGE.to_string();
    assert!(text.contains("no operation of this number") && text.contains("0x1c010002"), "{text}");
    assert_eq!(Status(0x1234).to_string(), "status 0x00001234");
}
