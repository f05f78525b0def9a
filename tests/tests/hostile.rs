//! Bad input to a live server. Each piece of it is answered with a MessageError, an exception or a
//! close; the server never panics, hangs or takes memory for what did not arrive, and a good client
//! beside it sees no error.

use armilla::{ExceptionKind, Orb, Version};
use armilla_cdr::{ByteOrder, CdrResult, Encoder};
use armilla_giop::{
    Message, MessageHeader, MessageKind, ReplyStatus, SystemExceptionBody, close_connection,
    decode_reply, message_error,
};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, ORDERS, VERSIONS, Wire, header, request};
use armilla_tests::probe::*;
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const NEWEST: Version = Version::V1_2;

/// How many panics there were that no test asked for.
static PANICS: AtomicUsize = AtomicUsize::new(0);

/// What a servant says that panics on request.
const ON_PURPOSE: &str = "on purpose";

/// Counts panics of the server's threads from now on.
fn count_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let words = info.payload().downcast_ref::<String>().map_or("", String::as_str);
            let servers = thread::current().name().is_some_and(|name| name.starts_with("armilla"));
            if servers && !words.contains(ON_PURPOSE) {
                PANICS.fetch_add(1, Ordering::SeqCst);
            }
            if !words.contains(ON_PURPOSE) {
                usual(info);
            }
        }));
    });
}

/// Longer than the parts of a message can take to be sent, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// Limits that hostile clients run into soon.
fn limited(header_deadline: Duration) -> Orb {
    let builder = orbs::builder().settings(|settings| {
        settings.max_message = 1 << 20;
        settings.header_deadline = header_deadline;
    });
    builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap()
}

/// Runs `attack` while a good client calls all the time, and checks that nothing happened to it.
fn under_attack(attack: impl FnOnce(&Server)) {
    under_attack_within(Duration::from_millis(100), attack);
}

/// As [`under_attack`], of a server that waits so long for the rest of a message.
fn under_attack_within(header_deadline: Duration, attack: impl FnOnce(&Server)) {
    count_panics();
    let server = Server::of(limited(header_deadline));
    let client = orbs::client();
    let good = server.remote(&client);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let calls = scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                good.ping().unwrap();
                let (_, copy) = good.echo_octets(&[1, 2, 3], &mut Vec::new()).unwrap();
                assert_eq!(copy, [1, 2, 3]);
            }
        });
        let end = AtEnd(&over);
        attack(&server);
        drop(end);
        calls.join().unwrap();
    });
    good.ping().unwrap();
    assert_eq!(PANICS.load(Ordering::SeqCst), 0, "the server panicked");
}

/// Tells the good client that the attack is over, even when it ended in a panic.
struct AtEnd<'a>(&'a AtomicBool);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// The object key of the probe.
fn key(server: &Server) -> Vec<u8> {
    let ior = server.local.object().ior();
    ior.iiop_profiles().next().unwrap().unwrap().object_key
}

/// What the server answers until it closes.
fn answer(server: &Server, octets: &[u8]) -> Vec<MessageKind> {
    let mut wire = Wire::connect(server.address());
    wire.send(octets);
    wire.end_sending();
    wire.until_end()
}

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

/// A request for `echo_string` with two strings.
fn good_request(server: &Server, version: Version, order: ByteOrder) -> Vec<u8> {
    request(version, order, &key(server), "echo_string", |out| {
        out.put_string("given")?;
        out.put_string("kept")
    })
}

/// Random numbers, the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn octets(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

#[test]
fn what_is_no_giop_is_answered_with_a_message_error() {
    under_attack(|server| {
        let good = good_request(server, NEWEST, ByteOrder::Big);
        let changed = |at: usize, octet: u8| {
            let mut octets = good.clone();
            octets[at] = octet;
            octets
        };
        let attacks: [&[u8]; 9] = [
            b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00\x00",
            &[0; 100],
            &changed(0, b'g'),
            &changed(4, 2),
            &changed(5, 3),
            &changed(5, 255),
            &changed(7, 8),
            &changed(7, 255),
        ];
        for octets in attacks {
            assert_eq!(answer(server, octets), [MessageKind::MessageError], "{octets:?}");
        }
    });
}

