//! Federation over UDP multicast: the channels of a group hear one another.

use crate::channel::{ConsumerConnection, EventChannel};
use crate::corba::Event;
use crate::datagram::EventDatagram;
use crate::error::EventError;
use crate::options::ConsumerOptions;
use crate::senders::Senders;
use armilla_ipc::datagram::Datagram;
use armilla_ipc::reactor::{Handler, Next, Reactor, Ready, Token};
use armilla_ipc::udp::{Interface, UdpMulticast};
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tracing::warn;

/// How a channel takes part in a multicast group.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MulticastOptions {
    /// The group and its port; with port 0 a free one is chosen.
    pub group: SocketAddr,
    /// The name of the network interface; `None` lets the system choose.
    pub interface: Option<String>,
    /// The hosts whose events are heard, this one too if its other processes are; none stands for
    /// everybody. The system drops what others send (RFC 4607), but anybody on the way can send in
    /// the name of another host. Linux takes 10
    /// (`igmp_max_msf`).
    pub sources: Vec<IpAddr>,
    /// Which events of the channel are sent to the group, and how they are queued for that. Its
    /// priority is that of both threads.
    pub consumer: ConsumerOptions,
    /// The size of a datagram up to which an event is sent, in octets, at most 65,507. What does
    /// not fit into a packet of the network is fragmented. Default: 65,507.
    pub largest: usize,
    /// How many routers a datagram may pass, and one more. Default: 1, the own network.
    pub routers: u8,
}

/// The largest datagram of UDP over IPv4.
const LARGEST: usize = 65_507;

impl MulticastOptions {
    /// Takes part in this group over the interface that the system chooses, with these events.
    pub const fn new(group: SocketAddr, consumer: ConsumerOptions) -> Self {
        let sources = Vec::new();
        Self { group, interface: None, sources, consumer, largest: LARGEST, routers: 1 }
    }
}

/// Counts of a [`MulticastGateway`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct MulticastCounts {
    /// Events that were sent.
    pub sent: u64,
    /// Events that were not sent, because they were too large or the system refused them.
    pub unsent: u64,
    /// Events of the group that were passed on to the channel.
    pub received: u64,
    /// Events that were lost on the way, as far as later ones of the same sender show.
    pub lost: u64,
    /// Events that came twice, or behind later ones, and were dropped.
    pub stale: u64,
    /// Events of the group that may not pass on to a further channel.
    pub stopped: u64,
    /// Datagrams that were none of events.
    pub malformed: u64,
}

/// Makes a channel one of those of a multicast group: events of each pass on to all others, one
/// datagram each. It does not know the others, and none waits for another one.
///
/// Datagrams may be lost or overtake one another; what is lost is counted, and events of a sender
/// never come in the wrong order. Nobody is authenticated: whoever may send to the group is heard,
/// unless [`sources`](MulticastOptions::sources) names hosts. An event passes on as far as its
/// header and [`ChannelLimits::hops`](crate::ChannelLimits::hops) allow, usually once, and never
/// back to the group from which it came: each member would multiply it.
/// Any thread may use it; it leaves the group when it is dropped.
#[must_use = "the channel leaves the group when this is dropped"]
pub struct MulticastGateway {
    shared: Arc<Shared>,
    connection: ConsumerConnection,
    /// What the receiving thread waits in.
    reactor: Arc<Reactor>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    socket: UdpMulticast,
    /// A random number, to know one's own datagrams by.
    sender: u64,
    number: AtomicU64,
    largest: usize,
    counts: Counts,
}

/// The receiving side.
struct Receiver {
    shared: Arc<Shared>,
    to: EventChannel,
    own: ConsumerConnection,
    state: Mutex<Receiving>,
}

/// What the receiving thread keeps from one event to the next.
struct Receiving {
    buffer: Vec<u8>,
    senders: Senders,
}

#[derive(Default)]
struct Counts {
    sent: AtomicU64,
    unsent: AtomicU64,
    received: AtomicU64,
    lost: AtomicU64,
    stale: AtomicU64,
    stopped: AtomicU64,
    malformed: AtomicU64,
}

/// How long the receiving thread pauses after an error of the system.
const PAUSE: Duration = Duration::from_millis(50);

