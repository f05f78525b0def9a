//! What a call ends with when its server is gone, refuses, resets, is silent or talks nonsense: the
//! right exception, a truthful completion status, in bounded time. The servers are scripted.

use armilla::{Completion, Error, ExceptionKind, Minor, Orb, SystemException, Version};
use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::{
    Message, MessageHeader, MessageKind, ReplyStatus, ServiceContext, begin_reply,
    close_connection, decode_cancel_request, message_error,
};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, ORDERS, Peer, VERSIONS, Wire, done, reply};
use armilla_tests::probe::everything::ChooseRaises;
use armilla_tests::probe::*;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

const NEWEST: Version = Version::V1_2;

/// The time limit of calls that are meant to run into it.
const LIMIT: Duration = Duration::from_millis(100);

/// Long before this a call that is limited to [`LIMIT`] has ended, on the busiest machine.
const BOUND: Duration = Duration::from_secs(5);

#[track_caller]
fn assert_fails<T: std::fmt::Debug>(
    result: Result<T, SystemException>,
    (kind, minor, completed): (ExceptionKind, Minor, Completion),
) -> String {
    let error = result.unwrap_err();
    assert_eq!(
        (error.kind(), error.minor(), error.completed()),
        (kind, minor, completed),
        "{error}"
    );
    error.to_string()
}

const LOST: (ExceptionKind, Minor, Completion) =
    (ExceptionKind::CommFailure, Minor::CONNECTION_LOST, Completion::Maybe);

const NONSENSE: (ExceptionKind, Minor, Completion) =
    (ExceptionKind::CommFailure, Minor::PROTOCOL_ERROR, Completion::Maybe);

const LATE: (ExceptionKind, Minor, Completion) =
    (ExceptionKind::Timeout, Minor::REPLY_TIMED_OUT, Completion::Maybe);

/// A server that does one thing with the first request of every connection, and closes.
fn once(act: impl Fn(&mut Wire, &peer::Request) + Send + Sync + 'static) -> Peer {
    Peer::start(move |_, mut wire| {
        if let Some(request) = wire.request() {
            act(&mut wire, &request);
        }
    })
}

/// A server that never answers, and an end for what it heard.
fn silent() -> (Peer, mpsc::Receiver<Vec<u8>>) {
    let (heard, hears) = mpsc::channel();
    let peer = Peer::start(move |_, mut wire| {
        while let Some(message) = wire.message() {
            heard.send(message).ok();
        }
    });
    (peer, hears)
}

#[test]
fn a_server_that_is_gone_is_transient_and_the_text_says_where_and_what_to_do() {
    let port = peer::dead_port();
    let remote = peer::resolve(&orbs::client(), &peer::ior(&[port], NEWEST));
    let begun = Instant::now();
    let expected = (ExceptionKind::Transient, Minor::CONNECT_FAILED, Completion::No);
    let text = assert_fails(remote.ping(), expected);
    assert!(begun.elapsed() < BOUND);
    for part in ["TRANSIENT", &format!("127.0.0.1:{port}"), "refused", "not executed", "hint:"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_host_that_does_not_answer_is_given_up_within_the_connect_timeout() {
    // A queue of one that nobody serves: once it is full the system answers no connection any more.
    let deaf = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    rustix::net::listen(&deaf, 0).unwrap();
    let address = deaf.local_addr().unwrap();
    let mut queue = Vec::new();
    while let Ok(queued) = TcpStream::connect_timeout(&address, LIMIT) {
        queue.push(queued);
        assert!(queue.len() < 100, "the queue never fills");
    }

    let client = orbs::builder().connect_timeout(LIMIT).build().unwrap();
    let remote = peer::resolve(&client, &peer::ior(&[address.port()], NEWEST));
    let begun = Instant::now();
    let error = remote.ping().unwrap_err();
    assert!(begun.elapsed() < BOUND);
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::Transient, Completion::No));
}

