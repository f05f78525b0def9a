//! Events: what a header says, and values of any IDL type as data.

use crate::corba::{Event, EventHeader};
use armilla::{Any, CdrResult, Decode, Encode, Typed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

impl EventHeader {
    /// The header of an event that is made now. It may pass on to one more channel, has the lowest
    /// priority, and is of use without end.
    pub fn new(source: u32, event_type: u32) -> Self {
        Self { source, event_type, priority: 0, hops: 1, created: now(), time_to_live: 0 }
    }

    /// How long ago the event was made, by the clock of this host; zero if that clock is behind.
    pub fn age(&self) -> Duration {
        Duration::from_nanos(now().saturating_sub(self.created))
    }

    /// When the event is no longer of use, in nanoseconds since 1970; `u64::MAX` for never.
    pub fn expires(&self) -> u64 {
        match self.time_to_live {
            0 => u64::MAX,
            lives => self.created.saturating_add(lives),
        }
    }
}

impl Event {
    /// An event with any data.
    ///
    /// ```
    /// use armilla_events::corba::Event;
    ///
    /// let event = Event::new(7, 20, &0.5_f64)?.with_priority(90);
    /// assert_eq!(event.value::<f64>()?, Some(0.5));
    /// # Ok::<(), armilla::CdrError>(())
    /// ```
    ///
    /// # Errors
    /// When the value breaks a rule of its IDL type.
    pub fn new<T: Typed + Encode + ?Sized>(
        source: u32,
        event_type: u32,
        data: &T,
    ) -> CdrResult<Self> {
        Ok(Self { header: EventHeader::new(source, event_type), data: Any::new(data)? })
    }

    /// An event that says nothing but that it happened.
    pub fn signal(source: u32, event_type: u32) -> Self {
        Self { header: EventHeader::new(source, event_type), data: Any::default() }
    }

    /// The same with a CORBA priority, 0 to 32,767.
    #[must_use]
    pub fn with_priority(mut self, priority: i16) -> Self {
        self.header.priority = priority;
        self
    }

    /// The same, not to be delivered later than this after it was made.
    #[must_use]
    pub fn with_time_to_live(mut self, lives: Duration) -> Self {
        self.header.time_to_live = nanos(lives);
        self
    }

    /// The same, which may pass on to so many channels more.
    #[must_use]
    pub fn with_hops(mut self, hops: u8) -> Self {
        self.header.hops = hops;
        self
    }

    /// The data as a value of this type, if it is one.
    ///
    /// # Errors
    /// When the data cannot be read.
    pub fn value<T: Typed + for<'a> Decode<'a>>(&self) -> CdrResult<Option<T>> {
        self.data.get()
    }
}

/// Nanoseconds since 1970.
pub(crate) fn now() -> u64 {
    nanos(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// Whole nanoseconds; what is beyond 584 years is cut.
pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
