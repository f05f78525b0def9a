//! What event demultiplexing costs: the reactor against the bare system calls, the proactor over
//! io_uring against the one over epoll, timers, and the memory of idle registrations.
//!
//! ```text
//! cargo run --release -p armilla-ipc --features io-uring --example events
//! ```
//!
//! Everything runs on one CPU in one thread, in turns; the figure is the median of the turns.

use armilla_ipc::affinity;
use armilla_ipc::proactor::{
    AttachedSocket, Backend, CompletionHandler, OperationResult, Proactor,
};
use armilla_ipc::reactor::{Handler, Next, Reactor, Ready, Timer, Token};
use rustix::event::epoll;
use std::error::Error;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const TURNS: usize = 9;
const EVENTS: u32 = 20_000;
const IDLE: usize = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    affinity::pin_process(&[affinity::allowed_cpus()?[0]])?;
    let mut bare = Vec::new();
    let mut alone = Vec::new();
    let mut shared = Vec::new();
    for _ in 0..TURNS {
        bare.push(bare_calls()?);
        alone.push(through(&Reactor::new()?)?);
        shared.push(through(&Reactor::shared()?)?);
    }
    println!(
        "one event: write, wait, read, with the bare calls    {:>7} ns",
        median(&mut bare).as_nanos()
    );
    println!(
        "                              through a reactor      {:>7} ns",
        median(&mut alone).as_nanos()
    );
    println!(
        "                              through a shared one   {:>7} ns",
        median(&mut shared).as_nanos()
    );
    echoes()?;
    timers()?;
    memory()
}

/// A write, an `epoll_wait` and a read for each event.
fn bare_calls() -> io::Result<Duration> {
    let (mut ours, mut theirs) = UnixStream::pair()?;
    let set = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let (data, flags) = (epoll::EventData::new_u64(0), epoll::EventFlags::IN);
    epoll::add(&set, &ours, data, flags)?;
    let mut events = [epoll::Event { flags, data }; 64];
    let start = Instant::now();
    for _ in 0..EVENTS {
        theirs.write_all(b"x")?;
        epoll::wait(&set, &mut events, None)?;
        ours.read_exact(&mut [0; 1])?;
    }
    Ok(start.elapsed() / EVENTS)
}

struct Eater(UnixStream);

impl Handler for Eater {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        match (&self.0).read(&mut [0; 1]) {
            Ok(1) => Next::READ,
            _ => Next::Deregister,
        }
    }
}

fn through(reactor: &Reactor) -> io::Result<Duration> {
    let (ours, mut theirs) = UnixStream::pair()?;
    reactor.register(Arc::new(Eater(ours)))?;
    let start = Instant::now();
    for _ in 0..EVENTS {
        theirs.write_all(b"x")?;
        reactor.handle_events(None)?;
    }
    Ok(start.elapsed() / EVENTS)
}

/// Sends back whatever it receives when the reactor says that there is something.
struct Bouncer(UnixStream, Arc<AtomicU64>);

impl Handler for Bouncer {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        let mut buffer = [0; 64];
        self.1.fetch_add(1, Ordering::Relaxed);
        match (&self.0).read(&mut buffer) {
            Ok(count @ 1..) if (&self.0).write_all(&buffer[..count]).is_ok() => Next::READ,
            _ => Next::Deregister,
        }
    }
}

/// The time of one message through a reactor with `pairs` connections, all of them busy.
fn bounces(pairs: usize) -> io::Result<Duration> {
    let (reactor, count) = (Reactor::new()?, Arc::new(AtomicU64::new(0)));
    for _ in 0..pairs {
        let (mut near, far) = UnixStream::pair()?;
        near.write_all(&[0; 64])?;
        for end in [near, far] {
            reactor.register(Arc::new(Bouncer(end, Arc::clone(&count))))?;
        }
    }
    let start = Instant::now();
    while count.load(Ordering::Relaxed) < u64::from(EVENTS) {
        reactor.handle_events(None)?;
    }
    Ok(start.elapsed() / EVENTS)
}

/// Sends back whatever it receives, so that a ball goes to and fro between two of them for ever.
struct Player(Arc<AtomicU64>);

