//! What the client's end remembers, and which PDU goes where.

use super::types::{ClientError, ClientEvent, ClientOptions};
use crate::connection::{Output, Protection};
use crate::order::ByteOrder;
use crate::pdu::{Body, Flags, Framer, Header, Pdu, PduKind, Reassembly};
use crate::uuid::SyntaxId;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::time::Duration;

/// The client's end of one connection. Use it from one thread at a time.
#[derive(Debug)]
pub struct Client {
    pub(super) options: ClientOptions,
    pub(super) framer: Framer,
    pub(super) output: Output,
    pub(super) events: VecDeque<ClientEvent>,
    pub(super) state: State,
    pub(super) contexts: Vec<Context>,
    pub(super) group: u32,
    pub(super) features: u16,
    /// What is told once security is established.
    pub(super) pending: Option<ClientEvent>,
    /// Whether the server lets calls run at once.
    pub(super) concurrent: bool,
    pub(super) protection: Option<Protection>,
    pub(super) next_call: u32,
    /// Calls that were sent and not answered.
    pub(super) calls: BTreeMap<u32, Sent>,
    /// Calls that wait for the others.
    pub(super) queue: VecDeque<Waiting>,
    pub(super) reassembly: Reassembly<(u16, ByteOrder)>,
}

/// How far a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    New,
    /// A bind or an alter_context with a token was sent, with this call id.
    Handshake(u32),
    Ready,
    /// An alter_context was sent, with this call id.
    Altering(u32),
    Closed,
}

/// An interface that was asked for; its number is its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    pub(super) interface: SyntaxId,
    pub(super) accepted: bool,
}

/// A call that was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    pub(super) context: u16,
    pub(super) deadline: Option<Duration>,
}

/// A call that is still to be sent.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) call_id: u32,
    pub(super) context: u16,
    pub(super) opnum: u16,
    pub(super) object: Option<crate::uuid::Uuid>,
    pub(super) stub: Vec<u8>,
    pub(super) deadline: Option<Duration>,
    pub(super) maybe: bool,
}

impl Client {
    /// A connection that has just been made.
    pub fn new(options: ClientOptions) -> Self {
        Self {
            framer: Framer::new(options.max_receive),
            output: Output::new(),
            events: VecDeque::new(),
            state: State::New,
            contexts: Vec::new(),
            group: 0,
            features: 0,
            pending: None,
            concurrent: false,
            protection: None,
            next_call: 1,
            calls: BTreeMap::new(),
            queue: VecDeque::new(),
            reassembly: Reassembly::new(options.limits),
            options,
        }
    }

    /// What is to be sent now; `None` if nothing is.
    pub fn poll_output(&mut self) -> Option<Vec<u8>> {
        self.output.take()
    }

    /// What happened next; `None` if nothing did.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.events.pop_front()
    }

    /// Takes octets that arrived.
    pub fn receive(&mut self, octets: &[u8]) {
        if self.state == State::Closed {
            return;
        }
        self.framer.receive(octets);
        while self.state != State::Closed {
            let end = match self.framer.next_pdu() {
                Ok(Some((header, pdu))) => self.handle(&header, pdu),
                Ok(None) => return,
                Err(error) => Err(error.into()),
            };
            if let Err(error) = end {
                self.close(error);
            }
        }
    }

    pub(super) fn close(&mut self, error: ClientError) {
        self.state = State::Closed;
        self.calls.clear();
        self.queue.clear();
        self.events.push_back(ClientEvent::Closed(error));
    }

    /// A PDU that is whole.
    pub(super) fn pdu(&self, call_id: u32, flags: Flags, body: Body<'static>) -> Pdu<'static> {
        Pdu { order: self.options.order, flags: Flags::WHOLE | flags, call_id, body, auth: None }
    }

    fn handle(&mut self, header: &Header, mut octets: Vec<u8>) -> Result<(), ClientError> {
        let handshake = matches!(
            header.kind,
            PduKind::BindAck | PduKind::BindNak | PduKind::AlterContextResponse
        );
        let mut authentic = true;
        if !handshake && let Some(protection) = self.protection.as_mut().filter(|it| it.signs()) {
            // Nobody has to protect a fault or a shutdown: they end a call, or what comes after it.
            authentic = header.auth_length > 0;
            if authentic {
                protection.open(header, &mut octets)?;
            } else if header.kind == PduKind::Response {
                return Err(crate::security::SecurityError::NotAuthentic.into());
            }
        }
        let pdu = Pdu::decode(&octets)?;
        let call_id = pdu.call_id;
        match (&pdu.body, self.state) {
            (Body::BindAck(ack), State::Handshake(id)) if id == call_id => {
                self.handle_ack(ack, pdu.flags, pdu.auth.as_ref())
            }
            (Body::AlterContextResponse(ack), State::Handshake(id)) if id == call_id => {
                self.handle_ack(ack, pdu.flags, pdu.auth.as_ref())
            }
            (Body::AlterContextResponse(ack), State::Altering(id)) if id == call_id => {
                self.handle_altered(ack)
            }
            (Body::BindNak(nak), State::Handshake(_)) => Err(ClientError::Refused(nak.reason)),
            (Body::Fault(fault), State::Handshake(id)) if id == call_id => {
                Err(ClientError::BindFault(fault.status))
            }
            (Body::Fault(_) | Body::BindNak(_), State::Altering(id)) if id == call_id => {
                self.handle_alter_refused()
            }
            (Body::Response(response), _) => self.handle_response(response, &pdu),
            (Body::Fault(fault), _) => self.handle_fault(fault, &pdu, authentic),
            (Body::Shutdown, _) => {
                self.events.push_back(ClientEvent::Shutdown);
                Ok(())
            }
            _ => Err(ClientError::Unexpected),
        }
    }
}