#[test]
fn a_server_that_closes_at_once_loses_the_call() {
    // Whether the request still left or not is the network's affair; the status is truthful.
    let peer = Peer::start(|_, wire| drop(wire));
    let error = peer.reference(&orbs::client(), NEWEST).ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::CommFailure, "{error}");
    let expected =
        if error.minor() == Minor::SEND_FAILED { Completion::No } else { Completion::Maybe };
    assert_eq!(error.completed(), expected, "{error}");
}

#[test]
fn a_server_that_closes_after_the_request_leaves_it_open_whether_it_ran() {
    let peer = once(|_, _| ());
    let text = assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), LOST);
    assert!(text.contains(&format!("127.0.0.1:{}", peer.port())), "{text}");
    assert_eq!(peer.connections(), 1, "what perhaps ran is not called again");
}

#[test]
fn a_server_that_closes_in_the_middle_of_the_reply_loses_the_call() {
    for cut in [1, 11, 12, 20] {
        let peer = once(move |wire, request| {
            wire.send(&done(request)[..cut]);
        });
        assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), LOST);
    }
}

#[test]
fn a_reset_loses_the_call() {
    let peer = Peer::start(|_, mut wire| {
        wire.request();
        wire.reset();
    });
    assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), LOST);
}

/// Limits from a second on are kept by a thread and not by the socket.
#[test]
fn a_limit_of_seconds_is_kept_too_and_the_next_call_has_its_own() {
    const LONG: Duration = Duration::from_millis(1200);
    let (peer, hears) = silent();
    let client = orbs::client();
    let begun = Instant::now();
    let text = assert_fails(peer.reference(&client, NEWEST).with_timeout(LONG).ping(), LATE);
    let elapsed = begun.elapsed();
    assert!(elapsed > LONG / 2 && elapsed < BOUND, "{elapsed:?}");
    assert!(text.contains("1.2 s"), "{text}");
    assert_eq!(peer::kind(&hears.recv_timeout(BOUND).unwrap()), MessageKind::Request);
    assert_eq!(peer::kind(&hears.recv_timeout(BOUND).unwrap()), MessageKind::CancelRequest);

    let answers = Peer::answering(done);
    answers.reference(&client, NEWEST).with_timeout(LONG).ping().unwrap();
}

#[test]
fn a_silent_server_times_out_within_the_limit_and_hears_that_the_call_is_given_up() {
    for version in VERSIONS {
        let (peer, hears) = silent();
        let remote = peer.reference(&orbs::client(), version).with_timeout(LIMIT);
        let begun = Instant::now();
        let text = assert_fails(remote.ping(), LATE);
        let elapsed = begun.elapsed();
        // Deadlines are measured on a coarse clock.
        assert!(elapsed > LIMIT / 2 && elapsed < BOUND, "{elapsed:?}");
        assert!(text.contains("100 ms") && text.contains("with_timeout"), "{text}");
        let request = hears.recv_timeout(BOUND).unwrap();
        let cancel = hears.recv_timeout(BOUND).unwrap();
        assert_eq!(peer::kind(&request), MessageKind::Request);
        assert_eq!(peer::kind(&cancel), MessageKind::CancelRequest);
        let cancel = Message::parse(&cancel).unwrap().unwrap();
        let request = Message::parse(&request).unwrap().unwrap();
        let (request, _) = armilla_giop::decode_request(&request).unwrap();
        assert_eq!(decode_cancel_request(&cancel).unwrap(), request.request_id);
    }
}

#[test]
fn the_limit_of_the_orb_holds_where_the_reference_has_none() {
    let (peer, _hears) = silent();
    let client = orbs::builder().call_timeout(Some(LIMIT)).build().unwrap();
    let remote = peer.reference(&client, NEWEST);
    assert_fails(remote.ping(), LATE);
    assert_fails(remote.object().locate(), LATE);
    assert_fails(remote.object().non_existent(), LATE);
}

#[test]
fn a_reply_that_drips_times_out_as_a_whole() {
    let peer = Peer::start(|_, mut wire| {
        let Some(request) = wire.request() else { return };
        for octet in done(&request).iter().cycle() {
            if !wire.send(&[*octet]) {
                return;
            }
            std::thread::sleep(LIMIT / 10);
        }
    });
    let remote = peer.reference(&orbs::client(), NEWEST).with_timeout(LIMIT);
    let begun = Instant::now();
    assert_fails(remote.ping(), LATE);
    assert!(begun.elapsed() < BOUND);
}

