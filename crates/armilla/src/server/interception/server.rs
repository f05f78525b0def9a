//! Server request interceptors (CORBA 3.4 Part 1, 16.3.8 and 16.3.14).

use crate::client::interception::Interruption;
use crate::exception::SystemException;
use crate::interception::Contexts;
use crate::interception::ProcessingMode;
use crate::interception::Values;
use crate::interception::current;
use crate::interception::values::{Served, no_resources};
use crate::interception::{Kept, keep, out_of_order};
use crate::interception::{Outcome, ReplyStatus};
use crate::interception::{Slot, SlotId, Slots};
use crate::policies::PolicyType;
use crate::policies::SyncScope;
use crate::runtime::Orb;
use crate::server::interception::ior::{adapter_names, adapter_path};
use crate::server::poa::{ObjectId, PoaInner, Policy, Target};
use crate::signature::{NamedValue, Signature};
use armilla_cdr::{Any as Value, TypeCode};
use armilla_giop::ior::Ior;
use armilla_ipc::{Address, Credentials, Protection};
use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Sees the requests that an ORB serves. The default of every method does nothing.
///
/// The thread that serves the request calls it, so several threads may call it at once.
///
/// ```
/// use armilla::interceptor::{Interruption, ServerInterceptor, ServerRequestInfo};
/// use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException};
///
/// const BADGE: u32 = 0x4241_4400;
///
/// /// Refuses requests without a badge.
/// struct Guard;
///
/// impl ServerInterceptor for Guard {
///     fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
///         match request.request_service_contexts().get(BADGE) {
///             Some(_) => Ok(()),
///             None => {
///                 let kind = ExceptionKind::NoPermission;
///                 Err(SystemException::new(kind, Minor(0), Completion::No).into())
///             }
///         }
///     }
/// }
///
/// let orb = Orb::builder().server_interceptor(Guard).build()?;
/// # Ok::<(), SystemException>(())
/// ```
#[doc(alias = "ServerRequestInterceptor")]
pub trait ServerInterceptor: Send + Sync {
    /// Its name, which must be unique; interceptors without one are anonymous.
    fn name(&self) -> &str {
        ""
    }

    /// A request has arrived. Its object was not looked for yet. An interceptor stores what the
    /// service contexts say in slots.
    ///
    /// # Errors
    /// The servant is not called. The interceptors after this one do not see the request; those
    /// before it see how it ends.
    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        let _ = request;
        Ok(())
    }

    /// The object was found, and this thread is about to call its servant. A
    /// [dynamic](crate::dynamic::DynamicServant) servant was already called and has described its
    /// arguments.
    ///
    /// # Errors
    /// The servant is not called. All interceptors see how the request ends.
    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let _ = request;
        Ok(())
    }

    /// A reply is about to be sent; service contexts may be added to it.
    ///
    /// # Errors
    /// The client gets the exception instead, `COMPLETED_YES`.
    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        let _ = request;
        Ok(())
    }

    /// An exception is about to be sent: one of the servant, the ORB or another interceptor.
    ///
    /// # Errors
    /// The client gets another exception instead, or is forwarded.
    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let _ = request;
        Ok(())
    }

    /// The request ends in another way: the client is forwarded, or expects no reply.
    ///
    /// # Errors
    /// The client gets the exception instead, or is forwarded to another object.
    fn send_other(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let _ = request;
        Ok(())
    }

    /// Which calls it sees: `ProcessingModePolicy`.
    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::default()
    }

    /// Whether it may ask for the values of calls: arguments, results, exceptions. If any
    /// interceptor does, the values are copied for it; otherwise asking for them raises
    /// `NO_RESOURCES`.
    fn reads_values(&self) -> bool {
        true
    }

    /// The ORB was shut down, or could not be created.
    fn destroy(&self) {}
}

/// A request that has arrived, as a server interceptor sees it.
pub struct ServerRequestInfo {
    pub(super) orb: Orb,
    pub(super) id: u32,
    pub(super) operation: Box<str>,
    pub(super) response_expected: bool,
    pub(super) sync_scope: SyncScope,
    pub(super) peer: Address,
    pub(super) credentials: Option<Credentials>,
    pub(super) protection: Option<Arc<Protection>>,
    pub(super) connection: Option<u64>,
    pub(super) size: usize,
    pub(super) key: Option<Box<[u8]>>,
    pub(super) object: Option<Target>,
    pub(super) values: Option<Box<Served>>,
    pub(super) contexts: Contexts,
    pub(super) reply_contexts: Contexts,
    pub(super) outcome: Option<Outcome>,
    pub(super) slots: Slots,
    pub(super) slot_count: usize,
    /// The slots that the thread had before it got those of the request.
    pub(super) outside: Option<Slots>,
    pub(super) kept: Kept,
}

