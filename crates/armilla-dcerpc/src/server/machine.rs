//! What the server's end remembers, and which PDU goes where.

use super::types::{Access, Host, ServerError, ServerEvent, ServerOptions};
use crate::connection::{Output, Protection};
use crate::fault::Status;
use crate::order::ByteOrder;
use crate::pdu::{
    AuthLevel, BindNak, Body, Fault, Flags, Framer, Header, Pdu, PduError, PduKind, Reassembly,
};
use crate::security::SecurityError;
use crate::uuid::{SyntaxId, Uuid};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

/// The server's end of one connection. Use it from one thread at a time.
pub struct Server {
    pub(super) options: ServerOptions,
    pub(super) host: Box<dyn Host>,
    pub(super) framer: Framer,
    pub(super) output: Output,
    pub(super) events: VecDeque<ServerEvent>,
    pub(super) state: State,
    pub(super) group: u32,
    /// Whether calls may run at once.
    pub(super) concurrent: bool,
    /// Whether a bind_nak has been sent.
    pub(super) refused: bool,
    pub(super) contexts: BTreeMap<u16, Context>,
    /// The security contexts, by their number.
    pub(super) protections: BTreeMap<u32, Protection>,
    /// The calls that run.
    pub(super) calls: BTreeMap<u32, Running>,
    pub(super) reassembly: Reassembly<Common>,
    /// When the client bound, finished a PDU or a call, or sent something, as the state wants it.
    since: Duration,
    /// Since when something has been unfinished.
    partial: Option<Duration>,
}

/// How far a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    New,
    Bound,
    /// Security failed in a PDU that nothing answers: the next call is told.
    Denied(SecurityError),
    Closed,
}

/// Why a PDU is refused that names another level than its security context has.
const OTHER_LEVEL: SecurityError = SecurityError::Missing("the level that was agreed");

/// A presentation context that was accepted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    pub(super) interface: SyntaxId,
    /// Whether the client offered NDR64 for it, too.
    pub(super) offered_wide: bool,
}

/// A call that runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Running {
    pub(super) context: u16,
    /// The security context that protects it.
    pub(super) security: Option<u32>,
    pub(super) order: ByteOrder,
    pub(super) cancels: u8,
}

/// What all fragments of a request have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Common {
    pub(super) context: u16,
    pub(super) opnum: u16,
    pub(super) object: Option<Uuid>,
    pub(super) security: Option<u32>,
    pub(super) order: ByteOrder,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("state", &self.state).finish_non_exhaustive()
    }
}

impl Server {
    /// A connection that was accepted at `now`. The clock may begin anywhere.
    pub fn new(options: ServerOptions, host: impl Host + 'static, now: Duration) -> Self {
        Self {
            host: Box::new(host),
            framer: Framer::new(options.max_receive),
            output: Output::new(),
            events: VecDeque::new(),
            state: State::New,
            group: options.group,
            concurrent: false,
            refused: false,
            contexts: BTreeMap::new(),
            protections: BTreeMap::new(),
            calls: BTreeMap::new(),
            reassembly: Reassembly::new(options.limits),
            since: now,
            partial: None,
            options,
        }
    }

    /// What is to be sent now; `None` if nothing is.
    pub fn poll_output(&mut self) -> Option<Vec<u8>> {
        self.output.take()
    }

    /// What happened next; `None` if nothing did.
    pub fn poll_event(&mut self) -> Option<ServerEvent> {
        self.events.pop_front()
    }

    /// When [`handle_timeout`](Self::handle_timeout) has to be called next; `None` for never.
    pub fn poll_timeout(&self) -> Option<Duration> {
        self.deadline().map(|(deadline, _)| deadline)
    }

    fn deadline(&self) -> Option<(Duration, &'static str)> {
        let idle = match self.state {
            State::Closed => return None,
            State::New => Some((self.options.handshake_timeout, "handshake_timeout")),
            _ if self.is_proving() => Some((self.options.handshake_timeout, "handshake_timeout")),
            _ if self.calls.is_empty() => Some((self.options.idle_timeout, "idle_timeout")),
            _ => None,
        };
        let idle = idle.map(|(limit, name)| (self.since.saturating_add(limit), name));
        let limit = self.options.fragment_timeout;
        let partial = self.partial.map(|since| (since.saturating_add(limit), "fragment_timeout"));
        idle.into_iter().chain(partial).min()
    }

    /// Ends the connection if the client has taken too long.
    pub fn handle_timeout(&mut self, now: Duration) {
        if let Some((deadline, name)) = self.deadline()
            && deadline <= now
        {
            self.close(ServerError::TimedOut(name));
        }
    }

