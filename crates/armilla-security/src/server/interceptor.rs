//! The interceptors of a server.

use super::contexts::{ContextTable, Established};
use super::establish::{Evidence, Refusal};
use super::peers::Peers;
use super::references::{Transports, mechanisms};
use crate::access::{Question, RoleTable};
use crate::audit::{Audit, Outcome as Ended, Record};
use crate::caller::Caller;
use crate::hash::HashKey;
use crate::limits::{Limits, UsedUp};
use crate::policy::{AUTHENTICATION, Authentication};
use armilla::interceptor::{
    Interruption, IorInfo, IorInterceptor, Outcome, ProcessingMode, ProfileAddresses,
    ServerInterceptor, ServerRequestInfo, SlotId,
};
use armilla::{CdrResult, Completion, ExceptionKind, Minor, Policy, SystemException};
use armilla_giop::csi::{
    ContextError, ContextErrorKind, EstablishContext, SECURITY_ATTRIBUTES_CONTEXT, SasMessage,
};
use armilla_giop::ior::{Component, TaggedComponent};
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime};

/// What decides about requests.
pub(super) struct Guard {
    pub(super) evidence: Evidence,
    pub(super) authentication: Authentication,
    /// Contexts that are kept, if the server keeps any.
    pub(super) contexts: Option<ContextTable>,
    pub(super) key: HashKey,
    pub(super) transport: Option<TaggedComponent>,
    pub(super) limits: Option<Limits>,
    pub(super) roles: RoleTable,
    pub(super) audit: Option<Audit>,
    pub(super) peers: Peers,
    /// Set when the ORB is made.
    pub(super) slot: OnceLock<SlotId>,
    /// Whether a POA has asked for more or less than the server.
    pub(super) has_policies: AtomicBool,
}

/// Establishes who calls, before the object is looked for.
pub(super) struct Requests(pub(super) Arc<Guard>);

/// Tells clients by the references.
pub(super) struct References(pub(super) Arc<Guard>);

/// What was made of a request's security context.
struct Identified {
    caller: Arc<Caller>,
    /// The context of the reply.
    answer: Option<Vec<u8>>,
}

/// Why a request is refused before its object is looked for.
enum Refused {
    /// What the client has shown is wrong.
    Context(u64, Refusal),
    /// It has shown nothing.
    Missing,
    /// Its security context cannot be read.
    Malformed(SystemException),
}

impl ServerInterceptor for Requests {
    fn name(&self) -> &str {
        "armilla-security"
    }

    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::RemoteOnly
    }

    fn reads_values(&self) -> bool {
        false
    }

    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        let now = Instant::now();
        if self.0.audit.is_some() {
            request.keep(Started(now));
        }
        // Before a password is verified, which takes long.
        self.0.within_limits(request, |limits, request| {
            limits.take_of_host(request.peer(), request.size())
        })?;
        let wanted = self.0.wanted(request);
        let identified = match self.0.identify(request, wanted, now) {
            Ok(identified) => identified,
            Err(refused) => return Err(self.0.refuse(request, refused)?.into()),
        };
        let principal = identified.caller.principal();
        self.0.within_limits(request, |limits, request| {
            if let Some(connection) = request.connection() {
                limits.take_connection(connection, principal)?;
            }
            limits.take_of(principal, request.size())
        })?;
        if let Some(answer) = identified.answer {
            request.add_reply_service_context(SECURITY_ATTRIBUTES_CONTEXT, &answer, true)?;
        }
        if let Some(slot) = self.0.slot.get() {
            request.set_shared(*slot, identified.caller)?;
        }
        Ok(())
    }

    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        if self.0.audit.as_ref().is_some_and(Audit::refuses) {
            return Err(ExceptionKind::Transient
                .because("the server cannot record calls now: call again later")
                .into());
        }
        let Some(access) = &self.0.evidence.access else { return Ok(()) };
        let Some(caller) = self.0.caller_of(request) else {
            return Err(no_permission().into());
        };
        let question = Question {
            caller,
            adapter: &request.adapter_path()?,
            object: &shown(request.object_id()?.as_bytes()),
            interface: &request.target_most_derived_interface()?,
            operation: request.object_operation()?.unwrap_or(request.operation()),
            at: SystemTime::now(),
        };
        let rules = access.rules();
        let decision = rules.decide(&question);
        if decision.allowed {
            return Ok(());
        }
        if decision.line.is_none() && !self.0.roles.is_empty() {
            let roles = self.0.roles.of(question.interface, question.operation);
            if rules.role_of(caller, &roles).is_some() {
                return Ok(());
            }
        }
        let (Question { operation, object, .. }, line) = (question, decision.line);
        tracing::warn!(%caller, operation, object, line, "a call was denied");
        request.keep(Denied(line));
        Err(no_permission().into())
    }

    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.0.record(request, &Ended::Ok);
        Ok(())
    }

    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        if let Some(Denied(line)) = request.kept::<Denied>() {
            self.0.record(request, &Ended::Denied(*line));
        } else if let Some(outcome) = request.outcome() {
            self.0.record(request, &Ended::Exception(outcome.exception_id().unwrap_or_default()));
        }
        Ok(())
    }

    fn send_other(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let ended = match request.outcome() {
            Some(Outcome::Sent) => Ended::Ok,
            _ => Ended::Elsewhere,
        };
        self.0.record(request, &ended);
        Ok(())
    }
}

