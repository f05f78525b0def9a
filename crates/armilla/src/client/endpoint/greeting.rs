//! The request with which each connection of a [pool](super::connection_pool) begins. Only the
//! extensions of a client have some.

use crate::client::connection::{ExclusiveConnection, ReceivedMessage};
use crate::client::request::{
    AddedContexts, Answer, Deadline, ObjectAddress, Operation, Outgoing, no_reply, wrong_reply,
};
use crate::exception::{Completion, ExceptionKind, SystemException};
use crate::transport::EndpointAddress;
use armilla_giop::{ResponseFlags, ServiceContext, decode_reply};

/// An operation of every object, without arguments and results, that a client calls first on each
/// connection of a pool. A service context says what the connection is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// The name of the operation.
    pub operation: &'static str,
    /// The id of the service context.
    pub context: u32,
    /// The data of the service context: an encapsulation.
    pub data: Vec<u8>,
}

impl Greeting {
    /// Sends the request for `object` at `address`, and waits for the reply. A server that does
    /// not know the operation or the object, or forwards, has no objection to the connection.
    ///
    /// # Errors
    /// The exception with which the server refuses the connection, and those of a call. The call
    /// that the connection is for was not executed.
    pub(in crate::client) fn exchange(
        &self,
        link: &mut ExclusiveConnection,
        (object, address): (ObjectAddress<'_>, &EndpointAddress),
        deadline: &Deadline,
    ) -> Result<(), SystemException> {
        match self.ask(link, object, deadline) {
            Ok(Answer::Results(()) | Answer::Forward(_)) => Ok(()),
            Ok(Answer::Raised(exception)) if is_unknown(&exception) => Ok(()),
            Ok(Answer::Raised(exception)) => {
                Err(not_executed(exception.attributed_to(address, self.operation)))
            }
            Err(exception) => Err(not_executed(exception)),
        }
    }

    fn ask(
        &self,
        link: &mut ExclusiveConnection,
        object: ObjectAddress<'_>,
        deadline: &Deadline,
    ) -> Result<Answer, SystemException> {
        let context = ServiceContext { id: self.context, data: &self.data };
        let contexts = std::slice::from_ref(&context);
        let request = Outgoing {
            object,
            operation: Operation::of_object(self.operation),
            response: ResponseFlags::Target,
            arguments: &|_| Ok(()),
            added: Some(AddedContexts { contexts, stable: None }),
        };
        link.send(&request, deadline)?;
        match link.receive(deadline, false)? {
            ReceivedMessage::Reply => {}
            ReceivedMessage::LocateReply => return Err(wrong_reply()),
        }
        let message = link.message().ok_or_else(no_reply)?;
        let (header, mut body) = decode_reply(&message)
            .map_err(|error| SystemException::decoding(&error, Completion::No))?;
        Answer::decode(&header, &mut body)
    }
}

/// Whether this is the answer of a server that does not know the operation, or the object: the call
/// itself will show the latter.
fn is_unknown(exception: &SystemException) -> bool {
    use ExceptionKind::{BadOperation, NoImplement, ObjectNotExist};
    matches!(exception.kind(), BadOperation | NoImplement | ObjectNotExist)
}

/// The exception for the call that a connection was to be made for.
fn not_executed(exception: SystemException) -> SystemException {
    let made = SystemException::new(exception.kind(), exception.minor(), Completion::No);
    match exception.reason() {
        Some(reason) => made.with_reason(reason),
        None => made,
    }
}
