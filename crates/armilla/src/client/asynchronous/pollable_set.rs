//! A set of replies from which one thread takes whichever comes first.

use super::future::ReplyFuture;
use crate::exception::SystemException;
use crate::sync::lock;
use crate::threads::BlockingScope;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Wake, Waker};
use std::time::{Duration, Instant};

/// Replies under way that are taken one by one as they come: IDL `PollableSet`. It also serves for
/// the ORB operations `send_multiple_requests_deferred`, `get_next_response` and
/// `poll_next_response` (CORBA 3.4 Part 1, 10.3 and 10.4).
///
/// Each reply is added with a tag, which is returned with its result. Calls of generated code and
/// [dynamic](crate::dynamic::Request::send_deferred) calls can share a set if their results have
/// the same type. Dropping the set cancels the calls in it. An async program uses the futures
/// directly.
///
/// ```no_run
/// use armilla::PollableSet;
///
/// # fn example(requests: Vec<armilla::dynamic::Request>) {
/// let mut replies = PollableSet::new();
/// for (number, request) in requests.iter().enumerate() {
///     replies.add(number, request.send_deferred());
/// }
/// while let Some((number, response)) = replies.wait() {
///     println!("{number}: {response:?}");
/// }
/// # }
/// ```
pub struct PollableSet<T, R, E = SystemException> {
    pending: BTreeMap<u64, (T, ReplyFuture<R, E>)>,
    next: u64,
    ready: Arc<Ready>,
}

/// The numbers of the replies that have come.
#[derive(Default)]
struct Ready {
    numbers: Mutex<VecDeque<u64>>,
    arrived: Condvar,
}

/// The waker of one reply.
struct Notice {
    number: u64,
    ready: Arc<Ready>,
}

impl Wake for Notice {
    fn wake(self: Arc<Self>) {
        lock(&self.ready.numbers).push_back(self.number);
        self.ready.arrived.notify_one();
    }
}

impl<T, R, E: From<SystemException>> PollableSet<T, R, E> {
    /// An empty set.
    #[doc(alias = "create_pollable_set")]
    pub fn new() -> Self {
        Self { pending: BTreeMap::new(), next: 0, ready: Arc::default() }
    }

    /// Adds a reply: `add_pollable`.
    #[doc(alias = "add_pollable")]
    pub fn add(&mut self, tag: T, reply: ReplyFuture<R, E>) {
        let number = self.next;
        self.next += 1;
        let notice = Arc::new(Notice { number, ready: self.ready.clone() });
        if reply.poll_ready(&Waker::from(notice.clone())) {
            notice.wake();
        }
        self.pending.insert(number, (tag, reply));
    }

    /// The number of replies in the set: `number_left`.
    #[doc(alias = "number_left")]
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Cancels the calls whose tags `keep` rejects: `remove`.
    #[doc(alias = "remove")]
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.pending.retain(|_, (tag, _)| keep(tag));
    }

    /// Waits for the next reply and removes it: `get_next_response`. `None` when the set is empty.
    ///
    /// Other threads read the replies meanwhile.
    #[doc(alias = "get_next_response")]
    pub fn wait(&mut self) -> Option<(T, Result<R, E>)> {
        self.take_within(None)
    }

    /// As [`wait`](Self::wait), for at most `limit`: `get_ready_pollable`. Also `None` when no
    /// reply has come in time; the calls in the set continue.
    #[doc(alias = "get_ready_pollable")]
    pub fn wait_for(&mut self, limit: Duration) -> Option<(T, Result<R, E>)> {
        self.take_within(Some(limit))
    }

    /// Removes a reply that has come, if there is one: `poll_next_response` and
    /// `get_next_response`.
    #[doc(alias = "poll_next_response")]
    pub fn take_ready(&mut self) -> Option<(T, Result<R, E>)> {
        loop {
            let number = lock(&self.ready.numbers).pop_front()?;
            // The reply may belong to a call that `retain` has removed.
            if let Some((tag, reply)) = self.pending.remove(&number) {
                return Some((tag, reply.wait()));
            }
        }
    }

    fn take_within(&mut self, limit: Option<Duration>) -> Option<(T, Result<R, E>)> {
        // A limit beyond the range of the clock is no limit.
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let _blocking = BlockingScope::begin();
        while !self.pending.is_empty() {
            if let Some(taken) = self.take_ready() {
                return Some(taken);
            }
            let numbers = lock(&self.ready.numbers);
            let none = |numbers: &mut VecDeque<u64>| numbers.is_empty();
            match end {
                None => drop(
                    self.ready
                        .arrived
                        .wait_while(numbers, none)
                        .unwrap_or_else(PoisonError::into_inner),
                ),
                Some(end) => {
                    let left = end.saturating_duration_since(Instant::now());
                    if numbers.is_empty() && left.is_zero() {
                        return None;
                    }
                    drop(self.ready.arrived.wait_timeout_while(numbers, left, none));
                }
            }
        }
        None
    }
}

impl<T, R, E: From<SystemException>> Default for PollableSet<T, R, E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug, R, E> fmt::Debug for PollableSet<T, R, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tags = self.pending.values().map(|(tag, _)| tag);
        f.debug_set().entries(tags).finish()
    }
}