impl MulticastGateway {
    /// Takes part in a group from now on.
    ///
    /// # Errors
    /// When the group cannot be joined, or the channel has no room for a consumer.
    pub fn join(channel: &EventChannel, options: MulticastOptions) -> Result<Self, EventError> {
        let of_network = |error: io::Error| EventError::Network(error.to_string());
        let socket = open(&options).map_err(of_network)?;
        let reactor = Arc::new(Reactor::new().map_err(of_network)?);
        let MulticastOptions { consumer, largest, .. } = options;
        let priority = consumer.priority;
        let shared = Arc::new(Shared {
            socket,
            sender: RandomState::new().build_hasher().finish(),
            number: AtomicU64::new(0),
            largest: largest.min(LARGEST),
            counts: Counts::default(),
        });
        let sending = shared.clone();
        let send = move |events: &[Event]| events.iter().for_each(|event| sending.send(event));
        let connection = channel.connect(send, consumer)?;
        let state = Receiving { buffer: vec![0; LARGEST + 1], senders: Senders::default() };
        let (to, own) = (channel.clone(), connection.clone());
        let receiver = Receiver { shared: shared.clone(), to, own, state: Mutex::new(state) };
        let mut gateway = Self { shared, connection, reactor, thread: None };
        gateway.reactor.register(Arc::new(receiver)).map_err(of_network)?;
        let (events, to) = (gateway.reactor.clone(), channel.clone());
        let thread = thread::Builder::new().name("event-multicast".into()).spawn(move || {
            if let Err(error) = to.raise(priority) {
                warn!("events of a multicast group: {error}");
            }
            while let Err(error) = events.run() {
                warn!("events of a multicast group: {error}");
                thread::sleep(PAUSE);
            }
        });
        let thread = thread.map_err(|error| EventError::Limit(format!("no thread: {error}")))?;
        gateway.thread = Some(thread);
        Ok(gateway)
    }

    /// The group, with its real port.
    pub fn group(&self) -> SocketAddr {
        self.shared.socket.group()
    }

    /// What became of the events so far.
    pub fn counts(&self) -> MulticastCounts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counts { sent, unsent, received, lost, stale, stopped, malformed } =
            &self.shared.counts;
        MulticastCounts {
            sent: read(sent),
            unsent: read(unsent),
            received: read(received),
            lost: read(lost),
            stale: read(stale),
            stopped: read(stopped),
            malformed: read(malformed),
        }
    }
}

impl Drop for MulticastGateway {
    fn drop(&mut self) {
        self.reactor.stop();
        self.connection.disconnect();
        // A thread that panicked has nothing left to do.
        self.thread.take().into_iter().for_each(|thread| drop(thread.join()));
    }
}

fn open(options: &MulticastOptions) -> io::Result<UdpMulticast> {
    let group = options.group;
    let socket = UdpMulticast::bind(group)?;
    let named = options.interface.as_deref();
    let interface = named.map_or(Ok(Interface::DEFAULT), Interface::named)?;
    if options.sources.is_empty() {
        socket.join(group.ip(), interface)?;
    }
    for source in &options.sources {
        socket.join_source(group.ip(), *source, interface)?;
    }
    socket.set_interface(interface)?;
    socket.set_hops(options.routers)?;
    Ok(socket)
}

fn count(counter: &AtomicU64, events: u64) {
    counter.fetch_add(events, Ordering::Relaxed);
}

impl Shared {
    /// Sends an event to the group.
    fn send(&self, event: &Event) {
        if event.header.hops == 0 {
            return;
        }
        // One that does not leave is counted as lost by the others.
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        let datagram = EventDatagram { sender: self.sender, number, event: event.clone() };
        let octets = datagram.encode().ok().filter(|octets| octets.len() <= self.largest);
        let sent = octets.is_some_and(|octets| self.socket.send(&octets).is_ok());
        count(if sent { &self.counts.sent } else { &self.counts.unsent }, 1);
    }

    /// The event of a datagram, if it passes on.
    fn accept(&self, octets: &[u8], from: IpAddr, senders: &mut Senders) -> Option<Event> {
        let Ok(EventDatagram { sender, number, event }) = EventDatagram::decode(octets) else {
            count(&self.counts.malformed, 1);
            return None;
        };
        if sender == self.sender {
            return None;
        }
        let Some(lost) = senders.advance(from, sender, number) else {
            count(&self.counts.stale, 1);
            return None;
        };
        count(&self.counts.lost, lost);
        let Some(hops) = event.header.hops.checked_sub(1) else {
            count(&self.counts.stopped, 1);
            return None;
        };
        count(&self.counts.received, 1);
        Some(event.with_hops(hops))
    }
}

impl Handler for Receiver {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.shared.socket.as_fd()
    }

    /// Passes on what has come from the group, until the gateway ends.
    fn ready(&self, reactor: &Reactor, _: Token, _: Ready) -> Next {
        // What a panic leaves can be used: a datagram is received as a whole.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Receiving { buffer, senders } = &mut *state;
        while !reactor.is_stopped() {
            match self.shared.socket.try_recv_from(buffer) {
                Ok((received, from)) => {
                    let octets = &buffer[..received.length];
                    if let Some(event) = self.shared.accept(octets, from.ip(), senders) {
                        self.to.push_foreign(&event, Some(&self.own));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => {
                    warn!("events of a multicast group: {error}");
                    thread::sleep(PAUSE);
                    break;
                }
            }
        }
        Next::READ
    }
}

impl fmt::Debug for MulticastGateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MulticastGateway")
            .field("group", &self.group())
            .field("counts", &self.counts())
            .finish()
    }
}
