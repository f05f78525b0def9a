//! The memory for large replies while they arrive, over all connections of a client.

use crate::client::endpoint::Endpoints;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::message_memory::{MessageMemory, Reservation};
use crate::settings::Settings;
use armilla_giop::ReplyStatus;
use armilla_ipc::Address;
use std::sync::{Arc, Weak};

/// The budget of a client.
pub(in crate::client) struct ReplyMemory {
    budget: Arc<MessageMemory>,
    endpoints: Weak<Endpoints>,
}

impl ReplyMemory {
    pub(in crate::client) fn new(settings: &Settings, endpoints: &Arc<Endpoints>) -> Arc<Self> {
        let budget = MessageMemory::new(settings.message_memory);
        Arc::new(Self { budget, endpoints: Arc::downgrade(endpoints) })
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
        if let Some(endpoints) = self.memory.endpoints.upgrade() {
            endpoints.release_idle_memory();
        }
        self.reserved.resize(octets, 0)
    }

    /// The exception of a call whose reply gets no memory.
    #[cold]
    pub(in crate::client) fn refused(
        &self,
        peer: &Address,
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