/// When a request has arrived.
struct Started(Instant);

/// The rule that has denied a request.
struct Denied(Option<usize>);

/// The id of an object as text: as it is, or in hexadecimal.
fn shown(id: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(id) {
        Ok(text) if !text.chars().any(char::is_control) => text.into(),
        _ => {
            let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
            id.iter().flat_map(|octet| [digit(octet >> 4), digit(octet & 15)]).collect()
        }
    }
}

impl Guard {
    /// Refuses a request that is beyond the limits, if there are any.
    ///
    /// # Errors
    /// `TRANSIENT`.
    fn within_limits(
        &self,
        request: &ServerRequestInfo,
        take: impl FnOnce(&Limits, &ServerRequestInfo) -> Result<(), UsedUp>,
    ) -> Result<(), SystemException> {
        let Some(limits) = &self.limits else { return Ok(()) };
        let Err(used_up) = take(limits, request) else { return Ok(()) };
        let (peer, operation, why) = (request.peer(), request.operation(), used_up.text());
        tracing::debug!(%peer, operation, why, "a call was refused");
        self.record(request, &Ended::Refused(why));
        let (kind, minor) = (ExceptionKind::Transient, Minor::SHARE_USED_UP);
        Err(SystemException::new(kind, minor, Completion::No))
    }

