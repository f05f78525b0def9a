//! The reactor's part: it reads when no thread does, expires asynchronous calls, and sends what the
//! server did not accept at once.

use crate::client::connection::loss::reply_timed_out;
use crate::client::connection::multiplexed::{MultiplexedConnection, State, Waiter};
use crate::client::connection::reactor_threads::{PANICKED, contain};
use crate::log::report;
use crate::sync::lock;
use armilla_giop::engine::ConnectionLoss;
use armilla_ipc::coarse_now;
use armilla_ipc::reactor::{Handler, Interest, Next, Reactor, Ready, Timer, TimerHandler, Token};
use std::os::fd::BorrowedFd;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

/// The events for which the reactor watches the connection.
#[derive(Default)]
pub(super) struct Watch(Mutex<Watched>);

#[derive(Default)]
struct Watched {
    registered: Option<(Arc<Reactor>, Token)>,
    wanted: Interest,
    stopped: bool,
}

impl Watch {
    /// The events to watch for from now on, after the given ones have occurred.
    fn next_interest(&self, read: bool, write: bool) -> Next {
        let mut watched = lock(&self.0);
        let still = |what, occurred: bool| match watched.wanted.contains(what) && !occurred {
            true => what,
            false => Interest::NONE,
        };
        watched.wanted = still(Interest::READ, read) | still(Interest::WRITE, write);
        match watched.stopped {
            true => Next::Deregister,
            false => Next::Wait(watched.wanted),
        }
    }

    /// Stops watching the connection.
    pub(super) fn stop(&self) {
        let mut watched = lock(&self.0);
        watched.stopped = true;
        let registered = watched.registered.take();
        drop(watched);
        if let Some((reactor, token)) = registered {
            reactor.deregister(token);
        }
    }
}

/// The reactor's handle of a connection.
struct Handle {
    stream: Arc<dyn armilla_ipc::Stream>,
    interest: Interest,
    link: Weak<MultiplexedConnection>,
}

impl Handler for Handle {
    fn descriptor(&self) -> BorrowedFd<'_> {
        // No other stream is registered.
        let descriptor = self.stream.descriptor().or_else(|| self.stream.doorbell());
        descriptor.expect("a watched stream has a descriptor or a doorbell")
    }

    fn interest(&self) -> Interest {
        self.interest
    }

    fn ready(&self, _: &Reactor, _: Token, ready: Ready) -> Next {
        let Some(link) = self.link.upgrade() else { return Next::Deregister };
        if self.stream.descriptor().is_none() {
            return link.doorbell_rang();
        }
        let next = link.watch.next_interest(ready.readable(), ready.writable());
        let handled = contain("an event of a connection", || {
            if ready.writable() {
                link.unblock();
            }
            if ready.readable() || link.stream.has_buffered() {
                // `read_available` registers for more if no thread is about to read.
                link.read_available();
            }
        });
        if handled.is_none() {
            link.fail(ConnectionLoss::Broken, PANICKED);
        }
        next
    }
}

/// The timer handler of a connection.
struct Expiry(Weak<MultiplexedConnection>);

impl TimerHandler for Expiry {
    fn expired(&self, _: &Reactor, _: Timer) -> Option<Duration> {
        self.0.upgrade()?.expire()
    }
}

impl MultiplexedConnection {
    /// Makes the reactor watch the connection for `what`, in addition to the events that it already
    /// watches for.
    pub(super) fn wait_for(&self, what: Interest) {
        // The descriptor does not tell of what the stream has buffered, but of room it does.
        let what = if self.stream.has_buffered() { what | Interest::WRITE } else { what };
        let mut watched = lock(&self.watch.0);
        if watched.stopped || watched.wanted.contains(what) {
            return;
        }
        watched.wanted = watched.wanted | what;
        let wanted = watched.wanted;
        let begun = match (self.stream.descriptor(), self.threads.reactor()) {
            (Some(_), Some(reactor)) => self.arm(&mut watched, reactor, wanted),
            _ => self.start_reader(),
        };
        if let Err(error) = begun {
            report!(
                error,
                "replies to asynchronous calls cannot be read",
                peer = self.peer(),
                error = error
            );
        }
    }

    /// Has the reactor watch the descriptor, or the doorbell, for these events.
    fn arm(
        &self,
        watched: &mut Watched,
        reactor: &Arc<Reactor>,
        interest: Interest,
    ) -> std::io::Result<()> {
        if let Some((reactor, token)) = &watched.registered {
            return reactor.resume(*token, interest).map(drop);
        }
        let (stream, link) = (self.stream.clone(), self.weak_self.clone());
        let token = reactor.register(Arc::new(Handle { stream, interest, link }))?;
        watched.registered = Some((reactor.clone(), token));
        Ok(())
    }

