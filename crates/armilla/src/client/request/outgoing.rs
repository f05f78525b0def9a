//! Encoding of requests. The header is encoded once for an operation and reused; only the request
//! id and the object key change. The arguments follow.

use super::object_address::{ObjectAddress, TargetKey};
use super::operation::Operation;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::signature::{Part, Signature};
use armilla_cdr::{CdrError, CdrResult, Encoder};
use armilla_giop::{
    CodeSetContext, HEADER_LEN, ListenPoints, MessageHeader, OutgoingRequest, RequestLayout,
    ResponseFlags, ServiceContext, Version, begin_request, put_body,
};
use smallvec::SmallVec;

/// Encodes the arguments of a call. Runs again for each attempt.
pub(crate) type Arguments<'r, 'p> = &'r dyn Fn(&mut Encoder<'p>) -> CdrResult;

/// A request as the caller states it.
#[derive(Clone, Copy)]
pub(crate) struct Request<'r, 'p> {
    pub(crate) operation: Operation<'r>,
    pub(crate) response: ResponseFlags,
    pub(crate) arguments: Arguments<'r, 'p>,
    /// The signature that the program states for an operation without IDL.
    pub(crate) signature: Option<&'r Signature>,
}

impl<'r, 'p> Request<'r, 'p> {
    /// A request for an operation of generated code.
    pub(crate) fn new(
        operation: Operation<'r>,
        response: ResponseFlags,
        arguments: Arguments<'r, 'p>,
    ) -> Self {
        Self { operation, response, arguments, signature: None }
    }

    /// The request for an attempt at one target, with added service contexts.
    pub(in crate::client) fn to<'o>(
        &self,
        object: ObjectAddress<'o>,
        added: Option<AddedContexts<'o>>,
    ) -> Outgoing<'o, 'p>
    where
        'r: 'o,
    {
        let Self { operation, response, arguments, .. } = *self;
        Outgoing { object, operation, response, arguments, added }
    }
}

/// A request to be sent to one target.
#[derive(Clone, Copy)]
pub(crate) struct Outgoing<'r, 'p> {
    pub(crate) object: ObjectAddress<'r>,
    pub(crate) operation: Operation<'r>,
    pub(crate) response: ResponseFlags,
    pub(crate) arguments: Arguments<'r, 'p>,
    /// The service contexts that were added to those of the ORB.
    pub(crate) added: Option<AddedContexts<'r>>,
}

impl Outgoing<'_, '_> {
    /// Whether the octets of a large reply are better received apart from it. An interceptor may
    /// look at the whole reply; if there are any, they add contexts.
    #[inline(always)]
    pub(in crate::client) const fn detaches_octets(&self) -> bool {
        self.operation.returns_octets && self.added.is_none()
    }

    /// The exception of a request that cannot be encoded: it names the argument.
    #[cold]
    fn unencodable(
        &self,
        error: &CdrError,
        agreed: Option<&CodeSetContext>,
        out: &Encoder<'_>,
    ) -> SystemException {
        let exception = SystemException::encoding_request(error, agreed.is_some());
        let call = self.operation.at_fault(Part::Arguments);
        call.explain_encoding(exception, (out.code_sets(), out.wide_format()), self.arguments)
    }

    /// What stands for its contexts in a template; `None` if they may differ each time.
    fn stable_contexts(&self) -> Option<u64> {
        self.added?.stable.map(|StableContexts(value)| value)
    }

    /// The response flags as a template keeps them: unlike any of a request without contexts, if
    /// this one has contexts.
    fn response_and_contexts(&self) -> u8 {
        let mark = if self.added.is_some() { HAS_CONTEXTS } else { 0 };
        self.response as u8 | mark
    }
}

/// The service contexts that interceptors or an extension have added to a request.
#[derive(Clone, Copy)]
pub(crate) struct AddedContexts<'r> {
    pub(crate) contexts: &'r [ServiceContext<'r>],
    /// Set if the contexts are the same whenever this is: the header can then be reused.
    pub(crate) stable: Option<StableContexts>,
}

