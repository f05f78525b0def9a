//! Making the [shared](super::shared) connections of an endpoint, for threads that wait for one and
//! for calls without a thread.

use super::local_objects::offer;
use super::pool::Endpoint;
use super::waiting_call::WaitingCall;
use crate::client::connection::{
    ConnectionSetup, MultiplexedConnection, PANICKED, PeerName, contain, is_same,
};
use crate::client::request::{Addressed, Bound, Deadline, ObjectAddress};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use crate::sync::{lock, try_lock};
use armilla_giop::Version;
use armilla_ipc::Stream;
use armilla_ipc::reactor::{Reactor, Timer};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The interval at which a call that is about to expire is checked again.
const TICK: Duration = Duration::from_millis(1);

/// What was found for calls that have no connection.
enum Opened {
    /// A new connection.
    Stream(Arc<dyn Stream>),
    /// One that the server has offered and from which nothing came lately.
    Silent(Arc<MultiplexedConnection>),
}

impl Endpoint {
    /// The connection of the calling thread for requests of `object`. Makes one if there is none.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and of the greeting, if there is one.
    pub(in crate::client) fn shared_connection(
        &self,
        orb: &Orb,
        object: ObjectAddress<'_>,
        deadline: &Deadline,
    ) -> Result<Arc<MultiplexedConnection>, SystemException> {
        self.shared_connection_at(orb, object, self.shared.slot_index(), deadline)
    }

    fn shared_connection_at(
        &self,
        orb: &Orb,
        object: ObjectAddress<'_>,
        slot: usize,
        deadline: &Deadline,
    ) -> Result<Arc<MultiplexedConnection>, SystemException> {
        let slot = self.shared.slot(slot);
        loop {
            let housekeeper = &self.common.housekeeper;
            if let Some(link) = slot.usable_connection(deadline.started, housekeeper) {
                return Ok(link);
            }
            if let Some(link) = self.reverse_connection(object.version) {
                return Ok(link);
            }
            let mut known = lock(&slot.link);
            if known.is_none() {
                let stream = match self.open_or_resort(object.version, deadline)? {
                    Opened::Stream(stream) => stream,
                    Opened::Silent(link) => return Ok(link),
                };
                if self.greeting.is_some() {
                    self.connect_over(stream.clone(), object, deadline)?;
                    // From now on it is read for many calls.
                    stream.set_recv_timeout(None).ok();
                }
                let link = self.set_up(orb, stream);
                *known = Some(link.clone());
                drop(known);
                self.common.housekeeper.wake_if_asleep();
                return Ok(link);
            }
        }
    }

    /// Opens a connection. If the server has offered one that is silent, that is the last resort:
    /// it takes calls again, and half of the time is left for them.
    fn open_or_resort(
        &self,
        version: Version,
        deadline: &Deadline,
    ) -> Result<Opened, SystemException> {
        let Some(silent) = self.silent_reverse_connection(version) else {
            return self.open(deadline).map(Opened::Stream);
        };
        match self.open(&deadline.with_addresses(deadline.addresses + 1)) {
            Ok(stream) => Ok(Opened::Stream(stream)),
            Err(_) => {
                silent.trust();
                Ok(Opened::Silent(silent))
            }
        }
    }

    /// Sets up a new connection, and offers it for calls in the other direction if the settings ask
    /// for that.
    fn set_up(&self, orb: &Orb, stream: Arc<dyn Stream>) -> Arc<MultiplexedConnection> {
        let agreed = self.code_sets;
        let setup = || ConnectionSetup {
            peer: PeerName::new(stream.peer(), &self.address),
            agreed,
            announces: agreed.is_some(),
            offered: None,
            settings: self.settings.clone(),
            threads: self.common.threads.clone(),
            silence_listener: self.silence_listener(),
        };
        let offers = self.settings.offer_bidirectional && !self.address.is_in_process();
        let offered = offers.then(|| offer(orb, &stream, setup()));
        offered.flatten().unwrap_or_else(|| {
            let memory = self.common.reply_memory.reservation(stream.peer());
            MultiplexedConnection::new((stream.clone(), memory), setup())
        })
    }