#[test]
fn a_server_that_does_not_read_cannot_hold_the_call_for_ever() {
    let (open, opens) = mpsc::channel::<()>();
    let opens = std::sync::Mutex::new(opens);
    let peer = Peer::start(move |_, wire| {
        // Holds the connection without reading, until the test ends.
        opens.lock().unwrap().recv().ok();
        drop(wire);
    });
    let remote = peer.reference(&orbs::client(), NEWEST).with_timeout(LIMIT);
    let begun = Instant::now();
    let error = remote.echo_octets(&vec![0; 15 << 20], &mut Vec::new()).unwrap_err();
    assert!(begun.elapsed() < BOUND, "{:?}", begun.elapsed());
    // The server never got all of the request.
    assert_eq!(
        (error.kind(), error.completed()),
        (ExceptionKind::Timeout, Completion::No),
        "{error}"
    );
    drop(open);
}

#[test]
fn octets_that_are_no_giop_are_nonsense_and_the_text_asks_whether_it_is_a_server() {
    for nonsense in
        [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"GIOP\x09\x09\0\x01\0\0\0\0", &[0; 64]]
    {
        let peer = once(move |wire, _| {
            wire.send(nonsense);
        });
        let text = assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), NONSENSE);
        assert!(text.contains("is what listens there a CORBA server?"), "{text}");
    }
}

#[test]
fn a_reply_that_claims_more_than_the_limit_is_refused_without_waiting_for_it() {
    let peer = once(|wire, request| {
        wire.send(&peer::header(request.version, MessageKind::Reply, u32::MAX));
        wire.message(); // stays open until the client closes
    });
    let text = assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), NONSENSE);
    assert!(text.contains("larger than the limit"), "{text}");
}

#[test]
fn a_reply_whose_body_lies_is_a_marshalling_error_of_a_call_that_ran() {
    let expected = (ExceptionKind::Marshal, Minor::DECODING_FAILED, Completion::Yes);
    for version in VERSIONS {
        let peer = Peer::answering(|request| match request.operation.as_str() {
            // A string of 4 GiB, and an enumerator that does not exist.
            "_get_name" => {
                reply(request.version, request.order, request.id, ReplyStatus::NoException, |out| {
                    out.put_u32(u32::MAX);
                    Ok(())
                })
            }
            "echo_colour" => {
                reply(request.version, request.order, request.id, ReplyStatus::NoException, |out| {
                    out.put_u32(77);
                    Ok(())
                })
            }
            _ => done(request),
        });
        let remote = peer.reference(&orbs::client(), version);
        assert_fails(remote.name(), expected);
        assert_fails(remote.echo_colour(Colour::Red, &mut Colour::Red), expected);
        assert_fails(remote.count(), expected);
        remote.ping().unwrap();
        assert_eq!(peer.connections(), 1, "the connection is as good as before");
    }
}

#[test]
fn a_reply_to_another_request_is_passed_over() {
    for version in VERSIONS {
        let peer = Peer::start(|_, mut wire| {
            while let Some(request) = wire.request() {
                for id in [request.id.wrapping_sub(1), request.id + 1_000] {
                    let status = ReplyStatus::UserException;
                    wire.send(&reply(request.version, request.order, id, status, |_| Ok(())));
                }
                wire.send(&done(&request));
            }
        });
        let remote = peer.reference(&orbs::client(), version);
        (0..3).for_each(|_| remote.ping().unwrap());
    }
}

#[test]
fn a_reply_that_comes_twice_is_passed_over() {
    for version in VERSIONS {
        let peer = Peer::start(|_, mut wire| {
            while let Some(request) = wire.request() {
                (0..2).for_each(|_| _ = wire.send(&done(&request)));
            }
        });
        let remote = peer.reference(&orbs::client(), version);
        (0..3).for_each(|_| remote.ping().unwrap());
        assert_eq!(peer.connections(), 1, "the connection is as good as before");
    }
}