/// A context of four octets, as a value to compare.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct StableContexts(u64);

impl StableContexts {
    /// The value for no contexts, where interceptors could have added some.
    pub(crate) const NONE: Self = Self(u64::MAX);

    /// The value for a context. It is not zero, because a context without an id has no meaning.
    pub(crate) const fn of((id, data): (u32, [u8; 4])) -> Self {
        Self((id as u64) << 32 | u32::from_le_bytes(data) as u64)
    }
}

/// What stands for no contexts in a template.
const NO_CONTEXTS: u64 = 0;

/// The mark of a template with contexts. Response flags have two bits.
const HAS_CONTEXTS: u8 = 0x80;

/// The announcements in the first request on a connection: the code sets, and the listen points
/// that are offered.
type Announced<'a> = (Option<&'a CodeSetContext>, Option<&'a [u8]>);

/// Describes the header in a request buffer, so that the next request can reuse it.
#[derive(Default)]
pub(in crate::client) struct Template {
    target: TargetKey,
    /// The [key](Operation::key) of the operation.
    operation: (usize, usize),
    response: u8,
    /// The contexts that an extension has added.
    contexts: u64,
    request_id_at: usize,
    len: usize,
    /// The version, the offset and the length of the object key, if the request names the object by
    /// its key alone.
    key: Option<(Version, usize, usize)>,
}

