//! What event demultiplexing costs: the reactor against the bare system calls, timers, and the
//! memory of idle registrations.
//!
//! ```text
//! cargo run --release -p armilla-ipc --example events
//! ```
//!
//! Everything runs on one CPU in one thread, in turns; the figure is the median of the turns.

use armilla_ipc::affinity;
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

fn echoes() -> io::Result<()> {
    for pairs in [1, 64] {
        let mut times = (0..TURNS).map(|_| bounces(pairs)).collect::<io::Result<Vec<_>>>()?;
        println!("one message, {pairs:>2} busy pairs  {:>14} ns", median(&mut times).as_nanos());
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
