//! The memory for large replies while they arrive, over all connections of a client.

use super::peer_name::PeerName;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::message_memory::{MessageMemory, Reservation};
use crate::settings::Settings;
use armilla_giop::ReplyStatus;
use armilla_ipc::Address;
use std::sync::Arc;

/// The budget of a client.
pub(in crate::client) struct ReplyMemory {
    budget: Arc<MessageMemory>,
    /// Has idle connections give up the memory that they keep.
    release_idle: Box<dyn Fn() + Send + Sync>,
}

impl ReplyMemory {
    /// `release_idle` has the idle connections of the client give up the memory that they keep for
    /// the next large reply.
    pub(in crate::client) fn new(
        settings: &Settings,
        release_idle: impl Fn() + Send + Sync + 'static,
    ) -> Arc<Self> {
        let budget = MessageMemory::new(settings.message_memory);
        Arc::new(Self { budget, release_idle: Box::new(release_idle) })
    }

    /// No memory yet, for a connection to `peer`.
    pub(in crate::client) fn reservation(self: &Arc<Self>, peer: &Address) -> ReplyReservation {
        ReplyReservation { reserved: Reservation::new(&self.budget, peer), memory: self.clone() }
    }
}

/// What the replies of one connection have reserved.
pub(crate) struct ReplyReservation {
    reserved: Reservation,
    memory: Arc<ReplyMemory>,
}

impl ReplyReservation {
    /// Reserves `octets` in all, more or less than before. Idle connections give up the memory that
    /// they keep for the next large reply, if it is needed here. `false` if there is not enough; then
    /// nothing is reserved. The caller holds no lock.
    pub(in crate::client) fn resize(&mut self, octets: usize) -> bool {
        self.reserved.resize(octets, 0) || self.resize_again(octets)
    }

    #[cold]
    fn resize_again(&mut self, octets: usize) -> bool {
        (self.memory.release_idle)();
        self.reserved.resize(octets, 0)
    }

    /// The exception of a call whose reply gets no memory.
    #[cold]
    pub(in crate::client) fn refused(
        &self,
        peer: &PeerName,
        status: Option<ReplyStatus>,
    ) -> SystemException {
        let executed = match status {
            Some(ReplyStatus::NoException | ReplyStatus::UserException) => Completion::Yes,
            _ => Completion::Maybe,
        };
        let limit = self.memory.budget.limit();
        let what = format!(
            "there is no memory for the reply of {peer}: large replies of all servers may take \
             {limit} octets at once (message_memory), and those of one host as much as is free"
        );
        SystemException::new(ExceptionKind::NoResources, Minor::NO_MESSAGE_MEMORY, executed)
            .with_reason(what)
    }
}