#[test]
fn a_message_error_instead_of_a_reply_fails_the_call_as_not_executed() {
    let peer = once(|wire, request| {
        wire.send(&message_error(request.version));
    });
    let expected = (ExceptionKind::CommFailure, Minor::MESSAGE_ERROR_RECEIVED, Completion::No);
    assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), expected);
}

#[test]
fn a_message_that_only_clients_send_is_nonsense() {
    let peer = once(|wire, request| {
        wire.send(&request.octets);
    });
    assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), NONSENSE);
}

#[test]
fn a_server_that_closes_in_order_before_every_reply_has_not_executed() {
    let peer = once(|wire, request| {
        wire.send(&close_connection(request.version));
    });
    let expected = (ExceptionKind::Transient, Minor::CONNECTION_CLOSING, Completion::No);
    assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), expected);
}

#[test]
fn a_connection_that_is_closed_in_order_instead_of_a_reply_is_replaced_unseen() {
    for version in VERSIONS {
        // Every connection answers one request, and is closed in order at the second.
        let peer = Peer::start(|_, mut wire| {
            if let Some(request) = wire.request() {
                wire.send(&done(&request));
                wire.request();
                wire.send(&close_connection(request.version));
            }
        });
        let remote = peer.reference(&orbs::client(), version);
        (0..4).for_each(|_| remote.ping().unwrap());
        assert_eq!(peer.connections(), 4);
    }
}

#[test]
fn a_connection_that_was_closed_while_it_was_idle_is_replaced_unseen() {
    let peer = Peer::start(|_, mut wire| {
        if let Some(request) = wire.request() {
            wire.send(&done(&request));
            wire.send(&close_connection(request.version));
        }
    });
    let remote = peer.reference(&orbs::client(), NEWEST);
    for calls in 1..4 {
        remote.ping().unwrap();
        assert_eq!(peer.connections(), calls);
    }
}

#[test]
fn a_server_that_is_started_again_between_two_calls_is_not_noticed() {
    let start = |port: u16| {
        let endpoint = format!("iiop://127.0.0.1:{port}");
        let orb = orbs::builder().listen(&endpoint).unwrap().build().unwrap();
        let poa = orb.root_poa().create_poa("kept").persistent().user_ids().build().unwrap();
        let reference = poa
            .activate_with_id("probe", everything::tie(armilla_tests::servant::Probe::default()))
            .unwrap();
        (orb, reference)
    };
    let (mut server, reference): (Orb, EverythingRef) = start(0);
    let remote = orbs::travel(&reference, &orbs::client());
    let port = server.published_addresses().unwrap()[0].1;
    for _ in 0..3 {
        remote.ping().unwrap();
        server.shutdown();
        server = start(port).0;
    }
    remote.ping().unwrap();
    server.shutdown();
}

#[test]
fn replies_in_fragments_are_put_together() {
    for (version, order) in [Version::V1_1, NEWEST].iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
        let peer = Peer::start(move |_, mut wire| {
            while let Some(request) = wire.request() {
                let octets: Vec<u8> = (0..100_000).map(|n| n as u8).collect();
                let status = ReplyStatus::NoException;
                let whole = reply(request.version, order, request.id, status, |out| {
                    out.copy_octets(&octets)
                });
                for piece in peer::fragments(&whole, 5_000) {
                    wire.send(&piece);
                }
            }
        });
        let remote = peer.reference(&orbs::client(), version);
        for _ in 0..2 {
            let octets = remote.produce(100_000).unwrap();
            assert!(octets.iter().enumerate().all(|(n, octet)| *octet == n as u8));
            assert_eq!(octets.len(), 100_000);
        }
    }
}

#[test]
fn replies_of_every_version_and_byte_order_are_read() {
    for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
        let peer = Peer::answering(move |request| {
            assert_eq!(request.version, version, "the client speaks as the reference says");
            let status = ReplyStatus::NoException;
            reply(request.version, order, request.id, status, |out| out.put_string("tycho"))
        });
        assert_eq!(peer.reference(&orbs::client(), version).name().unwrap(), "tycho");
    }
}