impl CompletionHandler for Player {
    fn completed(&self, proactor: &Proactor, done: OperationResult) {
        // What cannot be started stays away from the count, which then shows it.
        let _ = proactor.send(&done.source, done.buffer, Arc::new(Receiver(Arc::clone(&self.0))));
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Receives the answer to what was sent.
struct Receiver(Arc<AtomicU64>);

impl CompletionHandler for Receiver {
    fn completed(&self, proactor: &Proactor, done: OperationResult) {
        let player = Arc::new(Player(Arc::clone(&self.0)));
        let _ = proactor.receive(&done.source, done.buffer, player);
    }
}

/// The time of one message through a proactor with `pairs` connections, all of them busy.
fn messages(kind: Backend, pairs: usize) -> io::Result<Duration> {
    let proactor = Proactor::with(kind)?;
    let count = Arc::new(AtomicU64::new(0));
    let mut sources: Vec<AttachedSocket> = Vec::new();
    for _ in 0..pairs {
        let (near, far) = UnixStream::pair()?;
        let [near, far] = [near, far].map(|end| proactor.attach(Arc::new(end)));
        let (near, far) = (near?, far?);
        proactor.receive(&far, vec![0; 64], Arc::new(Player(Arc::clone(&count))))?;
        proactor.send(&near, vec![0; 64], Arc::new(Receiver(Arc::clone(&count))))?;
        sources.extend([near, far]);
    }
    let start = Instant::now();
    while count.load(Ordering::Relaxed) < u64::from(EVENTS) {
        proactor.handle_events(None)?;
    }
    Ok(start.elapsed() / EVENTS)
}

fn echoes() -> io::Result<()> {
    let mut kinds = vec![Backend::Emulated];
    match Proactor::with(Backend::IoUring) {
        Ok(_) => kinds.push(Backend::IoUring),
        Err(error) => println!("no io_uring: {error}"),
    }
    for pairs in [1, 64] {
        let (mut direct, mut times) = (Vec::new(), vec![Vec::new(); kinds.len()]);
        for _ in 0..TURNS {
            direct.push(bounces(pairs)?);
            for (kind, times) in kinds.iter().zip(&mut times) {
                times.push(messages(*kind, pairs)?);
            }
        }
        let time = median(&mut direct).as_nanos();
        println!("one message, {pairs:>2} busy pairs, {:<25} {time:>8} ns", "Reactor");
        for (kind, times) in kinds.iter().zip(&mut times) {
            let (kind, time) = (format!("{kind:?}"), median(times).as_nanos());
            println!("one message, {pairs:>2} busy pairs, {kind:<25} {time:>8} ns");
        }
    }
    Ok(())
}

fn timers() -> io::Result<()> {
    let reactor = Reactor::new()?;
    let handler = Arc::new(|_: &Reactor, _: Timer| -> Option<Duration> { None });
    let second = |number: usize| Duration::from_millis(1000 + number as u64);
    let armed: Vec<_> = (0..IDLE).map(|n| reactor.arm(second(n), handler.clone())).collect();
    let start = Instant::now();
    for (number, timer) in armed.iter().enumerate() {
        reactor.rearm(*timer, second(IDLE + number));
    }
    println!(
        "postponing one of {IDLE} timers        {:>7} ns",
        (start.elapsed() / IDLE as u32).as_nanos()
    );
    let start = Instant::now();
    for _ in 0..IDLE {
        let timer = reactor.arm(second(IDLE / 2), handler.clone());
        reactor.cancel(timer);
    }
    println!(
        "arming and cancelling one more       {:>7} ns",
        (start.elapsed() / IDLE as u32).as_nanos()
    );
    Ok(())
}

/// What an idle registration takes in this process, the socket itself aside.
fn memory() -> Result<(), Box<dyn Error>> {
    let reactor = Reactor::shared()?;
    let mut kept = Vec::with_capacity(IDLE);
    let mut ends = Vec::with_capacity(IDLE);
    while ends.len() < IDLE {
        // Both ends are registered, for want of more descriptors.
        let Ok((ours, theirs)) = UnixStream::pair() else { break };
        ends.extend([ours, theirs]);
    }
    let count = ends.len();
    let before = resident()?;
    let start = Instant::now();
    for end in ends {
        kept.push(reactor.register(Arc::new(Eater(end)))?);
    }
    let (time, bytes) = (start.elapsed(), resident()?.saturating_sub(before));
    let each = bytes / count as u64;
    println!("registering one of {count}             {:>7} ns", (time / count as u32).as_nanos());
    println!("memory of an idle registration       {each:>5} B, its handler included");
    Ok(())
}

/// The resident memory of this process in bytes.
fn resident() -> Result<u64, Box<dyn Error>> {
    let statm = fs::read_to_string("/proc/self/statm")?;
    let pages: u64 = statm.split(' ').nth(1).ok_or("no such field")?.parse()?;
    Ok(pages * 4096)
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
