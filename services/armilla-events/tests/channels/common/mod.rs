//! Channels on the loopback interface, and consumers that keep what they get.

#![allow(dead_code, missing_docs, unreachable_pub)]

use armilla::{Error, Orb, SystemException};
use armilla_events::corba::push_consumer::{self, PushRaises};
use armilla_events::corba::{Event, EventChannelRef, PushConsumer, PushConsumerRef};
use armilla_events::{ChannelLimits, EventChannel};
use armilla_rt::{DirectMapping, NativeRange, Priority, PriorityMapping, RtOrb, Scheduling};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// How long a test waits before it fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// An ORB on the loopback interface, with the direct mapping to `SCHED_FIFO`.
pub fn server() -> (Orb, RtOrb) {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let rt = RtOrb::new(&orb).with_mapping(DirectMapping(NativeRange::FIFO));
    (orb, rt)
}

/// A channel, and its ORB.
pub fn served() -> (Orb, EventChannel) {
    served_with(ChannelLimits::default())
}

pub fn served_with(limits: ChannelLimits) -> (Orb, EventChannel) {
    let (orb, rt) = server();
    let channel = EventChannel::builder(&rt).limits(limits).build().unwrap();
    (orb, channel)
}

/// The channel as another process would see it.
pub fn remote(from: &Orb, channel: &EventChannel, to: &Orb) -> EventChannelRef {
    to.resolve(&from.object_to_string(channel.reference()).unwrap()).unwrap()
}

/// A consumer that sends the types of each delivery, and a receiver of them.
pub fn collector() -> (impl Fn(&[Event]) + Send + Sync + 'static, Receiver<Vec<u32>>) {
    let (send, receive) = channel();
    (move |events: &[Event]| drop(send.send(types(events))), receive)
}

pub fn types(events: &[Event]) -> Vec<u32> {
    events.iter().map(|event| event.header.event_type).collect()
}

pub fn next(receive: &Receiver<Vec<u32>>) -> Vec<u32> {
    receive.recv_timeout(PATIENCE).expect("a delivery")
}

/// A remote consumer: sends the types of each delivery, and an empty list when it is disconnected.
pub struct Remote(pub Sender<Vec<u32>>);

impl PushConsumer for Remote {
    fn push(&self, received: &[Event]) -> Result<(), Error<PushRaises>> {
        self.0.send(types(received)).ok();
        Ok(())
    }

    fn disconnect_push_consumer(&self) -> Result<(), SystemException> {
        self.0.send(Vec::new()).ok();
        Ok(())
    }
}

pub fn remote_consumer(orb: &Orb) -> (PushConsumerRef, Receiver<Vec<u32>>) {
    let (send, receive) = channel();
    (orb.root_poa().activate(push_consumer::tie(Remote(send))).unwrap(), receive)
}

/// Keeps consumers until it is opened.
#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<(bool, usize)>, Condvar)>);

impl Gate {
    /// Waits until the gate is open.
    pub fn pass(&self) {
        let (state, changed) = &*self.0;
        let mut state = state.lock().unwrap();
        state.1 += 1;
        changed.notify_all();
        drop(changed.wait_while(state, |(open, _)| !*open).unwrap());
    }

    pub fn open(&self) {
        self.0.0.lock().unwrap().0 = true;
        self.0.1.notify_all();
    }

    /// Waits until so many have come to the gate.
    pub fn await_comers(&self, count: usize) {
        let state = self.0.0.lock().unwrap();
        let waited = self.0.1.wait_timeout_while(state, PATIENCE, |(_, comers)| *comers < count);
        assert!(!waited.unwrap().1.timed_out(), "{count} come to the gate");
    }
}

/// Waits until the condition holds.
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "waited for: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Panics in the threads of consumers.
pub struct Panicking;

impl PriorityMapping for Panicking {
    fn to_native(&self, priority: Priority) -> Option<Scheduling> {
        assert_ne!(std::thread::current().name(), Some("event-consumer"), "as told");
        DirectMapping(NativeRange::FIFO).to_native(priority)
    }

    fn to_corba(&self, native: Scheduling) -> Option<Priority> {
        DirectMapping(NativeRange::FIFO).to_corba(native)
    }
}