#[test]
fn unknown_service_contexts_are_skipped() {
    for version in VERSIONS {
        let peer = Peer::answering(|request| {
            let contexts = [(0x4242_0001, &b"whatever"[..]), (17, b""), (u32::MAX, b"\xff\0\xff")]
                .map(|(id, data)| ServiceContext { id, data });
            let mut out = Encoder::new(ByteOrder::Big);
            let status = ReplyStatus::NoException;
            begin_reply(&mut out, request.version, request.id, status, &contexts).unwrap();
            MessageHeader::finish(&mut out).unwrap();
            out.to_vec()
        });
        peer.reference(&orbs::client(), version).ping().unwrap();
    }
}

/// A server that answers with a system exception.
fn raising(id: &'static str, minor: u32, completed: u32) -> Peer {
    Peer::answering(move |request| {
        let status = ReplyStatus::SystemException;
        reply(request.version, request.order, request.id, status, |out| {
            out.put_string(id)?;
            out.put_u32(minor);
            out.put_u32(completed);
            Ok(())
        })
    })
}

#[test]
fn a_system_exception_keeps_its_minor_code_and_completion() {
    let statuses = [(0, Completion::Yes), (1, Completion::No), (2, Completion::Maybe)];
    for (number, completed) in statuses {
        let peer = raising("IDL:omg.org/CORBA/NO_PERMISSION:1.0", 0x4f4d_0001, number);
        let remote = peer.reference(&orbs::client(), NEWEST);
        let expected = (ExceptionKind::NoPermission, Minor(0x4f4d_0001), completed);
        assert_fails(remote.ping(), expected);
        let Err(Error::System(error)) = remote.choose(0, &mut String::new()) else { panic!() };
        assert_fails::<()>(Err(error), expected);
    }
}

#[test]
fn a_system_exception_of_a_later_specification_is_unknown() {
    let peer = raising("IDL:omg.org/CORBA/OUT_OF_FASHION:1.0", 5, 0);
    let expected = (ExceptionKind::Unknown, Minor(5), Completion::Yes);
    assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), expected);
}

#[test]
fn a_user_exception_that_the_operation_does_not_declare_is_unknown_and_named() {
    let id = "IDL:armilla.org/Probe/Surprise:1.0";
    let peer = Peer::answering(move |request| {
        let status = ReplyStatus::UserException;
        reply(request.version, request.order, request.id, status, |out| out.put_string(id))
    });
    let remote = peer.reference(&orbs::client(), NEWEST);
    let expected =
        (ExceptionKind::Unknown, Minor::UNKNOWN_UNLISTED_USER_EXCEPTION, Completion::Yes);
    assert!(assert_fails(remote.ping(), expected).contains(id));
    let Err(Error::System(error)) = remote.choose(0, &mut String::new()) else { panic!() };
    assert_fails::<()>(Err(error), expected);
    assert_eq!(peer.connections(), 1);
}

#[test]
fn a_user_exception_in_either_byte_order_is_the_declared_one() {
    for order in ORDERS {
        let peer = Peer::answering(move |request| {
            reply(request.version, order, request.id, ReplyStatus::UserException, |out| {
                out.put_string("IDL:armilla.org/Probe/Refused:1.0")?;
                out.put_string("no")?;
                out.put_i32(-3);
                Ok(())
            })
        });
        let remote = peer.reference(&orbs::client(), NEWEST);
        let refused = Refused { reason: "no".into(), number: -3 };
        let expected = Err(Error::User(ChooseRaises::Refused(refused)));
        assert_eq!(remote.choose(0, &mut String::new()), expected);
    }
}

#[test]
fn forwards_in_a_circle_end_at_the_limit() {
    let (sender, ports) = mpsc::channel::<u16>();
    let (ports, known) = (std::sync::Mutex::new(ports), std::sync::OnceLock::new());
    // A server that sends every request to itself.
    let peer = Peer::answering(move |request| {
        let port = known.get_or_init(|| ports.lock().unwrap().recv().unwrap());
        peer::forward(request, &peer::ior(&[*port], NEWEST))
    });
    sender.send(peer.port()).unwrap();
    let remote = peer.reference(&orbs::client(), NEWEST);
    let expected = (ExceptionKind::Transient, Minor::TOO_MANY_FORWARDS, Completion::No);
    let text = assert_fails(remote.ping(), expected);
    assert!(text.contains("max_forwards"), "{text}");
    assert_eq!(peer.connections(), 1);
}

