//! Where a request comes from, and what it tells about its connection.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use crate::server::poa::{Arrived, ObjectAdapters};
use crate::server::reply::sink::RequestSink;
use crate::server::threads::connection_slot::ConnectionSlot;
use armilla_cdr::CodeSets;
use armilla_giop::{
    BIDIRECTIONAL_CONTEXT, CODE_SETS_CONTEXT, CodeSetContext, Message, RequestHeader, Version,
};

/// Where a request comes from, and where its reply goes.
#[derive(Clone, Copy)]
pub(in crate::server) struct Source<'s> {
    pub(in crate::server) orb: &'s Orb,
    /// The active objects of the ORB, so that a request finds them by one pointer.
    pub(in crate::server) objects: &'s ObjectAdapters,
    pub(in crate::server) sink: &'s dyn RequestSink,
    /// What a request may tell of its connection; `None` if it comes from this process, or from
    /// another thread.
    pub(in crate::server) connection: Option<&'s dyn RequestConnection>,
    /// Whether this ORB opened the connection.
    pub(in crate::server) is_originated: bool,
}

impl<'s> Source<'s> {
    /// A request as the extension of a POA sees it.
    pub(super) fn arrived<'r>(
        &self,
        message: &Message<'r>,
        header: &'r RequestHeader<'_>,
        code_sets: CodeSets,
    ) -> Arrived<'r>
    where
        's: 'r,
    {
        Arrived {
            operation: header.operation.as_str(),
            contexts: &header.contexts,
            message: *message,
            code_sets,
            connection: self.connection.map(|connection| connection.extension()),
        }
    }
}

/// The connection of a request, as far as its service contexts and extensions of POAs concern it.
pub(in crate::server) trait RequestConnection {
    /// Notes the code sets that the client has chosen.
    fn set_code_sets(&self, code_sets: CodeSets);

    /// Takes the client's offer of bidirectional GIOP.
    ///
    /// # Errors
    /// When it is malformed.
    fn accept_offer(&self, data: &[u8]) -> Result<(), SystemException>;

    /// What the extension of a POA has attached.
    fn extension(&self) -> &ConnectionSlot;

    /// Its number, which no other connection of the process has.
    fn number(&self) -> u64;
}

/// Handles the service contexts about the connection: the code sets that the client has chosen, and
/// its offer of bidirectional GIOP.
#[cold]
pub(in crate::server) fn take_contexts(
    message: &Message<'_>,
    header: &RequestHeader<'_>,
    connection: Option<&dyn RequestConnection>,
    present: CodeSets,
) -> Result<CodeSets, SystemException> {
    let code_sets = take_code_sets(header, connection, present)?;
    if message.header.version >= Version::V1_2
        && let Some(offer) = header.contexts.find(BIDIRECTIONAL_CONTEXT)
        && let Some(connection) = connection
    {
        connection.accept_offer(offer)?;
    }
    Ok(code_sets)
}

fn take_code_sets(
    header: &RequestHeader<'_>,
    connection: Option<&dyn RequestConnection>,
    present: CodeSets,
) -> Result<CodeSets, SystemException> {
    let Some(data) = header.contexts.find(CODE_SETS_CONTEXT) else { return Ok(present) };
    let stated = CodeSetContext::decode(data)
        .map_err(|error| SystemException::decoding(&error, Completion::No))?;
    let code_sets = stated.code_sets().map_err(|id| {
        let what = format!("the client chose the code set {id:#010x}, which this server lacks");
        let kind = ExceptionKind::CodesetIncompatible;
        SystemException::new(kind, Minor::CODESET_INCOMPATIBLE_UNSUPPORTED_CODE_SET, Completion::No)
            .with_reason(what)
    })?;
    let code_sets = CodeSets { lone_surrogates: present.lone_surrogates, ..code_sets };
    if let Some(connection) = connection {
        connection.set_code_sets(code_sets);
    }
    Ok(code_sets)
}
