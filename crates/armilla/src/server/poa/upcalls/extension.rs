//! What another crate adds to a POA: it sees each request before and after the servant, and says
//! where the references of the POA lead.

use super::kept::KeptRequest;
use crate::callbacks::guarded;
use crate::client::AddedContext;
use crate::exception::{Completion, SystemException};
use crate::object_key::{ObjectKey, system_id};
use crate::server::poa::Servant;
use crate::server::poa::{Activation, Found, ObjectId, PoaInner};
use crate::server::threads::connection_slot::ConnectionSlot;
use armilla_cdr::{ByteOrder, CodeSets, Encode, Encoder};
use armilla_giop::ior::{Ior, TaggedComponent};
use armilla_giop::{Message, ReplyStatus, ServiceContexts, Version, decode_reply};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// An extension of a POA ([`PoaBuilder::extension`](crate::PoaBuilder::extension)). A POA without
/// one pays nothing for it. The calls of a POA with one are never direct: those of the same process
/// go through the POA too.
pub trait PoaExtension: Send + Sync {
    /// Answers a request itself, without results, if its operation is one that the extension adds
    /// to all objects. Runs first, in the thread that serves the request. `None`, the default,
    /// leaves the request to the servant.
    fn answer(&self, request: &UpcallInfo<'_>) -> Option<Result<(), SystemException>> {
        let _ = request;
        None
    }

    /// A service context that the reply to this request has, whatever the request ends with. Asked
    /// after [`answer`](Self::answer), before [`before_upcall`](Self::before_upcall). `None`, the
    /// default, adds nothing.
    fn reply_context(&self, request: &UpcallInfo<'_>) -> Option<AddedContext> {
        let _ = request;
        None
    }

    /// Runs in the thread that serves a request, before its servant is called.
    ///
    /// # Errors
    /// The client gets the exception, and the servant is not called.
    fn before_upcall(&self, request: &UpcallInfo<'_>) -> Result<(), SystemException>;

    /// Serves a request around its servant, after [`before_upcall`](Self::before_upcall): `servant`
    /// calls it, at most once, and returns its reply instead of sending it. What this returns is
    /// sent. `None`, the default, leaves the request to the servant; `servant` must not have been
    /// called then. Requests for a servant locator's servants are not served so.
    fn around(
        &self,
        request: &UpcallInfo<'_>,
        servant: CallServant<'_>,
    ) -> Option<Result<EncodedReply, SystemException>> {
        let _ = (request, servant);
        None
    }

    /// Runs in the same thread when the servant has returned or panicked, if
    /// [`before_upcall`](Self::before_upcall) has succeeded. Calls may be nested.
    fn after_upcall(&self);

    /// What a reference to the object with this id carries instead of the addresses of the ORB;
    /// `None` leaves those.
    fn addresses(&self, object_id: &[u8]) -> Option<ObjectAddresses>;

    /// The object with this id was deactivated, and the POA has made the id: no other object will
    /// have it. May be called under a lock of the POA, so it must not call the POA.
    fn deactivated(&self, object_id: &[u8]) {
        let _ = object_id;
    }
}

/// Calls the servant of a request, for [`PoaExtension::around`].
pub type CallServant<'s> = &'s mut dyn FnMut() -> Result<EncodedReply, SystemException>;

/// A reply that was encoded and not sent: it can be kept, and sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedReply {
    pub(crate) status: ReplyStatus,
    /// As in a message of the native byte order, from a position that is a multiple of eight.
    pub(crate) body: Vec<u8>,
}

impl EncodedReply {
    /// A reply that sends the client to another object for good: `LOCATION_FORWARD_PERM`.
    ///
    /// # Errors
    /// `MARSHAL` if the reference cannot be encoded.
    #[doc(alias = "LOCATION_FORWARD_PERM")]
    pub fn forward_for_good(to: &Ior) -> Result<Self, SystemException> {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        let encoded = to.encode(&mut out);
        encoded.map_err(|error| SystemException::encoding(&error, Completion::No))?;
        Ok(Self { status: ReplyStatus::LocationForwardPerm, body: out.to_vec() })
    }

    /// A reply that was kept as its [status](Self::status) and its [body](Self::body). `None` if
    /// there is no such status.
    pub fn from_parts(status: u32, body: Vec<u8>) -> Option<Self> {
        let status = ReplyStatus::from_number(status, Version::V1_2)?;
        Some(Self { status, body })
    }

