//! Requests with invalid contents, and servants that panic.

use super::{NEWEST, ON_PURPOSE, answer, key, under_attack};
use armilla::ExceptionKind;
use armilla_cdr::{ByteOrder, CdrResult, Encoder};
use armilla_giop::{
    Message, MessageHeader, MessageKind, ReplyStatus, SystemExceptionBody, close_connection,
    decode_reply,
};
use armilla_tests::orbs::Server;
use armilla_tests::peer::{ORDERS, VERSIONS, Wire, request};

/// The system exception with which the server answers a request, which keeps the connection.
fn exception(server: &Server, request: &[u8]) -> ExceptionKind {
    let mut wire = Wire::connect(server.address());
    wire.send(request);
    let octets = wire.message().expect("the server closed the connection");
    let message = Message::parse(&octets).unwrap().unwrap();
    let (header, mut body) = decode_reply(&message).unwrap();
    assert_eq!(header.status, ReplyStatus::SystemException);
    let exception: SystemExceptionBody<'_> = armilla_cdr::Decode::decode(&mut body).unwrap();
    assert!(wire.send(&close_connection(NEWEST)));
    assert_eq!(wire.until_end(), []);
    ExceptionKind::from_repository_id(&exception.id)
}

#[test]
fn arguments_that_lie_are_a_marshalling_error_and_the_connection_stays() {
    type Body = fn(&mut Encoder<'_>) -> CdrResult;
    let table: [(&str, Body); 9] = [
        ("echo_string", |_| Ok(())),
        ("echo_string", |out| {
            out.put_u32(u32::MAX);
            Ok(())
        }),
        ("echo_string", |out| {
            // A text without its NUL.
            out.put_u32(1);
            out.put_u8(b'x');
            Ok(())
        }),
        ("echo_octets", |out| {
            out.put_u32(0x7fff_ffff);
            out.put_u64(0);
            Ok(())
        }),
        ("echo_points", |out| {
            out.put_u32(100_000_000);
            out.put_u64(0);
            Ok(())
        }),
        ("echo_texts", |out| {
            out.put_u32(100_000_000);
            out.put_u64(0);
            Ok(())
        }),
        ("echo_colour", |out| {
            out.put_u32(3);
            Ok(())
        }),
        ("echo_boolean", |out| {
            out.put_u8(2);
            Ok(())
        }),
        ("echo_few", |out| {
            (0..6).for_each(|_| out.put_u32(4));
            Ok(())
        }),
    ];
    under_attack(|server| {
        let key = key(server);
        for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
            for (operation, body) in table {
                let octets = request(version, order, &key, operation, body);
                assert_eq!(exception(server, &octets), ExceptionKind::Marshal, "{operation}");
            }
        }
    });
}

#[test]
fn an_operation_or_object_that_does_not_exist_is_an_exception() {
    under_attack(|server| {
        let nothing: fn(&mut Encoder<'_>) -> CdrResult = |_| Ok(());
        for operation in ["", "pin", "pings", "_get_nothing", "_set_count", &"x".repeat(100_000)] {
            let octets = request(NEWEST, ByteOrder::Big, &key(server), operation, nothing);
            assert_eq!(exception(server, &octets), ExceptionKind::BadOperation);
        }
        for key in [&b""[..], b"NameService", &[0xa5; 20], &[0; 100_000]] {
            let octets = request(NEWEST, ByteOrder::Little, key, "ping", nothing);
            assert_eq!(exception(server, &octets), ExceptionKind::ObjectNotExist);
        }
    });
}

#[test]
fn text_that_is_not_in_its_code_set_is_a_conversion_error() {
    let contexts = armilla_giop::CodeSetContext { char: armilla_cdr::CodeSet::Utf8.id(), wchar: 0 };
    under_attack(|server| {
        let data = contexts.encode();
        let key = key(server);
        let header = armilla_giop::OutgoingRequest {
            request_id: 1,
            response: armilla_giop::ResponseFlags::Target,
            target: armilla_giop::TargetAddress::Key(&key),
            operation: "_set_name",
            contexts: &[armilla_giop::CodeSetContext::service_context(&data)],
        };
        for text in [&b"\xff\0"[..], b"\xc3\0", b"\xed\xa0\x80\0", b"\xc0\x80\0"] {
            let mut out = Encoder::new(ByteOrder::NATIVE);
            armilla_giop::begin_request(&mut out, NEWEST, &header).unwrap();
            armilla_giop::put_body(&mut out, NEWEST, |out| out.copy_octets(text)).unwrap();
            MessageHeader::finish(&mut out).unwrap();
            let kind = exception(server, &out.to_vec());
            assert_eq!(kind, ExceptionKind::DataConversion, "{text:?}");
        }
    });
}

/// The arguments of `echo_tree` that are as deep as they can be: an empty name and one child each.
fn deep_tree(server: &Server, depth: usize) -> Vec<u8> {
    request(NEWEST, ByteOrder::NATIVE, &key(server), "echo_tree", |out| {
        for _ in 0..depth {
            out.put_string("")?;
            out.put_u32(1);
        }
        Ok(())
    })
}

#[test]
fn values_that_nest_without_end_are_a_marshalling_error() {
    under_attack(|server| {
        for depth in [200, 1_000, 60_000] {
            assert_eq!(exception(server, &deep_tree(server, depth)), ExceptionKind::Marshal);
        }
    });
}

#[test]
fn a_panic_on_purpose_ends_neither_the_connection_nor_the_count_of_good_ones() {
    under_attack(|server| {
        let octets = request(NEWEST, ByteOrder::Big, &key(server), "panic", |out| {
            out.put_string(ON_PURPOSE)
        });
        assert_eq!(exception(server, &octets), ExceptionKind::Unknown);
        assert_eq!(answer(server, &octets.repeat(3)), [MessageKind::Reply; 3]);
    });
}
