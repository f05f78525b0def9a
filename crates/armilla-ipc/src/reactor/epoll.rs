//! The kernel's set of watched descriptors (`epoll`), and what its events mean.

use super::handler::Ready;
use super::table::Token;
use crate::interest::Interest;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{EventfdFlags, Timespec, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::io;
use std::time::Duration;

/// How many events a thread takes at once if it is the only one.
const BATCH: usize = 64;

/// Stands for a token when the reactor stops; no table grows to this index.
const STOP: u64 = u64::MAX;
/// Stands for a token when a timer is due.
const TIMER: u64 = u64::MAX - 1;

/// An event that the kernel reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReactorEvent {
    /// The descriptor of a registration is ready.
    Ready(Token, Ready),
    /// A timer is due.
    TimerExpired,
    /// The reactor was stopped.
    Stop,
}

#[derive(Debug)]
pub(super) struct Epoll {
    set: OwnedFd,
    /// Readable for good once the reactor has stopped.
    stop: OwnedFd,
    /// Whether several threads wait at the set: then each event disarms its descriptor.
    shared: bool,
}

impl Epoll {
    pub(super) fn new(shared: bool) -> io::Result<Self> {
        let set = epoll::create(CreateFlags::CLOEXEC)?;
        let stop = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        epoll::add(&set, &stop, EventData::new_u64(STOP), EventFlags::IN)?;
        Ok(Self { set, stop, shared })
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.set.as_fd()
    }

    pub(super) fn is_shared(&self) -> bool {
        self.shared
    }

    pub(super) fn add(&self, fd: BorrowedFd<'_>, token: Token, what: Interest) -> io::Result<()> {
        let data = EventData::new_u64(token.to_bits());
        Ok(epoll::add(&self.set, fd, data, self.mode(what.flags()))?)
    }

    pub(super) fn modify(
        &self,
        fd: BorrowedFd<'_>,
        token: Token,
        what: Interest,
    ) -> io::Result<()> {
        let data = EventData::new_u64(token.to_bits());
        Ok(epoll::modify(&self.set, fd, data, self.mode(what.flags()))?)
    }

    /// Takes a descriptor out of the set. A failure would mean that it is not in it.
    pub(super) fn remove(&self, fd: BorrowedFd<'_>) {
        let _ = epoll::delete(&self.set, fd);
    }

    pub(super) fn add_timer(&self, fd: BorrowedFd<'_>) -> io::Result<()> {
        Ok(epoll::add(&self.set, fd, EventData::new_u64(TIMER), self.mode(EventFlags::IN))?)
    }

    /// Arms the timer's descriptor again after it was set.
    pub(super) fn rearm_timer(&self, fd: BorrowedFd<'_>) -> io::Result<()> {
        if self.shared {
            let data = EventData::new_u64(TIMER);
            epoll::modify(&self.set, fd, data, self.mode(EventFlags::IN))?;
        }
        Ok(())
    }

    fn mode(&self, flags: EventFlags) -> EventFlags {
        // The kernel reports a hang-up even where nothing is waited for: once at most, and it is
        // ignored.
        if self.shared || flags.is_empty() { flags | EventFlags::ONESHOT } else { flags }
    }

    /// Wakes every thread that waits, and every one that will.
    pub(super) fn wake_all(&self) {
        // It fails only if the counter is full, and then all threads are awake.
        let _ = rustix::io::write(&self.stop, &1_u64.to_ne_bytes());
    }

    /// Waits for at most `timeout` and calls `each` for every event. One thread among several takes
    /// one event, so that none waits behind a slow handler. Returns the number of events.
    pub(super) fn wait(
        &self,
        timeout: Option<Duration>,
        mut each: impl FnMut(ReactorEvent),
    ) -> io::Result<usize> {
        let none = Event { flags: EventFlags::empty(), data: EventData::new_u64(0) };
        let mut events = [none; BATCH];
        let room = if self.shared { 1 } else { BATCH };
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let count = match epoll::wait(&self.set, &mut events[..room], timeout.as_ref()) {
            Ok(count) => count,
            Err(Errno::INTR) => 0,
            Err(errno) => return Err(errno.into()),
        };
        for event in &events[..count] {
            let (flags, data) = (event.flags, event.data);
            each(match data.u64() {
                STOP => ReactorEvent::Stop,
                TIMER => ReactorEvent::TimerExpired,
                bits => ReactorEvent::Ready(Token::from_bits(bits), Ready::new(flags)),
            });
        }
        Ok(count)
    }
}