    /// Takes octets that arrived at `now`.
    pub fn receive(&mut self, octets: &[u8], now: Duration) {
        if self.state == State::Closed {
            return;
        }
        self.framer.receive(octets);
        while self.state != State::Closed {
            match self.framer.next_pdu() {
                Ok(Some((header, pdu))) => {
                    // Nothing but its end makes a handshake longer.
                    if self.state == State::Bound && !self.is_proving() {
                        self.since = now;
                    }
                    // The context of a request stands where nothing encrypts it.
                    let context = Pdu::context(&header, &pdu);
                    let unfinished = self.unfinished(header.call_id);
                    if let Err(error) = self.handle(&header, pdu) {
                        self.refuse(&header, context, unfinished, error);
                    }
                }
                Ok(None) => break,
                Err(error) => match self.framer.header() {
                    Some(header) => self.refuse(&header, 0, None, error.into()),
                    None => self.close(error.into()),
                },
            }
        }
        let partial = self.framer.is_partial() || self.reassembly.is_partial();
        self.partial = partial.then(|| self.partial.unwrap_or(now));
        // Whoever never pauses is no less late.
        self.handle_timeout(now);
    }

    /// Whether a handshake has begun and not ended.
    fn is_proving(&self) -> bool {
        self.protections.values().any(|protection| !protection.established)
    }

    pub(super) fn protection(&self, security: Option<u32>) -> Option<&Protection> {
        security.and_then(|id| self.protections.get(&id))
    }

    pub(super) fn close(&mut self, error: ServerError) {
        self.state = State::Closed;
        self.calls.clear();
        self.events.push_back(ServerEvent::Closed(error));
    }

    /// The request that a further fragment of `call_id` continues, or interrupts.
    fn unfinished(&self, call_id: u32) -> Option<(u32, u16)> {
        let other = self.reassembly.first().filter(|_| !self.concurrent);
        let own = self.reassembly.common(call_id).map(|common| (call_id, common));
        own.or(other).map(|(call_id, common)| (call_id, common.context))
    }

    /// Tells the client why, where something answers the PDU, and closes.
    fn refuse(
        &mut self,
        header: &Header,
        context: u16,
        unfinished: Option<(u32, u16)>,
        error: ServerError,
    ) {
        let Header { kind, order, call_id, .. } = *header;
        let violation = error.status() == Status::PROTOCOL_ERROR;
        let alone = self.concurrent && !self.reassembly.is_partial();
        let (call_id, context) = match unfinished {
            Some(unfinished) => unfinished,
            None if violation && !alone => (call_id, 0),
            None => (call_id, context),
        };
        let running = Running { context, security: None, order, cancels: 0 };
        // Nothing is lost if that cannot be sent: the connection ends anyway.
        let _ = match kind {
            PduKind::Bind if !self.refused => {
                // What Windows says of lengths that contradict each other.
                let reason = match error {
                    ServerError::Pdu(PduError::Length { .. } | PduError::Padding(_)) => {
                        BindNak::VERSION
                    }
                    _ => BindNak::NOT_SPECIFIED,
                };
                self.nak(order, call_id, reason)
            }
            PduKind::Request => {
                let early = error == ServerError::Security(SecurityError::NotEstablished);
                self.fault(call_id, running, error.status(), early)
            }
            PduKind::AlterContext => self.fault(call_id, running, error.status(), true),
            PduKind::Auth3 => {
                let padding = matches!(error, ServerError::Pdu(PduError::Padding(_)));
                let status = if padding { Status::NO_MEMORY } else { error.status() };
                self.fault(call_id, running, status, true)
            }
            _ => Ok(()),
        };
        self.close(error);
    }

    pub(super) fn fault(
        &mut self,
        call_id: u32,
        running: Running,
        status: Status,
        not_executed: bool,
    ) -> Result<(), ServerError> {
        let Running { context, order, cancels, .. } = running;
        let body = Body::Fault(Fault { alloc_hint: 32, context, cancels, status, stub: &[] });
        let flags = Flags::WHOLE.with(Flags::NOT_EXECUTED, not_executed);
        let pdu = Pdu { order, flags, call_id, body, auth: None };
        // Windows protects no faults, and its clients need not expect that anybody does.
        Ok(self.output.plain(&pdu)?)
    }