    /// Who makes a request, once that was found out.
    fn caller_of<'r>(&self, request: &'r ServerRequestInfo) -> Option<&'r Caller> {
        let caller: Option<&Arc<Caller>> = request.shared(*self.slot.get()?).ok()?;
        caller.map(|caller| &**caller)
    }

    /// What the POA of the object asks for, or else the server.
    fn wanted(&self, request: &ServerRequestInfo) -> Authentication {
        if !self.has_policies.load(Ordering::Acquire) {
            return self.authentication;
        }
        match request.policy(AUTHENTICATION) {
            Ok(Some(policy)) => of_policy(&policy).unwrap_or(self.authentication),
            _ => self.authentication,
        }
    }

    /// Who calls.
    fn identify(
        &self,
        request: &ServerRequestInfo,
        wanted: Authentication,
        now: Instant,
    ) -> Result<Identified, Refused> {
        let contexts = request.request_service_contexts().iter();
        let mut contexts = contexts.filter(|(id, _)| *id == SECURITY_ATTRIBUTES_CONTEXT);
        let data = contexts.next().map(|(_, data)| data);
        if contexts.next().is_some() {
            // Whoever looks at requests on their way may have judged another one.
            let refusal = invalid_evidence("the request has two security contexts");
            return Err(Refused::Context(0, refusal));
        }
        let identified = match data {
            Some(data) if wanted != Authentication::Off => {
                let message = SasMessage::decode_data(data).map_err(|error| {
                    Refused::Malformed(SystemException::decoding(&error, Completion::No))
                })?;
                self.answer(request, (data, &message), now)?
            }
            _ => Identified { caller: self.peers.caller(request), answer: None },
        };
        match wanted == Authentication::Required && !identified.caller.is_authenticated() {
            true => Err(Refused::Missing),
            false => Ok(identified),
        }
    }

    /// What becomes of a message of the client.
    fn answer(
        &self,
        request: &ServerRequestInfo,
        (data, message): (&[u8], &SasMessage<'_>),
        now: Instant,
    ) -> Result<Identified, Refused> {
        let connection = request.connection();
        let generation = self.evidence.passwords.as_ref().map_or(0, |it| it.generation());
        match message {
            SasMessage::Establish(shown) => self.establish(request, (data, shown), generation, now),
            SasMessage::InContext { context, discard } => {
                let table = self.contexts.as_ref().zip(connection);
                let found = table.and_then(|(table, connection)| {
                    table.find((connection, *context), *discard, generation, now)
                });
                match found {
                    Some(caller) => Ok(Identified { caller, answer: None }),
                    None => Err(Refused::Context(*context, no_context())),
                }
            }
            SasMessage::Complete { context, .. }
            | SasMessage::Error(ContextError { context, .. }) => {
                let refusal = invalid_evidence("a client sends no message of a server");
                Err(Refused::Context(*context, refusal))
            }
        }
    }

    fn establish(
        &self,
        request: &ServerRequestInfo,
        (data, shown): (&[u8], &EstablishContext<'_>),
        generation: u64,
        now: Instant,
    ) -> Result<Identified, Refused> {
        let (context, connection) = (shown.context, request.connection());
        let place = match (&self.contexts, connection) {
            (Some(table), Some(connection)) if context != 0 => {
                Some((table, (connection, context), self.key.of(&[data])))
            }
            _ => None,
        };
        if let Some((table, key, evidence)) = &place {
            match table.look(*key, evidence, generation, now) {
                Established::New => {}
                Established::Known(caller) => {
                    return Ok(Identified { caller, answer: complete(context, true, &[]) });
                }
                Established::Conflict => {
                    let why = "the context was established with something else".to_owned();
                    let kind = ContextErrorKind::ConflictingEvidence;
                    let refusal = Refusal { kind, token: Vec::new(), why };
                    return Err(Refused::Context(context, refusal));
                }
            }
        }
        let (caller, last) = self
            .evidence
            .establish(&self.peers.caller(request), shown)
            .map_err(|refusal| Refused::Context(context, refusal))?;
        let caller = Arc::new(caller);
        if let Some((table, key, evidence)) = place {
            table.keep(key, &caller, evidence, generation, now);
        }
        let stateful = self.contexts.is_some() && connection.is_some() && context != 0;
        Ok(Identified { caller, answer: complete(context, stateful, &last) })
    }

    /// The component of a reference with these addresses, if it has one.
    fn component(
        &self,
        wanted: Authentication,
        addresses: &ProfileAddresses<'_>,
    ) -> CdrResult<Option<TaggedComponent>> {
        let transports = match &self.transport {
            Some(named) => Transports::named(named),
            None => Transports::of(addresses)?,
        };
        let list = mechanisms(&self.evidence, wanted, self.contexts.is_some(), &transports);
        list.map(|list| list.to_tagged()).transpose()
    }
}

impl IorInterceptor for References {
    fn name(&self) -> &str {
        "armilla-security"
    }

    fn establish_components(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        // Each POA comes by here before its first request.
        let wanted = match info.policy(AUTHENTICATION) {
            Ok(None) => self.0.authentication,
            policy => {
                self.0.has_policies.store(true, Ordering::Release);
                let wanted = policy?.as_ref().and_then(of_policy);
                wanted.unwrap_or(self.0.authentication)
            }
        };
        let guard = self.0.clone();
        info.add_component_by_addresses(move |addresses| guard.component(wanted, addresses))
    }
}

impl Guard {
    /// Records how a request has ended.
    fn record(&self, request: &ServerRequestInfo, outcome: &Ended<'_>) {
        let Some(audit) = &self.audit else { return };
        let adapter = request.adapter_path().unwrap_or_default();
        let object = request.object_id().map(|id| shown(id.as_bytes())).unwrap_or_default();
        audit.note(&Record {
            caller: self.caller_of(request),
            address: request.peer(),
            adapter: &adapter,
            object: &object,
            operation: request.operation(),
            outcome: *outcome,
            duration: request.kept::<Started>().map(|at| at.0.elapsed()).unwrap_or_default(),
        });
    }

    /// The exception for a client that is refused. It tells no reason; the log and the record do.
    ///
    /// # Errors
    /// When the reply takes no context.
    fn refuse(
        &self,
        request: &mut ServerRequestInfo,
        refused: Refused,
    ) -> Result<SystemException, SystemException> {
        let is_gone = matches!(
            &refused,
            Refused::Context(_, Refusal { kind: ContextErrorKind::NoContext, .. })
        );
        let (why, context, exception) = match refused {
            Refused::Malformed(exception) => (exception.to_string(), None, exception),
            Refused::Missing => ("it has not shown who it is".to_owned(), None, no_permission()),
            Refused::Context(context, Refusal { kind, token, why }) => {
                let ((major, minor), token) = (kind.numbers(), &token[..]);
                let message = SasMessage::Error(ContextError { context, major, minor, token });
                (why, message.to_data().ok(), no_permission())
            }
        };
        let (peer, operation) = (request.peer(), request.operation());
        // That is usual: the client establishes the context again.
        match is_gone {
            true => tracing::debug!(%peer, operation, why, "a client was refused"),
            false => tracing::warn!(%peer, operation, why, "a client was refused"),
        }
        self.record(request, &Ended::Refused(&why));
        if let Some(context) = context {
            request.add_reply_service_context(SECURITY_ATTRIBUTES_CONTEXT, &context, true)?;
        }
        Ok(exception)
    }
}

/// `NO_PERMISSION` without a reason, which would travel to the client.
fn no_permission() -> SystemException {
    SystemException::new(ExceptionKind::NoPermission, Minor(0), Completion::No)
}

fn invalid_evidence(why: &str) -> Refusal {
    let kind = ContextErrorKind::InvalidEvidence;
    Refusal { kind, token: Vec::new(), why: why.to_owned() }
}

fn no_context() -> Refusal {
    let why = "the server has no such context (any more)".to_owned();
    Refusal { kind: ContextErrorKind::NoContext, token: Vec::new(), why }
}

fn complete(context: u64, stateful: bool, token: &[u8]) -> Option<Vec<u8>> {
    SasMessage::Complete { context, stateful, token }.to_data().ok()
}

fn of_policy(policy: &Policy) -> Option<Authentication> {
    match policy {
        Policy::Custom(custom) => custom.get::<Authentication>().copied(),
        _ => None,
    }
}