impl ServerRequestInfo {
    /// The request id, unique among the requests in progress on its connection.
    pub const fn request_id(&self) -> u32 {
        self.id
    }

    /// The name of the operation.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// Whether a reply is expected; not for a oneway operation.
    pub const fn response_expected(&self) -> bool {
        self.response_expected
    }

    /// The address of the client.
    pub const fn peer(&self) -> &Address {
        &self.peer
    }

    /// The process and the user of the client, for which the operating system vouches; `None` over a
    /// transport that does not tell. Unix-domain sockets and shared memory do.
    pub const fn credentials(&self) -> Option<Credentials> {
        self.credentials
    }

    /// How the connection of the request is protected, and the certificates with which the client has
    /// proved who it is; `None` where the transport does not encrypt.
    pub fn protection(&self) -> Option<&Protection> {
        self.protection.as_deref()
    }

    /// The number of the connection over which the request has come, as long as the process runs
    /// that of no other connection; `None` for a request of this process.
    pub const fn connection(&self) -> Option<u64> {
        self.connection
    }

    /// How many octets the request has, with its headers.
    pub const fn size(&self) -> usize {
        self.size
    }

    /// When the call returns to the client.
    pub const fn sync_scope(&self) -> SyncScope {
        self.sync_scope
    }

    /// The arguments. Once the servant has returned, `inout` and `out` arguments have their new
    /// values.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` before the object was found, and when the request ends without a reply of
    /// the servant; `NO_RESOURCES` when the values are not available: a
    /// [dynamic](crate::dynamic::DynamicServant) servant did not describe them, no interceptor
    /// [reads values](ServerInterceptor::reads_values), or one contains a value that its TypeCode
    /// does not describe.
    pub fn arguments(&self) -> Result<Vec<NamedValue>, SystemException> {
        match self.outcome {
            None => {
                self.at_the_object().and_then(|_| <dyn Values>::arguments(self.values(), false))
            }
            Some(Outcome::Reply) => <dyn Values>::arguments(self.values(), true),
            Some(_) => Err(out_of_order("the arguments are gone when there is no reply")),
        }
    }

    /// The result; an empty any if the operation has none.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` outside [`send_reply`](ServerInterceptor::send_reply), and `NO_RESOURCES` as
    /// for [`arguments`](Self::arguments).
    pub fn result(&self) -> Result<Value, SystemException> {
        match self.outcome {
            Some(Outcome::Reply) => <dyn Values>::result(self.values()),
            _ => Err(out_of_order("only a reply has a result")),
        }
    }

    /// The types of the exceptions that the operation raises.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` before the object was found; `NO_RESOURCES` for a dynamic servant and as for
    /// [`arguments`](Self::arguments).
    pub fn exceptions(&self) -> Result<Vec<TypeCode>, SystemException> {
        self.begun().and_then(|()| <dyn Values>::exceptions(self.values()))
    }

    /// The names in the `context` clause of the operation.
    ///
    /// # Errors
    /// As [`exceptions`](Self::exceptions).
    pub fn contexts(&self) -> Result<Vec<String>, SystemException> {
        self.begun().and_then(|()| <dyn Values>::contexts(self.values()))
    }

    /// The properties sent for that clause, names and values alternating: `operation_context`.
    ///
    /// # Errors
    /// As [`arguments`](Self::arguments).
    pub fn operation_context(&self) -> Result<Vec<String>, SystemException> {
        match self.outcome {
            None | Some(Outcome::Reply) => {
                self.begun().and_then(|()| <dyn Values>::operation_context(self.values()))
            }
            Some(_) => Err(out_of_order("the properties are gone when there is no reply")),
        }
    }

    fn values(&self) -> Option<&dyn Values> {
        self.values.as_deref().map(|values| values as &dyn Values)
    }

    /// Fails before the object was looked for.
    fn begun(&self) -> Result<(), SystemException> {
        match (&self.object, &self.outcome) {
            (None, None) => Err(out_of_order("the object was not looked for yet")),
            _ => Ok(()),
        }
    }

    /// The object, if it was found.
    fn target(&self) -> Result<&Target, SystemException> {
        self.begun()?;
        self.object.as_ref().ok_or_else(|| no_resources("the object was not found"))
    }