#[test]
fn a_place_that_an_earlier_call_was_forwarded_to_and_that_is_gone_is_left() {
    let first = Server::start();
    let second = Server::start();
    let targets = [first.local.object().ior(), second.local.object().ior()];
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let home = Peer::answering(move |request| {
        let count = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        peer::forward(request, &targets[count.min(1)])
    });
    let remote = home.reference(&orbs::client(), NEWEST);
    assert_eq!(remote.increment().unwrap(), 1);
    assert_eq!(first.probe.count().unwrap(), 1);
    drop(first);
    assert_eq!(remote.increment().unwrap(), 1, "the second server answers");
    assert_eq!(second.probe.count().unwrap(), 1);
}

#[test]
fn an_object_that_is_no_longer_where_an_earlier_call_was_forwarded_to_is_looked_for_at_home() {
    let server = Server::start();
    let (_, other) = orbs::activate(&server);
    let url = server.publish("probe", server.local.object()).unwrap();
    let remote: EverythingRef = orbs::client().resolve(&url).unwrap();
    remote.ping().unwrap();
    server.publish("probe", other.object()).unwrap();
    let poa = server.root_poa();
    poa.deactivate(&poa.reference_to_id(server.local.object()).unwrap()).unwrap();
    remote.increment().unwrap();
    assert_eq!(other.count().unwrap(), 1);

    poa.deactivate(&poa.reference_to_id(other.object()).unwrap()).unwrap();
    let error = remote.ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "nor is it at home: {error}");
}

#[test]
fn idle_connections_are_closed_in_order() {
    let client =
        orbs::builder().settings(|s| s.client_idle = Duration::from_millis(20)).build().unwrap();
    let (sender, kinds) = mpsc::channel();
    let peer = Peer::start(move |_, mut wire| {
        let Some(request) = wire.request() else { return };
        wire.send(&done(&request));
        sender.send(wire.until_end()).ok();
    });
    let remote = peer.reference(&client, NEWEST);
    remote.ping().unwrap();
    assert_eq!(kinds.recv_timeout(BOUND).unwrap(), [MessageKind::CloseConnection]);
    remote.ping().unwrap();
    eventually("another connection", || peer.connections() == 2);
}

#[test]
fn a_client_that_does_not_read_its_replies_cannot_hold_the_server() {
    let limits = orbs::builder().settings(|s| s.server_idle = LIMIT);
    let server = Server::of(limits.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let profile = server.local.object().ior().iiop_profiles().next().unwrap().unwrap();
    let request = peer::request(NEWEST, ByteOrder::NATIVE, &profile.object_key, "produce", |out| {
        out.put_u32(15 << 20);
        Ok(())
    });
    let mut wire = Wire::connect(server.address());
    wire.send(&request);
    // The first octets of the reply have come; the rest fills the buffers in between.
    wire.peek();
    let begun = Instant::now();
    server.shutdown();
    assert!(begun.elapsed() < server.settings().drain_timeout, "the server waited in vain");
}

#[test]
fn a_connection_that_was_cut_while_it_was_idle_is_replaced_unseen() {
    let (sender, cuts) = mpsc::channel();
    let peer = Peer::start(move |_, mut wire| {
        if let Some(request) = wire.request() {
            wire.send(&done(&request));
            drop(wire);
            sender.send(()).ok();
        }
    });
    let remote = peer.reference(&orbs::client(), NEWEST);
    for calls in 1..4 {
        remote.ping().unwrap();
        assert_eq!(peer.connections(), calls);
        cuts.recv_timeout(BOUND).unwrap();
        // A connection is looked at before it is used again only if it was idle for some 10 ms.
        std::thread::sleep(Duration::from_millis(50));
    }
}
