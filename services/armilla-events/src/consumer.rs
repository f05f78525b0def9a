//! What is called with events.

use crate::corba::{self, Event, PushConsumer as _};
use armilla::{Error, ExceptionKind, Object, SystemException};

/// What a channel calls with events. A closure is one.
pub trait Consumer: Send + Sync + 'static {
    /// Takes the events of one delivery: one, or those of a conjunction in its order. Runs in the
    /// consumer's own thread, at its priority; other consumers do not wait for it.
    ///
    /// # Errors
    /// The delivery is lost. The channel disconnects a consumer that is gone, or fails repeatedly.
    fn push(&self, events: &[Event]) -> Result<(), ConsumerError>;

    /// The channel has ended, or has disconnected the consumer.
    fn disconnected(&self) {}

    /// The object by which the channel asks whether the consumer is still there, if it is one of
    /// another process. Default: none, and the consumer is never asked.
    fn reference(&self) -> Option<&Object> {
        None
    }
}

impl<F: Fn(&[Event]) + Send + Sync + 'static> Consumer for F {
    fn push(&self, events: &[Event]) -> Result<(), ConsumerError> {
        self(events);
        Ok(())
    }
}

/// Why a consumer did not take events.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ConsumerError {
    /// It no longer exists, or wants nothing more.
    Gone,
    /// This call failed.
    Failed(SystemException),
}

impl<E> From<Error<E>> for ConsumerError {
    fn from(error: Error<E>) -> Self {
        match error {
            // The only user exception of a push is `Disconnected`.
            Error::User(_) => Self::Gone,
            Error::System(exception) => match exception.kind() {
                ExceptionKind::ObjectNotExist | ExceptionKind::InvObjref => Self::Gone,
                _ => Self::Failed(exception),
            },
        }
    }
}

/// A consumer of the real-time channel, perhaps in another process.
impl Consumer for corba::PushConsumerRef {
    fn push(&self, events: &[Event]) -> Result<(), ConsumerError> {
        Ok(corba::PushConsumer::push(self, events)?)
    }

    fn disconnected(&self) {
        // It may be gone.
        self.disconnect_push_consumer().ok();
    }

    fn reference(&self) -> Option<&Object> {
        Some(self.object())
    }
}

/// A plain consumer: it gets the data of each event.
impl Consumer for corba::comm::PushConsumerRef {
    fn push(&self, events: &[Event]) -> Result<(), ConsumerError> {
        for event in events {
            corba::comm::PushConsumer::push(self, &event.data)?;
        }
        Ok(())
    }

    fn disconnected(&self) {
        // It may be gone.
        corba::comm::PushConsumer::disconnect_push_consumer(self).ok();
    }

    fn reference(&self) -> Option<&Object> {
        Some(self.object())
    }
}