impl Template {
    /// Encodes a whole message into `out`, whose buffer holds the last request of this template.
    /// `agreed` are the code sets of the connection. `announces` tells whether they and the
    /// `offered` [listen points](ListenPoints) have still to be sent. Returns the offset of the
    /// request id.
    #[inline(always)]
    pub(in crate::client) fn encode<'p>(
        &mut self,
        out: &mut Encoder<'p>,
        id: u32,
        call: &Outgoing<'_, 'p>,
        (agreed, offered, announces): (Option<&CodeSetContext>, Option<&[u8]>, bool),
        max_message: usize,
    ) -> Result<usize, SystemException> {
        let announced = if announces { Some((agreed, offered)) } else { None };
        let request_id_at = self
            .header(out, id, call, announced)
            .and_then(|at| {
                put_body(out, call.object.version, |out| (call.arguments)(out)).map(|()| at)
            })
            .or_else(|error| self.encode_again(error, out, id, call, announced))
            .map_err(|error| call.unencodable(&error, agreed, out))?;
        if out.len() - HEADER_LEN > max_message {
            return Err(too_large(out.len() - HEADER_LEN, max_message));
        }
        MessageHeader::finish(out).map_err(|error| {
            SystemException::bad_param(Minor::MESSAGE_TOO_LARGE, error.to_string())
        })?;
        Ok(request_id_at)
    }

    /// Encodes header and arguments in the other byte order, if `error` demands it. The header is
    /// not reused.
    #[cold]
    fn encode_again<'p>(
        &mut self,
        error: CdrError,
        out: &mut Encoder<'p>,
        id: u32,
        call: &Outgoing<'_, 'p>,
        announced: Option<Announced<'_>>,
    ) -> CdrResult<usize> {
        *self = Self::default();
        let encoded = out.with_other_order(error, |out| {
            let request_id_at = self.header(out, id, call, announced)?;
            put_body(out, call.object.version, |out| (call.arguments)(out))?;
            Ok(request_id_at)
        });
        *self = Self::default();
        encoded
    }

    /// Writes the header into `out`. Reuses the last one with a new request id if it fits.
    #[inline(always)]
    fn header(
        &mut self,
        out: &mut Encoder<'_>,
        id: u32,
        call: &Outgoing<'_, '_>,
        announced: Option<Announced<'_>>,
    ) -> CdrResult<usize> {
        if call.added.is_some() {
            return self.header_with_contexts(out, id, call, announced);
        }
        let same = self.operation == call.operation.key && self.response == call.response as u8;
        let known =
            same && (self.target == *call.object.target_key || self.rekey(out, &call.object));
        if known && announced.is_none() {
            out.truncate(self.len);
            out.patch_u32(self.request_id_at, id);
            return Ok(self.request_id_at);
        }
        *self = Self::default();
        out.truncate(0);
        self.new_header(out, id, call, announced)
    }

    /// The same for a request with contexts. A template with contexts is reused if they are the same.
    #[cold]
    #[inline(never)]
    fn header_with_contexts(
        &mut self,
        out: &mut Encoder<'_>,
        id: u32,
        call: &Outgoing<'_, '_>,
        announced: Option<Announced<'_>>,
    ) -> CdrResult<usize> {
        let same = self.operation == call.operation.key
            && self.response == call.response_and_contexts()
            && call.stable_contexts().is_some_and(|stable| stable == self.contexts)
            && self.target == *call.object.target_key;
        if same && announced.is_none() {
            out.truncate(self.len);
            out.patch_u32(self.request_id_at, id);
            return Ok(self.request_id_at);
        }
        *self = Self::default();
        out.truncate(0);
        self.new_header(out, id, call, announced)
    }

    /// Changes the header to one for `object`, if both object keys have the same length. Keys that
    /// one server creates usually have.
    #[inline(never)]
    fn rekey(&mut self, out: &mut Encoder<'_>, object: &ObjectAddress<'_>) -> bool {
        let (Some((version, at, len)), Some(key)) = (self.key, object.plain_key()) else {
            return false;
        };
        let fits = version == object.version && key.len() == len;
        if fits {
            out.patch(at, key);
            self.target = *object.target_key;
        }
        fits
    }

    #[cold]
    #[inline(never)]
    fn new_header(
        &mut self,
        out: &mut Encoder<'_>,
        id: u32,
        call: &Outgoing<'_, '_>,
        announced: Option<Announced<'_>>,
    ) -> CdrResult<usize> {
        let version = call.object.version;
        let (agreed, offered) = announced.unwrap_or_default();
        let agreed = agreed.filter(|_| version >= Version::V1_1).map(|sets| sets.encode());
        let offered = offered.filter(|_| version >= Version::V1_2);
        let agreed = agreed.as_ref().map(CodeSetContext::service_context);
        let offered = offered.map(ListenPoints::service_context);
        let more = call.added.map_or(&[][..], |more| more.contexts);
        let own = agreed.iter().chain(&offered).copied();
        let contexts: SmallVec<[_; 4]> = own.chain(more.iter().copied()).collect();
        let target = call.object.named();
        let numbered = call.object.numbered_key(call.operation.name);
        let target = numbered.as_deref().map_or(target, armilla_giop::TargetAddress::Key);
        let request = OutgoingRequest {
            request_id: id,
            response: call.response,
            target,
            operation: call.operation.name,
            contexts: &contexts,
        };
        let layout = begin_request(out, version, &request)?;
        if announced.is_none() && call.added.is_none_or(|added| added.stable.is_some()) {
            let RequestLayout { request_id_at, key_at, end_of_header: len } = layout;
            let plain = call.object.plain_key().zip(key_at);
            let key = plain.map(|(key, at)| (version, at, key.len()));
            let (target, operation) = (*call.object.target_key, call.operation.key);
            let response = call.response_and_contexts();
            let contexts = call.stable_contexts().unwrap_or(NO_CONTEXTS);
            *self = Self { target, operation, response, contexts, request_id_at, len, key };
        }
        Ok(layout.request_id_at)
    }
}

#[cold]
fn too_large(size: usize, limit: usize) -> SystemException {
    let what = format!("the request has {size} octets, the limit (max_message) is {limit}");
    SystemException::new(ExceptionKind::ImpLimit, Minor::MESSAGE_TOO_LARGE, Completion::No)
        .with_reason(what)
}
