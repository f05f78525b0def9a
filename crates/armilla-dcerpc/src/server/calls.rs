//! Calls, their answers, and what ends them early.

use super::machine::{Common, Running, Server, State};
use super::types::{Access, ServerCall, ServerError, ServerEvent};
use crate::fault::Status;
use crate::pdu::{
    AuthLevel, Body, Flags, Fragment, HEADER_LEN, Pdu, Request, Response, Verification,
};
use crate::uuid::SyntaxId;
use alloc::vec::Vec;

/// How many octets of unfinished requests a client may send that has not proved who it is. What anybody
/// may call takes less.
const MOST_UNPROVEN: usize = 64 << 10;

impl Server {
    pub(super) fn handle_request(
        &mut self,
        request: &Request<'_>,
        pdu: &Pdu<'_>,
        security: Option<u32>,
    ) -> Result<(), ServerError> {
        let call_id = pdu.call_id;
        if self.calls.contains_key(&call_id) {
            return Err(ServerError::Unexpected);
        }
        let Request { context, opnum, object, .. } = *request;
        // Of what continues a call only the stub counts, as with Windows.
        let begun = self.reassembly.common(call_id).filter(|first| first.security == security);
        let new = Common { context, opnum, object, security, order: pdu.order };
        let common = begun.copied().unwrap_or(new);
        let stub = self.kept(&common, request.stub)?;
        let done = self.reassembly.receive(call_id, pdu.flags, common, stub);
        let Some((common, stub)) = done.map_err(ServerError::Fragment)? else { return Ok(()) };
        let Common { context, order, .. } = common;
        let running = Running { context, security, order, cancels: 0 };
        match self.admit(call_id, &common, stub) {
            Ok(mut call) => {
                call.maybe = pdu.flags.has(Flags::MAYBE);
                if !call.maybe {
                    self.calls.insert(call_id, running);
                }
                self.events.push_back(ServerEvent::Call(call));
                Ok(())
            }
            Err(_) if pdu.flags.has(Flags::MAYBE) => Ok(()),
            Err(status) => {
                // A context that does not exist has no number.
                let known = self.contexts.contains_key(&context);
                let context = if known { context } else { 0 };
                self.fault(call_id, Running { context, ..running }, status, true)
            }
        }
    }

    /// What is kept of a part of a request: nothing of what will be refused, so that strangers take no
    /// memory.
    fn kept<'a>(&self, common: &Common, part: &'a [u8]) -> Result<&'a [u8], ServerError> {
        let level = self.protection(common.security).map_or(AuthLevel::None, |it| it.level);
        if level >= self.options.min_level {
            return Ok(part);
        }
        let context = self.contexts.get(&common.context);
        match context.and_then(|context| self.host.interface(context.interface)) {
            Some(Access::Anybody) if self.reassembly.held() + part.len() > MOST_UNPROVEN => {
                Err(ServerError::Fragment(Fragment::TooLarge))
            }
            Some(Access::Anybody) => Ok(part),
            Some(Access::Secured) | None => Ok(&[]),
        }
    }

    /// Whether a call may run, and what it is.
    fn admit(
        &self,
        call_id: u32,
        common: &Common,
        mut stub: Vec<u8>,
    ) -> Result<ServerCall, Status> {
        let context = self.contexts.get(&common.context).ok_or(Status::UNKNOWN_INTERFACE)?;
        let interface = context.interface;
        let access = self.host.interface(interface).ok_or(Status::UNKNOWN_INTERFACE)?;
        let protection = self.protection(common.security);
        let level = protection.map_or(AuthLevel::None, |it| it.level);
        if access == Access::Secured && level < self.options.min_level {
            return Err(Status::ACCESS_DENIED);
        }
        if self.calls.len() >= self.options.max_calls {
            return Err(Status::SERVER_TOO_BUSY);
        }
        self.verify(call_id, common, interface, &mut stub)?;
        let principal = protection.and_then(|it| it.context.principal());
        Ok(ServerCall {
            id: call_id,
            interface,
            opnum: common.opnum,
            object: common.object,
            order: common.order,
            stub,
            principal: principal.cloned(),
            level,
            maybe: false,
        })
    }

    /// Takes the verification trailer off, if there is one, and compares it. What is not protected
    /// says nothing.
    fn verify(
        &self,
        call_id: u32,
        common: &Common,
        interface: SyntaxId,
        stub: &mut Vec<u8>,
    ) -> Result<(), Status> {
        let Some(protection) = self.protection(common.security).filter(|it| it.signs()) else {
            return Ok(());
        };
        let denied = |_| Status::ACCESS_DENIED;
        if let Some((at, sent)) = Verification::find(stub).map_err(denied)? {
            let request = (call_id, common.context, common.opnum);
            sent.check(protection.header_signing, (interface, SyntaxId::NDR), request)
                .map_err(denied)?;
            stub.truncate(at);
        }
        Ok(())
    }

    /// Answers a call: with its results, or with why it failed. Without effect if the client no
    /// longer waits for it.
    ///
    /// # Errors
    ///
    /// If security fails; the connection has ended then.
    pub fn respond(
        &mut self,
        call: u32,
        results: Result<&[u8], Status>,
    ) -> Result<(), ServerError> {
        let Some(running) = self.calls.remove(&call) else { return Ok(()) };
        let sent = match results {
            Err(status) => {
                self.fault(call, running, status, status == Status::OPERATION_OUT_OF_RANGE)
            }
            Ok(stub) => {
                let Running { context, security, order, cancels } = running;
                let head = (HEADER_LEN + 8, stub);
                let names = (order, call, Flags::default());
                let body = |alloc_hint, stub| {
                    // Windows sends the low octet of the context alone.
                    let context = context & 0xff;
                    Body::Response(Response { alloc_hint, context, cancels, stub })
                };
                let protection = security.and_then(|id| self.protections.get_mut(&id));
                let sent = self.output.stub(protection, names, head, body);
                sent.map_err(ServerError::from)
            }
        };
        if let Err(error) = sent {
            self.close(error);
        }
        sent
    }

    /// Whether the client has proved what the server wants of those that call secured interfaces.
    pub fn is_proven(&self) -> bool {
        let least = self.options.min_level;
        let proves = |level: AuthLevel, established: bool| established && level >= least;
        let nothing = least == AuthLevel::None && self.state == State::Bound;
        nothing || self.protections.values().any(|it| proves(it.level, it.established))
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    pub(super) fn handle_cancel(&mut self, call: u32) {
        if let Some(running) = self.calls.get_mut(&call) {
            running.cancels = running.cancels.saturating_add(1);
            self.events.push_back(ServerEvent::Cancelled(call));
        }
    }

    pub(super) fn handle_orphaned(&mut self, call: u32) {
        // An unfinished request stays: what is left of it may be under way, as Windows expects.
        if self.calls.remove(&call).is_some() {
            self.events.push_back(ServerEvent::Orphaned(call));
        }
    }
}
