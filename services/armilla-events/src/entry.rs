//! A connected consumer: its connection, whether it is there, and what is done at its end.

use crate::connection::Connection;
use crate::consumer::{Consumer, ConsumerError};
use crate::corba::{ConsumerStatistics, Event};
use crate::farewell::Ending;
use crate::presence::Presence;
use crate::sweep::Role;
use armilla::Object;
use armilla_rt::Measurement;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A connected consumer.
pub(crate) struct Entry {
    pub(crate) connection: Connection,
    pub(crate) presence: Arc<Presence>,
    /// Whether it is called, or calls itself: to pull.
    is_pushed_to: bool,
    /// Whether the channel has ended the connection, and not the consumer.
    expelled: AtomicBool,
    /// Ends its proxy, if it has one: a consumer that is gone leaves nothing.
    ending: OnceLock<Ending>,
    /// Tells the consumer of the end of the channel, if it has no thread that does.
    farewell: OnceLock<Ending>,
}

impl Entry {
    pub(crate) fn new(connection: Connection, is_pushed_to: bool) -> Self {
        let (expelled, ending, farewell) = Default::default();
        let presence = Arc::new(Presence::new());
        Self { connection, presence, is_pushed_to, expelled, ending, farewell }
    }

    pub(crate) const fn role(&self) -> Role {
        if self.is_pushed_to { Role::PushConsumer } else { Role::PullConsumer }
    }

    /// Has this done at the end of the connection, or at once if that has ended.
    pub(crate) fn at_end(&self, ending: Ending) {
        let ending = self.ending.get_or_init(|| ending);
        if self.connection.has_ended() {
            ending();
        }
    }

    /// Does what is to be done at the end of the connection.
    pub(crate) fn end(&self) {
        self.ending.get().into_iter().for_each(|ending| ending());
    }

    /// Has this done when the channel ends, within the time for a call.
    pub(crate) fn at_channels_end(&self, farewell: Ending) {
        self.farewell.set(farewell).ok();
    }

    /// What is to be done when the channel ends, if anything.
    pub(crate) fn farewell(self: &Arc<Self>) -> Option<Ending> {
        self.farewell.get()?;
        let entry = self.clone();
        Some(Box::new(move || entry.farewell.get().into_iter().for_each(|it| it())))
    }

    /// The channel ends the connection. Returns whether it did so before.
    pub(crate) fn expel(&self) -> bool {
        self.expelled.swap(true, Ordering::SeqCst)
    }

    /// Whether the channel has ended the connection.
    pub(crate) fn is_expelled(&self) -> bool {
        self.expelled.load(Ordering::SeqCst)
    }

    #[cfg_attr(not(feature = "server"), allow(dead_code))]
    pub(crate) fn state(&self) -> ConsumerState {
        ConsumerState {
            pulls: !self.is_pushed_to,
            address: self.presence.address(),
            idle: self.presence.idle().unwrap_or_default(),
            statistics: self.connection.statistics(),
        }
    }
}

/// A consumer, as operators see it.
#[cfg_attr(not(feature = "server"), allow(dead_code))]
pub(crate) struct ConsumerState {
    pub(crate) pulls: bool,
    /// Where its object is, if it has given one.
    pub(crate) address: String,
    /// For how long nothing was heard of it; zero while it calls.
    pub(crate) idle: Duration,
    pub(crate) statistics: ConsumerStatistics,
}

/// A consumer that is measured.
pub(crate) struct Measured {
    pub(crate) consumer: Arc<dyn Consumer>,
    pub(crate) operation: String,
    pub(crate) measurement: Measurement,
}

impl Consumer for Measured {
    fn push(&self, events: &[Event]) -> Result<(), ConsumerError> {
        self.measurement.of(&self.operation, || self.consumer.push(events))
    }

    fn disconnected(&self) {
        self.consumer.disconnected();
    }

    fn reference(&self) -> Option<&Object> {
        self.consumer.reference()
    }
}
