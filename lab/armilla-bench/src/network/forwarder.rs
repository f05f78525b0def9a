//! The forwarder of a link: a thread that reads packets from one interface and writes them to the
//! other, when the line would have delivered them.

use crate::line::Line;
use crate::machine::Placement;
use armilla_ipc::affinity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tun_rs::SyncDevice;

/// The number of packets on their way in one direction. Further packets wait in the queue of the
/// interface (500 packets), which drops what comes when it is full.
const MOST: usize = 1024;

/// How long the thread looks for packets without sleeping. Sleeping costs a wake-up, which would
/// add to the time of a packet.
const AWAKE: Duration = Duration::from_millis(20);

/// How often a sleeping thread checks whether it has to end.
const CHECK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// The running thread, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct Forwarder {
    end: Arc<AtomicBool>,
    failure: Arc<Mutex<Option<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Forwarder {
    /// Starts the thread, on the processor where clients run that have one of their own.
    pub(super) fn start(
        devices: [SyncDevice; 2],
        line: Line,
        delay: Duration,
    ) -> Result<Self, String> {
        let unblocked = devices.iter().try_for_each(|device| device.set_nonblocking(true));
        unblocked.map_err(|error| format!("cannot unblock a TUN interface: {error}"))?;
        let (end, failure) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(None)));
        let (told, reason) = (end.clone(), failure.clone());
        let (_, cpu) = Placement::OneCoreEach.cpus();
        let forward = move || {
            // The system's choice of a processor serves, too.
            cpu.map(|cpu| affinity::pin_thread(cpu).ok());
            if let Err(error) = forward(&devices, line, delay, &told) {
                *reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
            }
        };
        let thread = thread::Builder::new().name("link".into()).spawn(forward);
        let thread = thread.map_err(|error| format!("cannot start a thread: {error}"))?;
        Ok(Self { end, failure, thread: Some(thread) })
    }

    /// Why the thread has ended, if it has.
    pub(super) fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Forwarder {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

fn forward(
    devices: &[SyncDevice; 2],
    line: Line,
    delay: Duration,
    end: &AtomicBool,
) -> io::Result<()> {
    let [server, client] = devices;
    let mut ways = [Wire::new(line, delay), Wire::new(line, delay)];
    let mut last = Instant::now();
    while !end.load(Ordering::Relaxed) {
        let mut busy = false;
        for (wire, from, to) in [(0, client, server), (1, server, client)] {
            let wire = &mut ways[wire];
            busy |= take(wire, from)?;
            busy |= deliver(wire, to)?;
            busy |= !wire.is_empty();
        }
        if busy {
            last = Instant::now();
        } else if last.elapsed() > AWAKE {
            let mut both = devices.each_ref().map(|device| PollFd::new(device, PollFlags::IN));
            // A signal only ends the sleep earlier.
            poll(&mut both, Some(&CHECK)).ok();
        }
    }
    Ok(())
}

/// Takes one packet from the interface of the sender, if there is one and the wire has room.
fn take(wire: &mut Wire, from: &SyncDevice) -> io::Result<bool> {
    if wire.packets.len() >= MOST {
        return Ok(false);
    }
    let mut memory = wire.memory();
    match from.recv(&mut memory) {
        Ok(octets) => {
            wire.accept(Instant::now(), memory, octets);
            Ok(true)
        }
        Err(error) => {
            wire.spare.push(memory);
            is_nothing(&error).then_some(false).ok_or(error)
        }
    }
}

/// Writes the packets that have arrived to the interface of the receiver.
fn deliver(wire: &mut Wire, to: &SyncDevice) -> io::Result<bool> {
    let mut any = false;
    while let Some(packet) = wire.arrived(Instant::now()) {
        match to.send(&packet.memory[..packet.octets]) {
            Ok(_) => {}
            // The receiver has no room: the packet is lost, as on a real line.
            Err(error) if is_nothing(&error) || error.raw_os_error() == Some(NO_BUFFERS) => {}
            Err(error) => return Err(error),
        }
        wire.spare.push(packet.memory);
        any = true;
    }
    Ok(any)
}

/// `ENOBUFS`.
const NO_BUFFERS: i32 = rustix::io::Errno::NOBUFS.raw_os_error();

fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// One direction of the line: packets follow each other, and each is delayed.
struct Wire {
    line: Line,
    delay: Duration,
    /// When the wire is free for the next packet.
    free: Option<Instant>,
    packets: VecDeque<Packet>,
    /// Memory for packets.
    spare: Vec<Vec<u8>>,
}

/// A packet on its way.
struct Packet {
    /// When its last octet arrives.
    due: Instant,
    memory: Vec<u8>,
    octets: usize,
}

impl Wire {
    const fn new(line: Line, delay: Duration) -> Self {
        Self { line, delay, free: None, packets: VecDeque::new(), spare: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Memory for the largest packet.
    fn memory(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_else(|| vec![0; self.line.mtu()])
    }

    /// Accepts a packet that was sent at `now`: it follows the packets before it.
    fn accept(&mut self, now: Instant, memory: Vec<u8>, octets: usize) {
        let begin = self.free.map_or(now, |free| free.max(now));
        let end = begin + self.line.time(octets);
        self.free = Some(end);
        self.packets.push_back(Packet { due: end + self.delay, memory, octets });
    }

    /// The next packet if it has arrived by `now`.
    fn arrived(&mut self, now: Instant) -> Option<Packet> {
        self.packets.front().filter(|packet| packet.due <= now)?;
        self.packets.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(wire: &mut Wire, begun: Instant) -> Vec<Duration> {
        let late = begun + Duration::from_secs(1);
        let arrived = std::iter::from_fn(|| wire.arrived(late));
        arrived.map(|packet| packet.due - begun).collect()
    }

    #[test]
    fn packets_follow_each_other_on_the_wire() {
        let begun = Instant::now();
        let delay = Duration::from_micros(100);
        let mut wire = Wire::new(Line::Ethernet100, delay);
        let each = Line::Ethernet100.time(1500);
        for _ in 0..3 {
            wire.accept(begun, Vec::new(), 1500);
        }
        assert_eq!(arrivals(&mut wire, begun), [1, 2, 3].map(|n| each * n + delay));
        // An idle wire begins at once.
        wire.accept(begun + each * 9, Vec::new(), 1500);
        assert_eq!(arrivals(&mut wire, begun), [each * 10 + delay]);
    }

    #[test]
    fn no_packet_arrives_before_its_time() {
        let begun = Instant::now();
        let mut wire = Wire::new(Line::Ethernet10, Duration::ZERO);
        wire.accept(begun, Vec::new(), 1500);
        let due = begun + Line::Ethernet10.time(1500);
        assert!(wire.arrived(due - Duration::from_nanos(1)).is_none());
        assert!(wire.arrived(due).is_some() && wire.is_empty());
    }
}
