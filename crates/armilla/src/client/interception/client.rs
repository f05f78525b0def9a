//! The client interceptor trait, and the information on a request that its points get (CORBA 3.4
//! Part 1, 16.3.5 and 16.3.13).

use super::interruption::Interruption;
use crate::client::reference::Object;
use crate::exception::{Minor, SystemException};
use crate::interception::Contexts;
use crate::interception::ProcessingMode;
use crate::interception::Values;
use crate::interception::{Kept, keep, out_of_order};
use crate::interception::{Outcome, ReplyStatus};
use crate::interception::{SlotId, Slots};
use crate::policies::SyncScope;
use crate::policies::{CustomPolicy, Policies, PolicyType};
use crate::settings::Settings;
use crate::signature::NamedValue;
use crate::transport::EndpointAddress;
use armilla_cdr::{Any as Value, TypeCode};
use armilla_giop::TargetAddress;
use armilla_giop::ior::{Ior, TaggedProfile, iiop_component, iiop_components, iiop_object_key};
use std::any::Any;
use std::fmt;

/// An interceptor of the requests that an ORB sends. Every method has a default that does nothing.
///
/// The calling thread runs it, or the thread that reads the reply; many threads may run it at once.
/// A call that the interceptor itself makes is intercepted like any other. To recognize such a
/// call, it can use a slot of [`PiCurrent`](crate::interceptor::PiCurrent).
#[doc(alias = "ClientRequestInterceptor")]
pub trait ClientInterceptor: Send + Sync {
    /// The name, which must be unique. Interceptors with an empty name are anonymous.
    fn name(&self) -> &str {
        ""
    }

    /// A request is about to be sent, for the first time or again. Service contexts may be added.
    ///
    /// # Errors
    /// The request is not sent. The interceptors after this one do not see it; those before it see
    /// its end.
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let _ = request;
        Ok(())
    }

    /// The reply has been received.
    ///
    /// # Errors
    /// The call ends with the exception instead. Its completion status must be `COMPLETED_YES`.
    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = request;
        Ok(())
    }

    /// The request has ended with an exception of the server, of the ORB or of another interceptor.
    ///
    /// # Errors
    /// The call ends with another exception instead, or is sent to another object.
    fn receive_exception(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let _ = request;
        Ok(())
    }

    /// The request has ended without a result: it is forwarded or sent again, or it was sent and no
    /// reply is expected.
    ///
    /// # Errors
    /// The call ends with the exception instead, or is sent to another object.
    fn receive_other(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let _ = request;
        Ok(())
    }

    /// The calls that the interceptor sees: `ProcessingModePolicy`.
    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::default()
    }

    /// Whether the interceptor may ask for the values of calls: arguments, results, exceptions. If
    /// any interceptor does, the ORB copies the replies. If none does, asking raises
    /// `NO_RESOURCES`.
    fn reads_values(&self) -> bool {
        true
    }

    /// The ORB has shut down, or its creation has failed.
    fn destroy(&self) {}
}

/// A request that is sent, as a client interceptor sees it.
pub struct ClientRequestInfo<'a> {
    pub(super) id: u32,
    pub(super) operation: &'a str,
    pub(super) response_expected: bool,
    pub(super) sync_scope: SyncScope,
    pub(super) values: Option<&'a dyn Values>,
    pub(super) target: &'a Object,
    pub(super) settings: &'a Settings,
    pub(super) ior: &'a Ior,
    pub(super) named: TargetAddress<'a>,
    pub(super) address: Option<&'a EndpointAddress>,
    pub(super) contexts: Contexts,
    pub(super) reply_contexts: Contexts,
    pub(super) outcome: Option<Outcome>,
    pub(super) slots: Slots,
    pub(super) slot_count: usize,
    pub(super) kept: Kept,
}

impl<'a> ClientRequestInfo<'a> {
    /// The number of the request, unique among the requests of this ORB that are under way.
    pub const fn request_id(&self) -> u32 {
        self.id
    }