#[test]
fn a_message_that_claims_too_much_is_refused_at_once() {
    under_attack(|server| {
        let limit = server.settings().max_message as u32;
        for size in [limit + 1, u32::MAX / 2, u32::MAX] {
            for version in VERSIONS {
                // The rest is not waited for: the connection stays open on this side.
                let mut wire = Wire::connect(server.address());
                wire.send(&header(version, MessageKind::Request, size));
                assert_eq!(wire.until_end(), [MessageKind::MessageError], "{size}");
            }
        }
    });
}

#[test]
fn a_message_that_ends_early_costs_nobody_anything() {
    under_attack(|server| {
        let good = good_request(server, NEWEST, ByteOrder::Little);
        for end in 0..good.len() {
            assert_eq!(answer(server, &good[..end]), [], "cut to {end} octets");
        }
        assert_eq!(answer(server, &good), [MessageKind::Reply]);
    });
}

#[test]
fn messages_that_only_servers_send_are_refused() {
    under_attack(|server| {
        for kind in [MessageKind::Reply, MessageKind::LocateReply, MessageKind::Fragment] {
            for version in VERSIONS {
                let octets = [&header(version, kind, 8)[..], &[0; 8]].concat();
                let mut wire = Wire::connect(server.address());
                wire.send(&octets);
                // A fragment of 1.2 may belong to a request that was cancelled: it is passed over.
                wire.end_sending();
                let expected = match (kind, version) {
                    (MessageKind::Fragment, Version::V1_2) => vec![],
                    _ => vec![MessageKind::MessageError],
                };
                assert_eq!(wire.until_end(), expected, "{kind:?} in {version}");
            }
        }
    });
}

#[test]
fn a_client_that_says_goodbye_is_not_answered() {
    under_attack(|server| {
        for version in VERSIONS {
            assert_eq!(answer(server, &close_connection(version)), []);
            assert_eq!(answer(server, &message_error(version)), []);
            let cancel = armilla_giop::cancel_request(version, 77);
            let good = good_request(server, version, ByteOrder::Big);
            let answers = answer(server, &[&cancel[..], &good].concat());
            assert_eq!(answers, [MessageKind::Reply], "nothing to cancel is no error");
        }
    });
}

#[test]
fn a_message_whose_header_lies_is_answered_with_a_message_error() {
    under_attack(|server| {
        for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
            for kind in [MessageKind::Request, MessageKind::LocateRequest] {
                for fill in [0x7f, 0xff] {
                    let size = 40;
                    let header =
                        MessageHeader { version, order, more_fragments: false, kind, size };
                    let octets = [&header.encode()[..], &[fill; 40]].concat();
                    assert_eq!(answer(server, &octets), [MessageKind::MessageError]);
                }
                let empty = header(version, kind, 0);
                assert_eq!(answer(server, &empty), [MessageKind::MessageError]);
            }
        }
    });
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
fn a_header_that_is_left_half_sent_is_waited_for_until_the_deadline() {
    under_attack(|server| {
        let good = good_request(server, NEWEST, ByteOrder::Big);
        let fragment = &peer::fragments(&good, 32)[0];
        for octets in [&b"G"[..], &good[..11], &good[..12], &good[..good.len() - 1], fragment] {
            let mut wire = Wire::connect(server.address());
            wire.send(octets);
            assert_eq!(wire.until_end(), [MessageKind::CloseConnection], "{} octets", octets.len());
        }
    });
}

#[test]
fn requests_that_drip_octet_by_octet_are_served() {
    under_attack_within(PATIENCE, |server| {
        let mut wire = Wire::connect(server.address());
        for octet in good_request(server, Version::V1_0, ByteOrder::Little) {
            assert!(wire.send(&[octet]));
        }
        assert_eq!(wire.kind(), Some(MessageKind::Reply));
    });
}