    /// The number of its status (`GIOP::ReplyStatusType_1_2`).
    pub const fn status(&self) -> u32 {
        self.status as u32
    }

    /// The results or the exception, in the native byte order.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The reply in a captured message; an empty one where none was expected.
    pub(crate) fn captured(octets: &[u8]) -> Result<Self, SystemException> {
        let undecodable = |error| SystemException::decoding(&error, Completion::Maybe);
        let none = Self { status: ReplyStatus::NoException, body: Vec::new() };
        let Ok(Some(message)) = Message::parse(octets) else { return Ok(none) };
        let (header, body) = decode_reply(&message).map_err(undecodable)?;
        let body = octets.get(body.position()..).unwrap_or_default().to_vec();
        Ok(Self { status: header.status, body })
    }
}

/// A request, as a [`PoaExtension`] sees it.
pub struct UpcallInfo<'r> {
    object_id: &'r [u8],
    servant: &'r dyn Servant,
    arrived: Arrived<'r>,
}

/// What is known of a request before its object is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived<'r> {
    pub(crate) operation: &'r str,
    pub(crate) contexts: &'r ServiceContexts<'r>,
    pub(crate) message: Message<'r>,
    pub(crate) code_sets: CodeSets,
    /// What extensions keep for the connection over which it has arrived, if it has.
    pub(crate) connection: Option<&'r ConnectionSlot>,
}

impl<'r> UpcallInfo<'r> {
    /// The id of the object.
    pub const fn object_id(&self) -> &[u8] {
        self.object_id
    }

    /// The name of the operation, as the request has it: an attribute has `_get_` or `_set_`.
    pub const fn operation(&self) -> &'r str {
        self.arrived.operation
    }

    /// The repository id of the most derived interface of the object.
    pub fn repository_id(&self) -> Cow<'r, str> {
        self.servant.repository_id(&|| ObjectId::new(self.object_id))
    }

    /// The repository ids of all interfaces that the most derived one inherits from. Those of a
    /// dynamic servant are not known.
    pub fn base_ids(&self) -> &'static [&'static str] {
        self.servant.base_ids()
    }

    /// The data of the first service context with this id: an encapsulation.
    pub fn service_context(&self, id: u32) -> Option<&'r [u8]> {
        self.arrived.contexts.find(id)
    }

    /// The size of the message in octets.
    pub const fn size(&self) -> usize {
        self.arrived.message.octets.len()
    }

    /// The request as it has arrived, for servants in other processes to execute it too. `None` if it came
    /// in fragments whose octets cannot be put together: some of GIOP 1.1.
    pub fn keep(&self) -> Option<KeptRequest> {
        KeptRequest::of(&self.arrived.message, self.arrived.code_sets)
    }

    /// Whether the request has arrived over a connection, and the calling thread is one of the
    /// ORB's; otherwise it is the caller's own.
    pub const fn is_remote(&self) -> bool {
        self.arrived.connection.is_some()
    }

    /// What extensions keep for the connection over which the request has arrived; `None` if it is
    /// not [remote](Self::is_remote).
    pub const fn connection(&self) -> Option<&'r ConnectionSlot> {
        self.arrived.connection
    }
}

impl fmt::Debug for UpcallInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpcallInfo")
            .field("object_id", &self.object_id)
            .field("arrived", &self.arrived)
            .finish_non_exhaustive()
    }
}

/// Where references to an object lead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectAddresses {
    /// The IIOP addresses, the first one in the profile; empty for those of the ORB.
    pub iiop: Vec<(String, u16)>,
    /// Components that are added.
    pub components: Vec<TaggedComponent>,
    /// Whether the components of the ORB's own endpoints, such as Unix-domain sockets, are left
    /// out: they would lead past the addresses above.
    pub only_these: bool,
}

/// What the extension of a POA does with a request.
pub(crate) enum Extended {
    /// Nothing: there is none.
    Absent,
    /// It has answered the request.
    Answered,
    /// It has seen the upcall begin.
    Begun(#[expect(dead_code, reason = "it ends by being dropped")] ExtendedUpcall),
}

/// Ends an upcall that the extension has seen begin.
pub(crate) struct ExtendedUpcall(Arc<dyn PoaExtension>);

impl Extended {
    /// Shows the request to the extension, if there is one: it may answer, or learns that the
    /// servant is about to be called. `context` becomes what it adds to the reply.
    ///
    /// # Errors
    /// As [`PoaExtension::answer`] and [`PoaExtension::before_upcall`].
    pub(crate) fn of(
        found: &Found<'_>,
        arrived: Arrived<'_>,
        context: &mut Option<AddedContext>,
    ) -> Result<Self, SystemException> {
        let begun =
            found.extended(arrived, |extension, request| Self::begun(extension, request, context));
        begun.unwrap_or(Ok(Self::Absent))
    }

