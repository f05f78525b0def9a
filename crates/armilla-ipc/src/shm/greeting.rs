//! Connected sockets whose peers have not greeted yet. They wait here, in the acceptor: a stream
//! that is handed out could hold a thread of the program for as long as its peer says nothing.

use crate::error::timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a peer may take to greet. A connector of this crate greets as it connects.
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);

/// How many peers may be about to greet; for a further one the first is disconnected.
const MAX_SILENT: usize = 256;

/// Stands for the listening socket in the set; the numbers of peers begin after it.
const LISTENER: u64 = 0;

/// The listening socket, and the sockets of the peers that have not greeted.
#[derive(Debug)]
pub(super) struct SilentPeers {
    /// Ready when a peer connects, greets or disconnects.
    set: OwnedFd,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// In the order in which they connected.
    peers: VecDeque<Peer>,
    numbers: u64,
}

#[derive(Debug)]
struct Peer {
    number: u64,
    socket: OwnedFd,
    since: Instant,
}

impl SilentPeers {
    /// No peer yet of those that connect to `listener`.
    pub(super) fn new(listener: BorrowedFd<'_>) -> io::Result<Self> {
        let set = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&set, listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
        Ok(Self { set, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a peer that has connected. The peer is disconnected if the system lacks the memory to
    /// watch it.
    pub(super) fn add(&self, socket: OwnedFd) {
        let state = &mut *self.state();
        if state.peers.len() == MAX_SILENT {
            state.peers.pop_front();
        }
        state.numbers += 1;
        let number = state.numbers;
        if epoll::add(&self.set, &socket, EventData::new_u64(number), EventFlags::IN).is_ok() {
            state.peers.push_back(Peer { number, socket, since: Instant::now() });
        }
    }

    /// Disconnects the peer that has had the longest time. `false` if there is none.
    pub(super) fn drop_first(&self) -> bool {
        self.state().peers.pop_front().is_some()
    }

    /// Disconnects the peers that have had their time. Returns the time that the next one has.
    fn drop_expired(&self) -> Option<Duration> {
        let state = &mut *self.state();
        loop {
            let left = GREETING_TIMEOUT.checked_sub(state.peers.front()?.since.elapsed());
            match left {
                Some(left) => return Some(left),
                None => state.peers.pop_front(),
            };
        }
    }

    /// Waits until a peer connects, greets, or has had its time, for at most `limit`. Returns the
    /// socket of a peer that has greeted or disconnected.
    pub(super) fn wait(&self, limit: Option<Duration>) -> io::Result<Option<OwnedFd>> {
        let limit = [self.drop_expired(), limit].into_iter().flatten().min();
        let timeout = limit.map(timespec);
        let none = Event { flags: EventFlags::empty(), data: EventData::new_u64(LISTENER) };
        // Two, for the listening socket may be one.
        let mut events = [none; 2];
        let count = match epoll::wait(&self.set, &mut events[..], timeout.as_ref()) {
            Ok(count) => count,
            Err(Errno::INTR) => 0,
            Err(errno) => return Err(errno.into()),
        };
        let numbers = events[..count].iter().map(|event| event.data.u64());
        Ok(numbers.filter(|number| *number != LISTENER).find_map(|number| self.take(number)))
    }

    /// Takes a peer out; `None` if another thread was faster.
    fn take(&self, number: u64) -> Option<OwnedFd> {
        let state = &mut *self.state();
        let index = state.peers.iter().position(|peer| peer.number == number)?;
        let peer = state.peers.remove(index)?;
        // It is in the set as long as it waits here.
        let _ = epoll::delete(&self.set, &peer.socket);
        Some(peer.socket)
    }
}

impl AsFd for SilentPeers {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.set.as_fd()
    }
}
