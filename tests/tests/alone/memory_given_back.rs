//! The memory of large messages goes back to the operating system when they are over. Other
//! tests of the process would use memory at the same time.

use armilla::ConnectionPolicy;
use armilla_tests::alone::alone_with;
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, CONCURRENCIES, Server};
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