    /// The name of the operation.
    pub const fn operation(&self) -> &'a str {
        self.operation
    }

    /// Whether a reply is expected; `false` for most oneway operations.
    pub const fn response_expected(&self) -> bool {
        self.response_expected
    }

    /// The moment at which the call returns. For a request with a reply: when the servant has
    /// completed it.
    pub const fn sync_scope(&self) -> SyncScope {
        self.sync_scope
    }

    /// The arguments. The `inout` and `out` arguments have their values once the reply has been
    /// received.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` where the request ended without a reply. `NO_RESOURCES` where the values are
    /// not available: neither IDL nor the program describes the operation, no interceptor [reads
    /// values](ClientInterceptor::reads_values), or an argument contains a value that its TypeCode
    /// does not describe.
    pub fn arguments(&self) -> Result<Vec<NamedValue>, SystemException> {
        match self.outcome {
            None => <dyn Values>::arguments(self.values, false),
            Some(Outcome::Reply) => <dyn Values>::arguments(self.values, true),
            Some(_) => Err(out_of_order("the arguments are gone when there is no reply")),
        }
    }

    /// The result; an empty any where the operation has none.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` outside [`receive_reply`](ClientInterceptor::receive_reply);
    /// `NO_RESOURCES` as for [`arguments`](Self::arguments).
    pub fn result(&self) -> Result<Value, SystemException> {
        match self.outcome {
            Some(Outcome::Reply) => <dyn Values>::result(self.values),
            _ => Err(out_of_order("only a reply has a result")),
        }
    }

    /// The types of the exceptions that the operation raises, or that the program states for a
    /// dynamic call.
    ///
    /// # Errors
    /// `NO_RESOURCES` as for [`arguments`](Self::arguments).
    pub fn exceptions(&self) -> Result<Vec<TypeCode>, SystemException> {
        <dyn Values>::exceptions(self.values)
    }

    /// The names in the `context` clause of the operation.
    ///
    /// # Errors
    /// `NO_RESOURCES` as for [`arguments`](Self::arguments).
    pub fn contexts(&self) -> Result<Vec<String>, SystemException> {
        <dyn Values>::contexts(self.values)
    }

    /// The properties that are sent for that clause, name and value alternating:
    /// `operation_context`. Static stubs send none.
    ///
    /// # Errors
    /// `NO_RESOURCES` as for [`arguments`](Self::arguments).
    pub fn operation_context(&self) -> Result<Vec<String>, SystemException> {
        <dyn Values>::operation_context(self.values)
    }

    /// The exception that the request ended with. A user exception that the operation does not
    /// declare is shown as `UNKNOWN`; [`received_exception_id`](Self::received_exception_id) tells
    /// its real id.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` outside [`receive_exception`](ClientInterceptor::receive_exception).
    pub fn received_exception(&self) -> Result<Value, SystemException> {
        <dyn Values>::exception(self.values, self.outcome.as_ref())
    }

    /// The repository id of that exception.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` outside [`receive_exception`](ClientInterceptor::receive_exception).
    pub fn received_exception_id(&self) -> Result<&str, SystemException> {
        let id = self.outcome.as_ref().and_then(Outcome::exception_id);
        id.ok_or_else(|| out_of_order("the request has not ended with an exception"))
    }

    /// The reference to which the request is forwarded.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` unless its outcome is [`Outcome::Forward`].
    pub fn forward_reference(&self) -> Result<&Ior, SystemException> {
        match &self.outcome {
            Some(Outcome::Forward(ior)) => Ok(ior),
            _ => Err(out_of_order("the request is not made again elsewhere")),
        }
    }

    /// The object that was called.
    pub const fn target(&self) -> &'a Object {
        self.target
    }

    /// The reference that the request is sent to: the target's own, or that of a forward.
    pub const fn effective_target(&self) -> &'a Ior {
        self.ior
    }

    /// The profile of that reference that the request uses.
    pub fn effective_profile(&self) -> Option<&'a TaggedProfile> {
        match self.named {
            TargetAddress::Profile(profile) => Some(profile),
            TargetAddress::Reference { selected, ior } => ior.profiles.get(selected as usize),
            TargetAddress::Key(wanted) => self
                .ior
                .profiles
                .iter()
                .find(|profile| iiop_object_key(&profile.data).is_ok_and(|key| key == wanted)),
        }
    }

    /// The data of the components with this id in that profile.
    #[doc(alias = "get_effective_components")]
    pub fn effective_components(&self, id: u32) -> Vec<Vec<u8>> {
        let profile = self.effective_profile();
        let components = profile.and_then(|profile| iiop_components(&profile.data).ok());
        let found = components.into_iter().flatten().filter(|(known, _)| *known == id);
        found.map(|(_, data)| data.to_vec()).collect()
    }

    /// The data of the first component with this id in that profile, without a copy.
    pub fn find_effective_component(&self, id: u32) -> Option<&'a [u8]> {
        iiop_component(&self.effective_profile()?.data, id).ok().flatten()
    }

    /// The data of the first component with this id in that profile.
    ///
    /// # Errors
    /// `BAD_PARAM` where there is none.
    #[doc(alias = "get_effective_component")]
    pub fn effective_component(&self, id: u32) -> Result<Vec<u8>, SystemException> {
        self.find_effective_component(id).map(<[u8]>::to_vec).ok_or_else(|| {
            let what = format!("the profile has no component {id:#x}");
            SystemException::bad_param(Minor::BAD_PARAM_INVALID_COMPONENT_ID, what)
        })
    }

    /// The policies in effect for the call.
    #[doc(alias = "get_request_policy")]
    pub fn policies(&self) -> Policies {
        self.target.policies_in_effect(self.settings)
    }

    /// The policy of this type in effect for the call, of a type that a program has defined:
    /// `get_request_policy`. The ORB's own policies are among [`policies`](Self::policies).
    ///
    /// # Errors
    /// `INV_POLICY` (reason 3) for a type without a [factory](crate::OrbBuilder::policy_factory).
    pub fn custom_policy(
        &self,
        policy_type: PolicyType,
    ) -> Result<Option<CustomPolicy>, SystemException> {
        self.target.reference()?.orb.check_policy_type(policy_type)?;
        Ok(self.policies().custom_policy(policy_type).cloned())
    }

    /// Whether the call stays within the process.
    pub(super) const fn is_local(&self) -> bool {
        self.address.is_none()
    }

    /// The address that the request is sent to, in the form of error messages. `None` for an object
    /// of this process.
    pub fn address(&self) -> Option<String> {
        self.endpoint().map(str::to_owned)
    }

    /// The same without a copy.
    pub fn endpoint(&self) -> Option<&'a str> {
        self.address.map(EndpointAddress::address)
    }

    /// The service contexts of the request.
    #[doc(alias = "get_request_service_context")]
    pub const fn request_service_contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// The service contexts of the reply.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` before the request has ended.
    #[doc(alias = "get_reply_service_context")]
    pub fn reply_service_contexts(&self) -> Result<&Contexts, SystemException> {
        match self.outcome {
            Some(_) => Ok(&self.reply_contexts),
            None => Err(out_of_order("the request has not ended yet")),
        }
    }

    /// Adds a service context to the request.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` outside [`send_request`](ClientInterceptor::send_request), and when there is
    /// already a context with this id and `replace` is `false`.
    pub fn add_request_service_context(
        &mut self,
        id: u32,
        data: &[u8],
        replace: bool,
    ) -> Result<(), SystemException> {
        match self.outcome {
            None => self.contexts.add(id, data, replace),
            Some(_) => Err(out_of_order("the request was sent already")),
        }
    }

    /// How the request ended; `None` before its end.
    pub const fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// The status of the reply.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` before the request has ended.
    pub fn reply_status(&self) -> Result<ReplyStatus, SystemException> {
        match &self.outcome {
            // The request was passed to the transport; whether it arrives is unknown.
            Some(Outcome::Sent) => Ok(ReplyStatus::Unknown),
            Some(outcome) => Ok(outcome.status()),
            None => Err(out_of_order("the request has not ended yet")),
        }
    }

    /// A slot of the calling thread, with its value at the start of the call.
    ///
    /// # Errors
    /// `BAD_PARAM` when the slot was not allocated.
    #[doc(alias = "get_slot")]
    pub fn slot(&self, id: SlotId) -> Result<Value, SystemException> {
        self.slot_ref(id).map(|value| value.cloned().unwrap_or_default())
    }

    /// The same without a copy; `None` when the thread had set no slot.
    ///
    /// # Errors
    /// As [`slot`](Self::slot).
    pub fn slot_ref(&self, id: SlotId) -> Result<Option<&Value>, SystemException> {
        self.slots.get(id, self.slot_count)
    }

    /// The Rust value in a slot of the calling thread, if
    /// [`PiCurrent::set_shared`](crate::interceptor::PiCurrent::set_shared) has put one of this type
    /// there.
    ///
    /// # Errors
    /// As [`slot`](Self::slot).
    pub fn shared<T: Send + Sync + 'static>(
        &self,
        id: SlotId,
    ) -> Result<Option<&T>, SystemException> {
        self.slots.shared(id, self.slot_count)
    }

    /// Keeps a value until the request ends, one of each type. Every interceptor that knows the
    /// type can read it.
    pub fn keep<T: Any + Send>(&mut self, value: T) {
        keep(&mut self.kept, value);
    }

    /// The kept value of this type.
    pub fn kept<T: Any>(&self) -> Option<&T> {
        self.kept.iter().find_map(|value| value.downcast_ref())
    }
}

impl fmt::Debug for ClientRequestInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientRequestInfo")
            .field("id", &self.id)
            .field("operation", &self.operation)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}