    /// Checks and decrypts a PDU of a call; returns the security context that it belongs to: of
    /// what continues a call, that of its first fragment. Once there is one that signs, everything
    /// has to be signed, but for what anybody may call.
    fn open(&mut self, header: &Header, octets: &mut [u8]) -> Result<Option<u32>, ServerError> {
        let first = self.reassembly.common(header.call_id);
        let begun = first.filter(|_| header.kind == PduKind::Request && header.auth_length > 0);
        if let Some(id) = begun.and_then(|first| first.security)
            && let Some(protection) = self.protections.get_mut(&id)
        {
            protection.open_further(header, octets)?;
            return Ok(Some(id));
        }
        let trailer = match Pdu::trailer(octets, header) {
            Err(PduError::UnknownLevel(_)) => return Err(OTHER_LEVEL.into()),
            trailer => trailer?,
        };
        let Some(trailer) = trailer else {
            let unsigned = self.protections.iter().find(|(_, protection)| !protection.signs());
            return match unsigned {
                Some((id, protection)) if protection.established => Ok(Some(*id)),
                _ if self.protections.is_empty() => Ok(None),
                // As with Windows nothing else may be unfinished.
                _ if self.reassembly.is_partial() => Err(ServerError::Unexpected),
                _ if self.is_for_anybody(header, octets) => Ok(None),
                _ => Err(ServerError::Unexpected),
            };
        };
        let id = trailer.context_id;
        let unknown = SecurityError::Missing("a security context with this number");
        let protection = self.protections.get_mut(&id).ok_or(unknown)?;
        if !protection.established {
            return Err(SecurityError::NotEstablished.into());
        }
        // Also at a level that signs nothing nobody may say that it is another one.
        if !protection.owns(&trailer) {
            return Err(OTHER_LEVEL.into());
        }
        if protection.signs() {
            protection.open(header, octets)?;
        }
        Ok(Some(id))
    }

    /// Whether a request is one that needs no security.
    fn is_for_anybody(&self, header: &Header, octets: &[u8]) -> bool {
        let context = (header.kind == PduKind::Request).then(|| Pdu::context(header, octets));
        let context = context.and_then(|id| self.contexts.get(&id));
        let access = context.and_then(|context| self.host.interface(context.interface));
        access.is_some_and(|access| {
            access == Access::Anybody || self.options.min_level == AuthLevel::None
        })
    }

    /// Whether a request is to be looked at. What continues nothing is nothing, whoever sent it. Of
    /// calls at once each is looked at, if its context exists: otherwise it is answered here, or
    /// interrupts calls that are unfinished.
    fn has_place(&mut self, header: &Header, octets: &[u8]) -> Result<bool, ServerError> {
        let continues = !header.flags.has(Flags::FIRST);
        if !self.concurrent {
            // Without that feature a client finishes one request before it begins the next.
            let own = self.reassembly.common(header.call_id).is_some();
            let misplaced = !own && (continues || self.reassembly.is_partial());
            return if misplaced { Err(ServerError::Unexpected) } else { Ok(true) };
        }
        let known = self.contexts.contains_key(&Pdu::context(header, octets));
        if known || self.reassembly.common(header.call_id).is_some() {
            return Ok(true);
        }
        if self.reassembly.is_partial() {
            return Err(ServerError::Unexpected);
        }
        if continues {
            let order = header.order;
            let running = Running { context: 0, security: None, order, cancels: 0 };
            self.fault(header.call_id, running, Status::UNKNOWN_INTERFACE, true)?;
        }
        Ok(!continues)
    }

    fn handle(&mut self, header: &Header, mut octets: Vec<u8>) -> Result<(), ServerError> {
        let call = matches!(header.kind, PduKind::Request | PduKind::Cancel | PduKind::Orphaned);
        if let (State::Denied(error), true) = (self.state, call) {
            return Err(error.into());
        }
        if header.kind == PduKind::Request && !self.has_place(header, &octets)? {
            return Ok(());
        }
        let security = if call { self.open(header, &mut octets)? } else { None };
        let pdu = Pdu::decode(&octets)?;
        match (&pdu.body, self.state) {
            (Body::Bind(bind), State::New) => self.handle_bind(bind, &pdu),
            (Body::AlterContext(bind), State::Bound) => self.handle_alter(bind, &pdu),
            (Body::Auth3, State::Bound) => self.handle_auth3(&pdu),
            (Body::Request(request), State::Bound) => self.handle_request(request, &pdu, security),
            (Body::Cancel, State::Bound) => {
                self.handle_cancel(pdu.call_id);
                Ok(())
            }
            (Body::Orphaned, State::Bound) => {
                self.handle_orphaned(pdu.call_id);
                Ok(())
            }
            _ => Err(ServerError::Unexpected),
        }
    }
}