    /// Leaves it to the reactor to wait for a stream with a doorbell, after a reader thread has heard
    /// nothing for long. `false` if the thread has to go on. Whoever wants a reply from now on starts
    /// another one, and so does the doorbell.
    pub(super) fn rest_at_doorbell(&self) -> bool {
        // Nobody else reads meanwhile, or is about to.
        let state = lock(&self.state);
        let is_free = state.framer.is_some() && state.followers.is_empty();
        let (true, Some(_)) = (is_free, self.stream.doorbell()) else { return false };
        let Some(reactor) = self.threads.reactor() else { return false };
        let mut watched = lock(&self.watch.0);
        if watched.stopped {
            return false;
        }
        let armed_for = contain("a doorbell", || self.stream.watch_for(Interest::READ));
        let rests = armed_for == Some(Interest::READ)
            && self.arm(&mut watched, reactor, Interest::READ).is_ok();
        if rests {
            watched.wanted = Interest::NONE;
        }
        rests
    }

    /// Has somebody read, if asynchronous calls are pending and nobody does. What rang may have been
    /// for a thread that has read meanwhile.
    fn doorbell_rang(&self) -> Next {
        self.wake_reader(&lock(&self.state));
        match lock(&self.watch.0).stopped {
            true => Next::Deregister,
            false => Next::Wait(Interest::NONE),
        }
    }

    /// Starts a reader thread for a stream of which the reactor does not watch the octets. It runs
    /// while asynchronous calls are pending, and until nothing has come for long.
    #[cold]
    fn start_reader(&self) -> std::io::Result<()> {
        let (link, defers) = (self.weak_self.clone(), self.threads.to_defer());
        let body = move || {
            defers.begin();
            while let Some(link) = link.upgrade() {
                if !link.run_reader_once() {
                    return;
                }
            }
        };
        thread::Builder::new().name("armilla-reader".into()).spawn(body).map(drop)
    }

    /// Starts a thread that sends the queue over a stream that the reactor cannot watch. Without one
    /// this thread does, and may block.
    #[cold]
    pub(super) fn start_sender(&self) {
        let Some(link) = self.weak_self.upgrade() else { return };
        let defers = self.threads.to_defer();
        let send = move || {
            defers.begin();
            link.unblock();
        };
        if thread::Builder::new().name("armilla-sender".into()).spawn(send).is_err() {
            self.unblock();
        }
    }

    /// Whether the reader thread must end: no asynchronous call is pending.
    pub(super) fn reader_ends(&self, state: &State) -> bool {
        let ends = state.asynchronous == 0 || state.lost.is_some();
        if ends {
            lock(&self.watch.0).wanted = Interest::NONE;
        }
        ends
    }

    /// Makes the reactor read the reply of an asynchronous call that was begun, and expire the call
    /// in time.
    pub(super) fn await_asynchronous(&self, state: &mut State) {
        if state.framer.is_some() && state.followers.is_empty() {
            self.wait_for(Interest::READ);
        }
        let Some(earliest) = state.initiator.poll_timeout() else { return };
        if state.timer.is_some_and(|(_, at)| at <= earliest) {
            return;
        }
        let Some(reactor) = self.threads.reactor() else { return };
        let delay = Duration::from_nanos(earliest.saturating_sub(coarse_now().as_nanos()));
        let timer = match state.timer {
            Some((timer, _)) if reactor.rearm(timer, delay) => timer,
            _ => reactor.arm(delay, Arc::new(Expiry(self.weak_self.clone()))),
        };
        state.timer = Some((timer, earliest));
    }

    /// Expires the calls that are due. Returns the time until the next one.
    pub(in crate::client) fn expire(&self) -> Option<Duration> {
        let mut expired = Vec::new();
        let mut state = lock(&self.state);
        let now = coarse_now().as_nanos();
        state.initiator.expire(now, |id, waiter| expired.push((id, waiter)));
        state.asynchronous -= expired.len();
        let next = state.initiator.poll_timeout();
        state.timer = state.timer.zip(next).map(|((timer, _), next)| (timer, next));
        let version = state.version;
        drop(state);
        for (id, waiter) in expired {
            self.cancel(version, id);
            if let Waiter::Call(call) = waiter {
                // Before the program learns of it, and calls again.
                self.note_expired(call.deadline().started);
                call.store_failure(reply_timed_out(self.peer(), call.deadline()));
                call.resume();
            }
        }
        self.close_when_idle();
        // The coarse clock may lag some milliseconds behind that of the timer.
        let tick = Duration::from_millis(1);
        next.map(|next| Duration::from_nanos(next.saturating_sub(now)).max(tick))
    }
}