    /// The connection of the calling thread, if there is one. Otherwise another thread makes one
    /// and resumes `call` with it.
    ///
    /// # Errors
    /// `REBIND` when the policies of the call allow no new connection.
    pub(in crate::client) fn shared_connection_for(
        self: &Arc<Self>,
        orb: &Orb,
        target: impl Addressed + 'static,
        call: Arc<dyn WaitingCall>,
    ) -> Result<Option<Arc<MultiplexedConnection>>, SystemException> {
        let slot_index = self.shared.slot_index();
        let slot = self.shared.slot(slot_index);
        let mut waiting = lock(&slot.waiting);
        if !waiting.connecting {
            // While the slot is locked, a connection is being made.
            let made = try_lock(&slot.link).is_some_and(|known| known.is_some());
            if made {
                drop(waiting);
                let housekeeper = &self.common.housekeeper;
                if let Some(link) = slot.usable_connection(armilla_ipc::coarse_now(), housekeeper) {
                    return Ok(Some(link));
                }
                waiting = lock(&slot.waiting);
            }
            let version = target.object_address().version;
            if let Some(link) = self.reverse_connection(version) {
                return Ok(Some(link));
            }
        }
        if !call.deadline().may_connect && !self.address.is_in_process() {
            return Err(self.unbound());
        }
        self.watch_unsent(&call);
        waiting.calls.push(call);
        if std::mem::replace(&mut waiting.connecting, true) {
            return Ok(None);
        }
        drop(waiting);
        let (endpoint, orb) = (self.clone(), orb.clone());
        let defers = self.common.threads.to_defer();
        let connect = move || {
            defers.begin();
            endpoint.connect_for_waiting(&orb, target.object_address(), slot_index);
        };
        if let Err(error) = thread::Builder::new().name("armilla-connect".into()).spawn(connect) {
            let what = format!("no thread to connect to {}: {error}", self.address);
            let (kind, minor) = (ExceptionKind::NoResources, Minor::THREAD_NOT_STARTED);
            self.give_up_waiting(
                slot_index,
                &SystemException::new(kind, minor, Completion::No).with_reason(what),
            );
        }
        Ok(None)
    }

    /// Sets a timer that ends `call` if it expires before a connection is made.
    fn watch_unsent(self: &Arc<Self>, call: &Arc<dyn WaitingCall>) {
        let left = call.deadline().send_time_left().flatten();
        let sooner = |left: &Duration| *left < self.settings.connect_timeout;
        let (Some(left), Some(reactor)) = (left.filter(sooner), self.common.threads.reactor())
        else {
            return;
        };
        let (endpoint, call) = (Arc::downgrade(self), Arc::downgrade(call));
        let expire = move |_: &Reactor, _: Timer| {
            let (endpoint, call) = (endpoint.upgrade()?, call.upgrade()?);
            if call.deadline().send_time_left().is_some() {
                // The coarse clock may lag some milliseconds behind that of the timer.
                return (!call.is_done()).then_some(TICK);
            }
            if endpoint.withdraw(&*call) {
                call.end_unsent();
            }
            None
        };
        reactor.arm(left, Arc::new(expire));
    }

    /// Removes a call from the queue for a connection. Whether it was queued; otherwise another
    /// thread already resumes it.
    pub(in crate::client) fn withdraw(&self, call: &dyn WaitingCall) -> bool {
        self.shared.slots().any(|slot| {
            let mut waiting = lock(&slot.waiting);
            let at = waiting.calls.iter().position(|known| is_same(&**known, call));
            at.map(|at| waiting.calls.remove(at)).is_some()
        })
    }

    /// Makes connections until no call waits for one.
    fn connect_for_waiting(
        self: Arc<Self>,
        orb: &Orb,
        object: ObjectAddress<'_>,
        slot_index: usize,
    ) {
        loop {
            let mut waiting = lock(&self.shared.slot(slot_index).waiting);
            // The limit is that of the call with the most time left.
            let usual = self.settings.connect_timeout;
            let wait_limit = waiting.calls.iter().filter_map(|call| call.connecting(usual));
            let Some((wait_limit, bound)) = wait_limit.max() else {
                // No call waits, or none has time left.
                waiting.connecting = false;
                let calls = std::mem::take(&mut waiting.calls);
                drop(waiting);
                calls.into_iter().for_each(WaitingCall::end_unsent);
                return;
            };
            drop(waiting);
            let deadline = match bound {
                Bound::Connection => {
                    Deadline { connect: Some(wait_limit), ..Deadline::after(None) }
                }
                Bound::Call => Deadline::after(Some(wait_limit)),
                // Of two addresses, this one gets half: the computed limit.
                Bound::Share => {
                    Deadline::after(Some(wait_limit.saturating_mul(2))).with_addresses(2)
                }
            };
            // The transport may be the program's.
            let made = contain("making a connection", || {
                self.shared_connection_at(orb, object, slot_index, &deadline)
            });
            let link = made.unwrap_or_else(|| Err(self.not_made()));
            let calls = std::mem::take(&mut lock(&self.shared.slot(slot_index).waiting).calls);
            calls.into_iter().for_each(|call| call.continue_over(link.clone()));
            // `close` may have missed a connection that was being made.
            if self.is_closed() {
                self.shared.close_idle_since(None);
            }
        }
    }

    /// The exception of a call whose connection was not made, because its transport panicked.
    fn not_made(&self) -> SystemException {
        let what = format!("no connection to {} was made: {PANICKED}", self.address);
        let (kind, minor) = (ExceptionKind::Internal, Minor::default());
        SystemException::new(kind, minor, Completion::No).with_reason(what)
    }

    fn give_up_waiting(&self, slot_index: usize, exception: &SystemException) {
        let mut waiting = lock(&self.shared.slot(slot_index).waiting);
        waiting.connecting = false;
        let calls = std::mem::take(&mut waiting.calls);
        drop(waiting);
        calls.into_iter().for_each(|call| call.continue_over(Err(exception.clone())));
    }
}