#[test]
fn many_requests_in_one_write_are_all_served() {
    under_attack(|server| {
        let one = good_request(server, Version::V1_1, ByteOrder::Big);
        assert_eq!(answer(server, &one.repeat(500)), [MessageKind::Reply; 500]);
    });
}

#[test]
fn requests_in_fragments_are_served() {
    under_attack_within(PATIENCE, |server| {
        for order in ORDERS {
            let given: Vec<u8> = (0..200_000).map(|n| n as u8).collect();
            let whole = request(NEWEST, order, &key(server), "echo_octets", |out| {
                out.copy_octets(&given)?;
                out.copy_octets(&[])
            });
            let pieces = peer::fragments(&whole, 4_096).concat();
            assert_eq!(answer(server, &pieces), [MessageKind::Reply]);
        }
    });
}

#[test]
fn fragments_without_end_are_cut_off_at_the_limit() {
    under_attack(|server| {
        for version in [Version::V1_1, NEWEST] {
            let mut wire = Wire::connect(server.address());
            let order = ByteOrder::NATIVE;
            let piece = |kind| {
                let more_fragments = true;
                MessageHeader { version, order, more_fragments, kind, size: 8_192 }.encode()
            };
            wire.send(&[&piece(MessageKind::Request)[..], &[0; 8_192]].concat());
            let fragment = [&piece(MessageKind::Fragment)[..], &[0; 8_192]].concat();
            let sent = (0..1_000).take_while(|_| wire.send(&fragment)).count();
            assert!(sent < 1_000, "the server took {sent} fragments");
        }
    });
}

#[test]
fn messages_that_begin_in_fragments_without_end_are_limited_in_number() {
    under_attack(|server| {
        let mut octets = Vec::new();
        for id in 0..10_000_u32 {
            let (kind, size) = (MessageKind::Request, 4);
            let order = ByteOrder::NATIVE;
            let more_fragments = true;
            let version = NEWEST;
            octets.extend(MessageHeader { version, order, more_fragments, kind, size }.encode());
            octets.extend(id.to_ne_bytes());
        }
        assert_eq!(answer(server, &octets), [MessageKind::MessageError]);
    });
}

#[test]
fn random_octets_behind_a_good_header_do_no_harm() {
    under_attack(|server| {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for _ in 0..1_000 {
            let size = random.below(200);
            let version = VERSIONS[random.below(3)];
            let kind = MessageKind::from_number(random.below(8) as u8).unwrap();
            let mut octets = header(version, kind, size as u32).to_vec();
            octets[6] = random.next() as u8;
            if random.below(4) == 0 {
                octets[8..12].copy_from_slice(&random.octets(4));
            }
            octets.extend(random.octets(size));
            answer(server, &octets);
        }
    });
}

#[test]
fn requests_with_flipped_bits_do_no_harm() {
    under_attack(|server| {
        let key = key(server);
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        let requests: Vec<Vec<u8>> = VERSIONS
            .iter()
            .flat_map(|v| ORDERS.map(|o| (*v, o)))
            .flat_map(|(version, order)| {
                let label = request(version, order, &key, "echo_label", |out| {
                    for _ in 0..2 {
                        out.put_string("text")?;
                        out.put_u32(1);
                        out.put_u8(7);
                        out.put_f64(0.5);
                        out.put_i16(-1);
                    }
                    Ok(())
                });
                let reference = request(version, order, &key, "echo_object", |out| {
                    peer::put_ior(&peer::ior(&[1, 2], NEWEST), out)?;
                    peer::put_ior(&peer::ior(&[3], NEWEST), out)
                });
                [label, reference, good_request(server, version, order)]
            })
            .collect();
        for _ in 0..1_500 {
            let mut octets = requests[random.below(requests.len())].clone();
            for _ in 0..=random.below(3) {
                // The magic is left alone, so that more than the first look is tested.
                let at = 4 + random.below(octets.len() - 4);
                octets[at] ^= 1 << random.below(8);
            }
            answer(server, &octets);
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