    fn begun(
        extension: &Arc<dyn PoaExtension>,
        request: &UpcallInfo<'_>,
        context: &mut Option<AddedContext>,
    ) -> Result<Self, SystemException> {
        // The answer of an extension is the operation itself, which may have been executed.
        let answer = || extension.answer(request);
        if let Some(answered) = guarded("PoaExtension::answer", Completion::Maybe, answer)? {
            return answered.map(|()| Self::Answered);
        }
        let of_reply = || extension.reply_context(request);
        *context = guarded("PoaExtension::reply_context", Completion::No, of_reply)?;
        let before = || extension.before_upcall(request);
        guarded("PoaExtension::before_upcall", Completion::No, before)??;
        Ok(Self::Begun(ExtendedUpcall(extension.clone())))
    }

    /// Lets the extension serve the request around its servant. `None` if it leaves that to the
    /// servant.
    pub(crate) fn around(
        found: &Found<'_>,
        arrived: Arrived<'_>,
        servant: CallServant<'_>,
    ) -> Option<Result<EncodedReply, SystemException>> {
        found.extended(arrived, |extension, request| {
            let around = || extension.around(request, servant);
            guarded("PoaExtension::around", Completion::Maybe, around)
                .unwrap_or_else(|e| Some(Err(e)))
        })?
    }
}

impl Drop for ExtendedUpcall {
    fn drop(&mut self) {
        // A panic is reported.
        guarded("PoaExtension::after_upcall", Completion::Yes, || self.0.after_upcall()).ok();
    }
}

impl Found<'_> {
    /// Shows the request to the extension of the POA. `None` if there is none.
    fn extended<R>(
        &self,
        arrived: Arrived<'_>,
        see: impl FnOnce(&Arc<dyn PoaExtension>, &UpcallInfo<'_>) -> R,
    ) -> Option<R> {
        let poa = self.poa()?;
        let (extension, servant) = (poa.extension.as_ref()?, self.servant()?);
        let place;
        let object_id = match self {
            Found::Object(upcall) => match upcall.object.stored_id() {
                Some(id) => id,
                None => {
                    place = system_id(poa.incarnation, upcall.object.slot);
                    &place
                }
            },
            Found::Unmapped(unmapped) => unmapped.id.as_bytes(),
            _ => return None,
        };
        Some(see(extension, &UpcallInfo { object_id, servant, arrived }))
    }

    /// The POA of the servant to call.
    fn poa(&self) -> Option<&PoaInner> {
        match self {
            Self::Object(upcall) => Some(&upcall.object.poa),
            Self::Unmapped(unmapped) => Some(&unmapped.poa),
            _ => None,
        }
    }
}

impl PoaInner {
    /// What its extension says about references to the object with this key.
    ///
    /// # Errors
    /// `UNKNOWN` if the extension panics.
    pub(crate) fn addresses_of(
        &self,
        key: &[u8],
    ) -> Result<Option<ObjectAddresses>, SystemException> {
        let Some(extension) = &self.extension else { return Ok(None) };
        let Some(key) = ObjectKey::parse(key) else { return Ok(None) };
        guarded("PoaExtension::addresses", Completion::No, || match key {
            ObjectKey::Active { incarnation, slot } => {
                extension.addresses(&system_id(incarnation, slot))
            }
            ObjectKey::Named(key) => extension.addresses(key.id),
        })
    }

    /// Tells its extension, if it has one, that the object with this id was deactivated.
    pub(in crate::server::poa) fn tell_deactivated(&self, id: &[u8]) {
        if let Some(extension) = self.extension.as_ref().filter(|_| self.policies.assigns()) {
            let tell = || extension.deactivated(id);
            // A panic is reported.
            guarded("PoaExtension::deactivated", Completion::Yes, tell).ok();
        }
    }
}

impl Activation {
    /// The id, if it does not consist of the slot.
    fn stored_id(&self) -> Option<&[u8]> {
        self.id.as_deref().map(|id| &**id)
    }
}
