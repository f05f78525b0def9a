//! Calls, their answers, and what ends them early.

use super::machine::{Client, Sent, State, Waiting};
use super::types::{Call, ClientError, ClientEvent, RemoteFault};
use crate::pdu::{AuthLevel, Body, Fault, Flags, HEADER_LEN, Pdu, Request, Response, Verification};
use crate::uuid::SyntaxId;
use core::time::Duration;

impl Client {
    /// Makes a call; returns its id, by which an event ends it. It is sent at once if calls may run
    /// at once or none is running.
    ///
    /// # Errors
    ///
    /// If the connection is not bound to the interface, or has ended.
    pub fn call(&mut self, call: &Call<'_>) -> Result<u32, ClientError> {
        match self.state {
            State::Closed => return Err(ClientError::Closed),
            State::New | State::Handshake(_) => return Err(ClientError::NotBound(call.interface)),
            State::Ready | State::Altering(_) => {}
        }
        let context = self.context(call.interface);
        let context = context.ok_or(ClientError::NotBound(call.interface))?;
        let call_id = self.take_call_id();
        let mut stub = call.stub.to_vec();
        if let Some(protection) = self.protection.as_ref().filter(|it| it.signs())
            && self.options.verification
            && protection.level >= AuthLevel::Integrity
        {
            let sent = Verification {
                header_signing: protection.header_signing,
                context: Some((call.interface, SyntaxId::NDR)),
                request: Some((call_id, context, call.opnum)),
            };
            sent.append(&mut stub, self.options.order);
        }
        let Call { opnum, object, deadline, maybe, .. } = *call;
        self.queue.push_back(Waiting { call_id, context, opnum, object, stub, deadline, maybe });
        self.send_waiting()?;
        Ok(call_id)
    }

    /// Sends those calls that need not wait.
    pub(super) fn send_waiting(&mut self) -> Result<(), ClientError> {
        // While an alter_context is on its way, servers may mistake a request.
        while self.state == State::Ready && (self.concurrent || self.calls.is_empty()) {
            let Some(call) = self.queue.pop_front() else { return Ok(()) };
            let Waiting { call_id, context, opnum, object, stub, deadline, maybe } = call;
            let head = HEADER_LEN + if object.is_some() { 24 } else { 8 };
            let flags = Flags::default().with(Flags::MAYBE, maybe);
            self.output.stub(
                self.protection.as_mut(),
                (self.options.order, call_id, flags),
                (head, &stub),
                |alloc_hint, stub| {
                    Body::Request(Request { alloc_hint, context, opnum, object, stub })
                },
            )?;
            if !maybe {
                self.calls.insert(call_id, Sent { context, deadline });
            }
        }
        Ok(())
    }

    /// Asks the server to end a call early; its result still follows. Without effect if the call
    /// has ended.
    ///
    /// # Errors
    ///
    /// If security fails.
    pub fn cancel(&mut self, call: u32) -> Result<(), ClientError> {
        if !self.calls.contains_key(&call) {
            return Ok(());
        }
        let pdu = self.pdu(call, Flags::default(), Body::Cancel);
        Ok(self.output.protected(self.protection.as_mut(), pdu)?)
    }

    /// Gives a call up, and tells the server. No event follows.
    ///
    /// # Errors
    ///
    /// If security fails.
    pub fn abandon(&mut self, call: u32) -> Result<(), ClientError> {
        self.queue.retain(|waiting| waiting.call_id != call);
        if self.calls.remove(&call).is_none() {
            return Ok(());
        }
        self.reassembly.abandon(call);
        let pdu = self.pdu(call, Flags::default(), Body::Orphaned);
        self.output.protected(self.protection.as_mut(), pdu)?;
        self.send_waiting()
    }

    /// When [`handle_timeout`](Self::handle_timeout) has to be called next; `None` for never.
    pub fn poll_timeout(&self) -> Option<Duration> {
        let sent = self.calls.values().filter_map(|call| call.deadline);
        sent.chain(self.queue.iter().filter_map(|call| call.deadline)).min()
    }

    /// Gives up the calls whose deadline has come. The clock may begin anywhere.
    pub fn handle_timeout(&mut self, now: Duration) {
        let due = |deadline: Option<Duration>| deadline.is_some_and(|deadline| deadline <= now);
        loop {
            let sent = self.calls.iter().find(|(_, call)| due(call.deadline)).map(|(id, _)| *id);
            let waiting = || self.queue.iter().find(|call| due(call.deadline));
            let Some(call) = sent.or_else(|| waiting().map(|call| call.call_id)) else { return };
            self.events.push_back(ClientEvent::TimedOut(call));
            if let Err(error) = self.abandon(call) {
                return self.close(error);
            }
        }
    }

    pub(super) fn handle_response(
        &mut self,
        response: &Response<'_>,
        pdu: &Pdu<'_>,
    ) -> Result<(), ClientError> {
        let call = pdu.call_id;
        // The rest of a call that was given up.
        let Some(sent) = self.calls.get(&call) else { return Ok(()) };
        // Windows sends the low octet of the context alone.
        if sent.context & 0xff != response.context & 0xff {
            return Err(ClientError::Unexpected);
        }
        let common = (response.context, pdu.order);
        match self.reassembly.receive(call, pdu.flags, common, response.stub) {
            Ok(None) => return Ok(()),
            Ok(Some(((_, order), stub))) => {
                self.events.push_back(ClientEvent::Response { call, order, stub });
            }
            Err(error) => {
                self.events.push_back(ClientEvent::TooLarge(call, error));
            }
        }
        self.calls.remove(&call);
        self.send_waiting()
    }

    pub(super) fn handle_fault(
        &mut self,
        fault: &Fault<'_>,
        pdu: &Pdu<'_>,
        authentic: bool,
    ) -> Result<(), ClientError> {
        let call = pdu.call_id;
        if self.calls.remove(&call).is_some() {
            self.reassembly.abandon(call);
            self.events.push_back(ClientEvent::Fault(RemoteFault {
                call,
                status: fault.status,
                not_executed: pdu.flags.has(Flags::NOT_EXECUTED),
                authentic,
            }));
        }
        self.send_waiting()
    }
}
