//! What an idle process costs: its threads sleep, whatever its connections are and have been.

use armilla::transport::Way;
use armilla::{ConnectionPolicy, ExceptionKind, SameHost};
use armilla_tests::alone::alone;
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, CONCURRENCIES, Server};
use armilla_tests::probe::*;
use armilla_tests::process::Process;
use rustix::process::Signal;
use std::collections::HashMap;
use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// Longer than two of the intervals at which threads look at connections that are used.
const WHILE: Duration = Duration::from_millis(2_500);

/// How often the other threads of this process may wake up in that time, all together.
const MOST: u64 = 1;

/// How often each other thread of this process has slept, by its id, and its name.
fn sleeps() -> HashMap<String, (String, u64)> {
    let own = fs::read_link("/proc/thread-self").unwrap();
    let threads = fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let others = threads.filter(|thread| thread.file_name() != own.file_name());
    let status = |thread: std::path::PathBuf| {
        // It may have ended meanwhile.
        let status = fs::read_to_string(thread.join("status")).ok()?;
        let field = |name| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let count = field("voluntary_ctxt_switches:")?.parse().ok()?;
        let id = thread.file_name()?.to_string_lossy().into_owned();
        Some((id, (field("Name:")?.to_owned(), count)))
    };
    others.filter_map(status).collect()
}

/// Waits until the other threads of the process sleep.
fn await_rest(what: &str) {
    await_rest_of(|_| true, what);
}

/// Waits until those of them with such names sleep.
fn await_rest_of(counts: impl Fn(&str) -> bool, what: &str) {
    eventually(&format!("the threads sleep {what}"), || {
        let before = sleeps();
        thread::sleep(WHILE);
        let woken: Vec<_> = sleeps()
            .into_iter()
            .map(|(id, (name, after))| {
                (name, after - before.get(&id).map_or(0, |(_, count)| *count))
            })
            .filter(|(name, count)| *count > 0 && counts(name))
            .collect();
        let all: u64 = woken.iter().map(|(_, count)| count).sum();
        eprintln!("{all} wake-ups {what}: {woken:?}");
        all <= MOST
    });
}

#[test]
fn threads_without_work_sleep_until_something_happens() {
    alone(|| {
        let mut servers = Vec::new();
        for same_host in [SameHost::Off, SameHost::Shm] {
            for concurrency in CONCURRENCIES {
                servers.push(Server::of(orbs::listening_with(|settings| {
                    (settings.concurrency, settings.same_host) = (concurrency, same_host);
                })));
            }
        }
        await_rest("before the first connection");
        let mut clients = Vec::new();
        for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
            let client = orbs::builder().settings(|settings| settings.connection_policy = policy);
            let client = client.build().unwrap();
            for server in &servers {
                let remote = server.remote(&client);
                thread::scope(|scope| {
                    for _ in 0..3 {
                        scope.spawn(|| remote.ping().unwrap());
                    }
                });
                remote.ping_async().wait().unwrap();
                clients.push((client.clone(), remote));
            }
        }
        await_rest("when calls have ended");
        clients.iter().for_each(|(_, remote)| remote.ping().unwrap());
        await_rest("after more calls");
        // Nothing that is due is forgotten: a call that begins after a rest ends in time.
        thread::scope(|scope| {
            for (_, remote) in &clients {
                scope.spawn(|| {
                    let brief = remote.with_timeout(Duration::from_millis(1_100));
                    assert_eq!(brief.block().unwrap_err().kind(), ExceptionKind::Timeout);
                });
            }
        });
        servers.iter().for_each(|server| server.probe.gate.open());
    });
}

/// Over shared memory a thread reads replies as long as they come often.
#[test]
fn calls_for_which_no_thread_waits_keep_no_thread_awake_that_reads() {
    alone(|| {
        for same_host in [SameHost::Off, SameHost::Shm] {
            let server = Process::start(Command::new(env!("CARGO_BIN_EXE_probe")).arg("serve"));
            let client = orbs::builder().settings(|settings| settings.same_host = same_host);
            let client = client.build().unwrap();
            let named: EverythingRef = client.resolve(&server.url).unwrap();
            let near = named.myself().unwrap();
            near.ping().unwrap();
            assert_eq!(near.object().way() == Some(Way::SharedMemory), same_host == SameHost::Shm);
            let calls_under_way = || [(); 3].map(|()| near.block_async());
            for _ in 0..2 {
                let calls = calls_under_way();
                await_rest_of(is_reader, "while calls are under way");
                // Nobody waits for this one either, and it is received all the same.
                let brief = near.ping_async();
                eventually("the reply is there", || brief.is_ready());
                brief.wait().unwrap();
                // A thread that waits reads for all.
                near.ping_async().wait().unwrap();
                drop(calls);
            }
            let calls = calls_under_way();
            await_rest_of(is_reader, "before the server ends");
            server.signal(Signal::KILL);
            eventually("the calls end", || calls.iter().all(|call| call.is_ready()));
            for call in calls {
                assert_eq!(call.wait().unwrap_err().kind(), ExceptionKind::CommFailure);
            }
        }
    });
}

/// Whether a thread with this name reads replies. The one that looks after connections
/// (`armilla-idle`) does so each second while there are calls.
fn is_reader(name: &str) -> bool {
    ["armilla-reader", "armilla-replies"].contains(&name)
}
