//! The memory of large messages goes back to the operating system when they are over. Other
//! tests of the process would use memory at the same time.

use armilla::ConnectionPolicy;
use armilla_giop::MessageKind;
use armilla_tests::alone::{alone, alone_with};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, CONCURRENCIES, Server};
use armilla_tests::peer::{self, Wire};
use armilla_tests::probe::*;

const LARGE: usize = 5 << 20;

/// What may stay, in octets: the buffers of usual messages.
const SMALL: usize = 8 << 20;

/// The memory of this process that is in use, in octets.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

/// The C library's allocator keeps much of what a thread frees, of results too, unless this says
/// otherwise; it is read when a process starts.
const TRIM: (&str, &str) = ("MALLOC_TRIM_THRESHOLD_", "131072");

#[test]
fn the_memory_of_large_messages_goes_back_to_the_system() {
    alone_with(&[TRIM], || {
        for concurrency in CONCURRENCIES {
            for connections in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
                let server = Server::of(orbs::listening_with(|settings| {
                    settings.concurrency = concurrency;
                }));
                let client =
                    orbs::builder().settings(|settings| settings.connection_policy = connections);
                let client = client.build().unwrap();
                let remote = server.remote(&client);
                remote.ping().unwrap();
                let before = resident();
                std::thread::scope(|scope| {
                    for _ in 0..8 {
                        scope.spawn(|| {
                            let given = vec![7; LARGE];
                            remote.echo_octets(&given, &mut Vec::new()).unwrap();
                        });
                    }
                });
                eventually("the memory is given back", || resident() < before + SMALL);
                remote.ping().unwrap();
            }
        }
    });
}

/// The allocator as programs have it: what the threads of connections that have ended leave behind
/// goes back too.
#[test]
fn what_a_flood_of_fragments_and_large_messages_took_goes_back() {
    const CLIENTS: usize = 20;
    const HUGE: usize = 15 << 20;
    const STAYS: usize = 10 << 20;
    alone(|| {
        for concurrency in CONCURRENCIES {
            let server = Server::of(orbs::listening_with(|settings| {
                settings.concurrency = concurrency;
            }));
            let remote = server.remote(&orbs::client());
            remote.ping().unwrap();
            // The server reads all of it, and knows no such operation.
            let octets = vec![7; HUGE];
            let request = server.request_with(1, "wave", |out| out.copy_octets(&octets));
            let pieces = peer::fragments(&request, 1 << 20);
            let before = resident();
            std::thread::scope(|scope| {
                for client in 0..CLIENTS {
                    let (server, pieces, request) = (&server, &pieces, &request);
                    scope.spawn(move || {
                        let mut flood = Wire::connect(server.address());
                        let last = pieces.len() - 1 - client % 2;
                        assert!(pieces[..last].iter().all(|piece| flood.send(piece)));
                        drop(flood);
                        let mut whole = Wire::connect(server.address());
                        whole.send(request);
                        assert_eq!(whole.kind(), Some(MessageKind::Reply));
                    });
                }
            });
            eventually("the memory is given back", || resident() < before + STAYS);
        }
    });
}
