//! The reply to a synchronous call: a view of the message where it arrived, and a guard for the
//! memory or the connection that holds it.
//!
//! The thread that called gets the reply, decodes its body, and drops it. Only then does an
//! exclusive connection return to its pool, so that nothing is copied.

use super::collocated_reply::CollocatedReply;
use crate::client::connection::BorrowedBuffers;
use crate::client::endpoint::{Endpoint, PooledConnection};
use crate::client::request::{
    Answer, FaultSource, Operation, ReplyStart, fault_of, has_results, no_reply, part, undecodable,
};
use crate::exception::SystemException;
use crate::runtime::Orb;
use crate::wire::CODE_SETS_HERE;
use armilla_cdr::{ByteOrder, CdrError, CdrResult, CodeSets, Decoder, OwnedInput};
use armilla_giop::{Message, ReplyHeader, ReplyStatus, decode_reply};
use std::sync::Arc;

/// The reply to a request. It is small, because it is moved up to the caller: what else is known of
/// the message is kept beside the message.
pub(crate) struct Reply<'c> {
    status: ReplyStatus,
    orb: &'c Orb,
    holder: Holder<'c>,
}

/// The holder of the message.
pub(in crate::client) enum Holder<'c> {
    Exclusive(PooledConnection<'c>),
    Multiplexed(BorrowedBuffers),
    Collocated(CollocatedReply),
}

impl Holder<'_> {
    #[inline(always)]
    fn start(&self) -> ReplyStart {
        match self {
            Self::Exclusive(pooled) => pooled.connection().map_or(ReplyStart::NONE, |c| c.start),
            Self::Multiplexed(buffers) => buffers.start,
            Self::Collocated(reply) => reply.start(),
        }
    }

    /// The message, and the code sets of its strings.
    #[inline(always)]
    fn message(&self) -> Option<(Message<'_>, CodeSets)> {
        match self {
            Self::Exclusive(pooled) => {
                let connection = pooled.connection()?;
                Some((connection.message()?, connection.code_sets()))
            }
            Self::Multiplexed(buffers) => Some((buffers.reply.message()?, buffers.code_sets)),
            Self::Collocated(reply) => Some((reply.message()?, CODE_SETS_HERE)),
        }
    }
}

impl<'c> Reply<'c> {
    #[inline(always)]
    pub(in crate::client) fn new(orb: &'c Orb, holder: Holder<'c>) -> Self {
        Self { status: holder.start().status, orb, holder }
    }

    #[inline(always)]
    pub(crate) const fn status(&self) -> ReplyStatus {
        self.status
    }

    /// Whether the reply brings results or a user exception, which end the call.
    #[inline(always)]
    pub(in crate::client) const fn has_results(&self) -> bool {
        has_results(self.status)
    }

    /// Decodes the body of the reply to `operation` with `read`, and gives back what held the reply.
    ///
    /// # Errors
    /// `MARSHAL` when `read` fails.
    #[inline]
    pub(crate) fn decode<T>(
        mut self,
        operation: Operation<'_>,
        read: impl FnOnce(ReplyStatus, &mut Decoder<'_>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        let status = self.status;
        let mut body = self.body_once();
        let decoded = read(status, &mut body);
        body.end();
        decoded.map_err(|error| self.undecodable(operation.fault_source(), &error))
    }

    /// The exception of a body that cannot be decoded: it names the result.
    #[cold]
    fn undecodable(
        &mut self,
        (name, signatures): FaultSource<'_>,
        error: &CdrError,
    ) -> SystemException {
        let exception = undecodable(self.status, error);
        let call = fault_of(name, signatures, part(self.status));
        call.explain_decoding(exception, self.body_once())
    }

    /// A decoder for the body. It may take octets out of the reply that were received apart.
    #[inline(never)]
    fn body_once(&mut self) -> Decoder<'_> {
        match &self.holder {
            Holder::Exclusive(pooled)
                if pooled.connection().is_some_and(|it| it.has_detached()) =>
            {
                self.detached_body()
            }
            _ => self.usual_body(),
        }
    }

    /// The same for a reply some of whose octets were received apart.
    #[cold]
    #[inline(never)]
    fn detached_body(&mut self) -> Decoder<'_> {
        let Holder::Exclusive(pooled) = &mut self.holder else { return no_body() };
        let Some(connection) = pooled.connection_mut() else { return no_body() };
        let (body_at, code_sets) = (connection.start.body_at, connection.code_sets());
        let (Some(message), detached) = connection.parts() else { return no_body() };
        let body = message.decoder_for_body(body_at).with_code_sets(code_sets);
        body.with_context(self.orb).with_detached(detached)
    }

    /// A decoder for the body of a reply that is whole.
    #[inline(always)]
    fn usual_body(&self) -> Decoder<'_> {
        if let Holder::Exclusive(pooled) = &self.holder
            && let Some(connection) = pooled.connection()
            && let ReplyStart { body_at, plain: Some(order), .. } = connection.start
        {
            return Decoder::at(connection.octets(), body_at, order)
                .with_code_sets(connection.code_sets())
                .with_context(self.orb);
        }
        self.body()
    }

    /// A decoder for the body, which stays as it is.
    #[inline(never)]
    fn body(&self) -> Decoder<'_> {
        let ReplyStart { body_at, plain, .. } = self.holder.start();
        let body = match self.holder.message() {
            Some((message, code_sets)) => {
                if let Some(order) = plain {
                    return Decoder::at(message.octets, body_at, order)
                        .with_code_sets(code_sets)
                        .with_context(self.orb);
                }
                message.decoder_for_body(body_at).with_code_sets(code_sets)
            }
            None => no_body(),
        };
        body.with_context(self.orb)
    }

    /// Shows the header and the body to `read`. They stay as they are.
    pub(crate) fn look<T>(
        &self,
        read: impl FnOnce(&ReplyHeader<'_>, &Decoder<'_>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        let (message, _) = self.holder.message().ok_or_else(no_reply)?;
        let looked = decode_reply(&message).and_then(|(header, _)| read(&header, &self.body()));
        looked.map_err(|error| undecodable(self.status, &error))
    }

    /// A copy of the body, for later.
    pub(crate) fn copy_body(&self) -> OwnedInput {
        self.body().to_owned_input()
    }

    /// The answer that the reply is. Results and user exceptions stay in it.
    #[cold]
    pub(in crate::client) fn into_answer(self) -> Result<Answer<Self>, SystemException> {
        let answer = {
            let (message, _) = self.holder.message().ok_or_else(no_reply)?;
            let header = decode_reply(&message).map(|(header, _)| header);
            let header = header.map_err(|error| undecodable(self.status, &error))?;
            Answer::decode(&header, &mut self.body())?
        };
        Ok(answer.map(|()| self))
    }

    /// The same reply, for longer than the route that the call went by.
    pub(in crate::client) fn outliving_route<'o>(
        self,
        orb: &'o Orb,
        endpoint: &Arc<Endpoint>,
    ) -> Reply<'o> {
        let holder = match self.holder {
            Holder::Exclusive(connection) => Holder::Exclusive(connection.owning(endpoint)),
            Holder::Multiplexed(buffers) => Holder::Multiplexed(buffers),
            Holder::Collocated(reply) => Holder::Collocated(reply),
        };
        Reply { status: self.status, orb, holder }
    }
}

/// The body of a holder without a message, of which there is none: it cannot be decoded.
const fn no_body<'b>() -> Decoder<'b> {
    Decoder::new(&[], ByteOrder::NATIVE)
}