    /// The object, while its servant is about to be called.
    fn at_the_object(&self) -> Result<&Target, SystemException> {
        match (&self.object, &self.outcome) {
            (Some(object), None) => Ok(object),
            _ => Err(out_of_order("the servant is not about to be called")),
        }
    }

    /// The id of the object.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` before the object was looked for, `NO_RESOURCES` if it was not found.
    pub fn object_id(&self) -> Result<&ObjectId, SystemException> {
        self.target().map(|object| &object.id)
    }

    /// The names of the object's POA and its ancestors, from the root down.
    ///
    /// # Errors
    /// As [`object_id`](Self::object_id).
    pub fn adapter_name(&self) -> Result<Vec<String>, SystemException> {
        self.target().map(|object| adapter_names(object.poa.path()))
    }

    /// The same as one text: `RootPOA/accounts`.
    ///
    /// # Errors
    /// As [`object_id`](Self::object_id).
    pub fn adapter_path(&self) -> Result<Cow<'_, str>, SystemException> {
        self.target().map(|object| adapter_path(object.poa.path()))
    }

    /// The id of the object's POA, unique among the POAs of this ORB.
    ///
    /// # Errors
    /// As [`object_id`](Self::object_id).
    pub fn adapter_id(&self) -> Result<&[u8], SystemException> {
        self.target().map(|object| object.poa.path())
    }

    /// The policies of the object's POA, at all points.
    ///
    /// # Errors
    /// `NO_RESOURCES`
    /// ([minor code](crate::Minor::NO_RESOURCES_NOT_SUPPORTED_BY_BINDING))
    /// if there is no POA, or none yet: adapter activators are asked after the first point.
    pub fn policies(&self) -> Result<Vec<Policy>, SystemException> {
        self.adapter().map(|poa| poa.policies())
    }

    /// The policy of this type of the object's POA, or else of its manager, at all points:
    /// `get_server_policy`.
    ///
    /// # Errors
    /// `INV_POLICY` ([`Minor::INV_POLICY_NO_FACTORY`](crate::Minor::INV_POLICY_NO_FACTORY)) for a
    /// type that neither the ORB nor a [factory](crate::OrbBuilder::policy_factory) knows, and as
    /// [`policies`](Self::policies).
    #[doc(alias = "get_server_policy")]
    pub fn policy(&self, policy_type: PolicyType) -> Result<Option<Policy>, SystemException> {
        self.orb.check_policy_type(policy_type)?;
        self.adapter().map(|poa| poa.policy(policy_type))
    }

    fn adapter(&self) -> Result<Arc<PoaInner>, SystemException> {
        let named = || self.orb.known_adapter(self.key.as_deref()?);
        let poa = self.object.as_ref().map(|object| object.poa.clone()).or_else(named);
        poa.ok_or_else(|| no_resources("there is no such POA"))
    }

    /// The name of the ORB, [`Settings::orb_id`](crate::Settings::orb_id).
    pub fn orb_id(&self) -> &str {
        &self.orb.settings().orb_id
    }

    /// The name of the server, [`Settings::server_id`](crate::Settings::server_id).
    pub fn server_id(&self) -> &str {
        &self.orb.settings().server_id
    }

    /// The repository id of the most derived interface of the object.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` outside [`receive_request`](ServerInterceptor::receive_request).
    pub fn target_most_derived_interface(&self) -> Result<Cow<'_, str>, SystemException> {
        self.at_the_object().map(|object| object.servant.get().repository_id(&|| object.id.clone()))
    }

    /// Whether the object has the interface with this repository id.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` outside [`receive_request`](ServerInterceptor::receive_request).
    pub fn target_is_a(&self, repository_id: &str) -> Result<bool, SystemException> {
        self.at_the_object()
            .map(|object| object.servant.get().is_a(&|| object.id.clone(), repository_id))
    }

    /// The operation that every object has, such as `_non_existent`, if the request is for one and the
    /// interface has none of this name. Names that only some clients send are told by the usual ones:
    /// `_not_existent`, and `_get_component` where that reads no attribute.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` outside [`receive_request`](ServerInterceptor::receive_request).
    pub fn object_operation(&self) -> Result<Option<&'static str>, SystemException> {
        let (servant, operation) = (self.at_the_object()?.servant.get(), self.operation());
        let own =
            || servant.is_told_by_servant(operation) || (servant.signatures())(operation).is_some();
        Ok(Signature::name_of_object(operation).filter(|_| !own()))
    }

    /// The exception that is about to be sent. A user exception of unknown type is shown as
    /// `UNKNOWN`; [`Outcome::exception_id`] returns its repository id.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` outside [`send_exception`](ServerInterceptor::send_exception).
    pub fn sending_exception(&self) -> Result<Value, SystemException> {
        <dyn Values>::exception(self.values(), self.outcome.as_ref())
    }

    /// The object to which the client is forwarded.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` unless the outcome is [`Outcome::Forward`].
    pub fn forward_reference(&self) -> Result<&Ior, SystemException> {
        match &self.outcome {
            Some(Outcome::Forward(ior)) => Ok(ior),
            _ => Err(out_of_order("the client is not sent elsewhere")),
        }
    }

    /// The service contexts of the request.
    #[doc(alias = "get_request_service_context")]
    pub const fn request_service_contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// The service contexts that the reply will have.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` before the request ends.
    #[doc(alias = "get_reply_service_context")]
    pub fn reply_service_contexts(&self) -> Result<&Contexts, SystemException> {
        match self.outcome {
            Some(_) => Ok(&self.reply_contexts),
            None => Err(out_of_order("the request has not ended yet")),
        }
    }

    /// Adds a service context to the reply.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` when there already is one with this id, and `replace` is not set.
    pub fn add_reply_service_context(
        &mut self,
        id: u32,
        data: &[u8],
        replace: bool,
    ) -> Result<(), SystemException> {
        self.reply_contexts.add(id, data, replace)
    }

    /// How the request ends; `None` before it does.
    pub const fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// The status of the reply.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` before the request ends.
    pub fn reply_status(&self) -> Result<ReplyStatus, SystemException> {
        let status = self.outcome.as_ref().map(Outcome::status);
        status.ok_or_else(|| out_of_order("the request has not ended yet"))
    }

    /// A slot of the request. After
    /// [`receive_request_service_contexts`](ServerInterceptor::receive_request_service_contexts)
    /// the thread has a copy of all slots in its [`PiCurrent`](crate::interceptor::PiCurrent),
    /// which servant managers, the servant and
    /// [`receive_request`](ServerInterceptor::receive_request) may read and change. When the
    /// servant has returned, that copy becomes the slots of the request. The thread keeps it until
    /// the last point.
    ///
    /// # Errors
    /// `BAD_PARAM` when the slot was not allocated.
    #[doc(alias = "get_slot")]
    pub fn slot(&self, id: SlotId) -> Result<Value, SystemException> {
        let value = self.slots.get(id, self.slot_count)?;
        Ok(value.cloned().unwrap_or_default())
    }

    /// Sets a slot of the request, and of its thread while the thread has a copy. After the servant
    /// has returned, only interceptors see the change.
    ///
    /// # Errors
    /// `BAD_PARAM` when the slot was not allocated.
    pub fn set_slot(&mut self, id: SlotId, value: Value) -> Result<(), SystemException> {
        self.set(id, Slot::Any(value))
    }

    /// The Rust value in a slot, if [`set_shared`](Self::set_shared) has put one of this type there.
    ///
    /// # Errors
    /// As [`slot`](Self::slot).
    pub fn shared<T: Send + Sync + 'static>(
        &self,
        id: SlotId,
    ) -> Result<Option<&T>, SystemException> {
        self.slots.shared(id, self.slot_count)
    }

    /// Sets a slot as [`set_slot`](Self::set_slot) does, to a Rust value, which costs no encoding: for
    /// a service whose readers are its own. To [`slot`](Self::slot) it is an empty `any`.
    ///
    /// # Errors
    /// As [`set_slot`](Self::set_slot).
    pub fn set_shared<T: Send + Sync + 'static>(
        &mut self,
        id: SlotId,
        value: T,
    ) -> Result<(), SystemException> {
        self.set(id, Slot::Shared(Arc::new(value)))
    }

    fn set(&mut self, id: SlotId, value: Slot) -> Result<(), SystemException> {
        if self.outside.is_some() {
            current::set(&self.orb, id, value.clone())?;
        }
        self.slots.set(id, self.slot_count, value)
    }

    /// Keeps a value until the request ends, for this interceptor or others that know its type. One
    /// value of each type is kept.
    pub fn keep<T: Any + Send>(&mut self, value: T) {
        keep(&mut self.kept, value);
    }

    /// The kept value of this type.
    pub fn kept<T: Any>(&self) -> Option<&T> {
        self.kept.iter().find_map(|value| value.downcast_ref())
    }
}

impl fmt::Debug for ServerRequestInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerRequestInfo")
            .field("id", &self.id)
            .field("operation", &self.operation)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}
