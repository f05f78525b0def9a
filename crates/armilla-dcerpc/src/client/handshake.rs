//! Binding, security, and further interfaces.

use super::machine::{Client, Context, State};
use super::types::{ClientError, ClientEvent, Security};
use crate::connection::{Protection, longest};
use crate::pdu::{Auth, AuthLevel, Bind, BindAck, Body, ContextOffer, Flags, Outcome};
use crate::security::SecurityError;
use crate::uuid::SyntaxId;
use alloc::vec;
use alloc::vec::Vec;

/// The number of the context by which features are asked for.
const FEATURES: u16 = u16::MAX;

/// The number of the client's only security context.
const SECURITY_CONTEXT: u32 = 1;

impl Client {
    /// Binds the connection to these interfaces, with or without security. [`ClientEvent::Bound`]
    /// follows.
    ///
    /// # Errors
    ///
    /// If it is bound already, the level is refused, or security fails.
    pub fn bind(
        &mut self,
        interfaces: &[SyntaxId],
        security: Option<Security>,
    ) -> Result<(), ClientError> {
        if self.state != State::New {
            return Err(ClientError::Busy);
        }
        let mut token = None;
        if let Some(Security { mut context, level }) = security {
            if level < AuthLevel::Integrity && !self.options.allow_low_level {
                return Err(ClientError::LowLevel(level));
            }
            token = context.step(&[])?.token;
            self.protection = Some(Protection {
                service: context.service(),
                context,
                level,
                context_id: SECURITY_CONTEXT,
                header_signing: false,
                established: false,
            });
        }
        let mut offers = Vec::new();
        for interface in interfaces {
            offers.push(self.offer(*interface)?);
        }
        if self.options.features != 0
            && let Some(first) = interfaces.first()
        {
            let transfer = vec![SyntaxId::of_features(self.options.features)];
            offers.push(ContextOffer { id: FEATURES, interface: *first, transfer });
        }
        let bind = self.bind_of(offers);
        self.send_handshake(Body::Bind(bind), token)
    }

    /// Asks for a further interface. [`ClientEvent::Altered`] follows; until then no other one may
    /// be asked for.
    ///
    /// # Errors
    ///
    /// If the connection is not bound, or another interface is being asked for.
    pub fn alter(&mut self, interface: SyntaxId) -> Result<(), ClientError> {
        if self.state != State::Ready {
            return Err(ClientError::Busy);
        }
        let offer = self.offer(interface)?;
        let call_id = self.take_call_id();
        let body = Body::AlterContext(self.bind_of(vec![offer]));
        let pdu = self.pdu(call_id, Flags::default(), body);
        self.output.plain(&pdu)?;
        self.state = State::Altering(call_id);
        Ok(())
    }

    /// Whether calls of an interface may be made.
    pub fn is_bound(&self, interface: SyntaxId) -> bool {
        self.context(interface).is_some()
    }

    pub(super) fn context(&self, interface: SyntaxId) -> Option<u16> {
        let known = |context: &Context| context.accepted && context.interface == interface;
        self.contexts.iter().position(known).and_then(|place| u16::try_from(place).ok())
    }

    fn offer(&mut self, interface: SyntaxId) -> Result<ContextOffer, ClientError> {
        let id = u16::try_from(self.contexts.len()).ok().filter(|id| *id < FEATURES);
        let id = id.ok_or(ClientError::TooManyContexts)?;
        self.contexts.push(Context { interface, accepted: false });
        Ok(ContextOffer { id, interface, transfer: vec![SyntaxId::NDR] })
    }

    fn bind_of(&self, contexts: Vec<ContextOffer>) -> Bind {
        let (max_transmit, max_receive) = (self.options.max_transmit, self.options.max_receive);
        Bind { max_transmit, max_receive, group: self.group, contexts }
    }

    pub(super) fn take_call_id(&mut self) -> u32 {
        let id = self.next_call;
        self.next_call = self.next_call.wrapping_add(1).max(1);
        id
    }

    fn send_handshake(
        &mut self,
        body: Body<'static>,
        token: Option<Vec<u8>>,
    ) -> Result<(), ClientError> {
        let call_id = self.take_call_id();
        let signing = self.protection.is_some();
        let flags = Flags::default()
            .with(Flags::HEADER_SIGNING, signing)
            .with(Flags::CONCURRENT, self.options.concurrent && matches!(body, Body::Bind(_)));
        let mut pdu = self.pdu(call_id, flags, body);
        pdu.auth = match (&self.protection, token) {
            (Some(protection), Some(token)) => Some(protection.token(token)),
            _ => None,
        };
        self.output.plain(&pdu)?;
        self.state = State::Handshake(call_id);
        Ok(())
    }

    pub(super) fn handle_ack(
        &mut self,
        ack: &BindAck,
        flags: Flags,
        auth: Option<&Auth<'_>>,
    ) -> Result<(), ClientError> {
        let first = self.group == 0;
        if first {
            self.output.longest = longest(self.options.max_transmit, ack.max_receive);
            self.group = ack.group.max(1);
            self.concurrent = self.options.concurrent && flags.has(Flags::CONCURRENT);
            self.take_results(ack)?;
        }
        let Some(protection) = &mut self.protection else { return self.bound() };
        if first {
            protection.header_signing = flags.has(Flags::HEADER_SIGNING);
        }
        let auth = auth.filter(|auth| protection.owns(&auth.trailer));
        let auth = auth.ok_or(SecurityError::Missing("a security token"))?;
        let progress = protection.context.step(&auth.token)?;
        match (progress.established, progress.token) {
            (true, None) => self.established(),
            (true, Some(token)) => {
                let auth = protection.token(token);
                let call_id = self.take_call_id();
                let mut pdu = self.pdu(call_id, Flags::default(), Body::Auth3);
                pdu.auth = Some(auth);
                self.output.plain(&pdu)?;
                self.established()
            }
            (false, Some(token)) => {
                // An offer has to be of something: of what is known already.
                let repeated = self.contexts.iter().position(|context| context.accepted);
                let place = repeated.unwrap_or(0);
                let offers = self.contexts.get(place).map(|context| ContextOffer {
                    id: place as u16,
                    interface: context.interface,
                    transfer: vec![SyntaxId::NDR],
                });
                let bind = self.bind_of(offers.into_iter().collect());
                self.send_handshake(Body::AlterContext(bind), Some(token))
            }
            (false, None) => Err(SecurityError::Unexpected.into()),
        }
    }

    /// What became of the contexts of the bind, in the order in which they were offered.
    fn take_results(&mut self, ack: &BindAck) -> Result<(), ClientError> {
        if ack.results.len() < self.contexts.len() {
            return Err(ClientError::Unexpected);
        }
        for (context, result) in self.contexts.iter_mut().zip(&ack.results) {
            context.accepted =
                result.outcome == Outcome::Accepted && result.transfer == SyntaxId::NDR;
        }
        let features = ack.results.get(self.contexts.len()).map(|result| result.outcome);
        if let Some(Outcome::Features(bits)) = features {
            self.features = bits & self.options.features;
        }
        let outcomes = self.contexts.iter().zip(&ack.results);
        let interfaces =
            outcomes.map(|(context, result)| (context.interface, result.outcome)).collect();
        self.pending = Some(ClientEvent::Bound { interfaces, features: self.features });
        Ok(())
    }

    fn established(&mut self) -> Result<(), ClientError> {
        if let Some(protection) = &mut self.protection {
            protection.established = true;
        }
        self.bound()
    }

    fn bound(&mut self) -> Result<(), ClientError> {
        self.state = State::Ready;
        self.events.extend(self.pending.take());
        Ok(())
    }

    pub(super) fn handle_altered(&mut self, ack: &BindAck) -> Result<(), ClientError> {
        let (Some(context), [result]) = (self.contexts.last_mut(), &ack.results[..]) else {
            return Err(ClientError::Unexpected);
        };
        context.accepted = result.outcome == Outcome::Accepted && result.transfer == SyntaxId::NDR;
        self.events.push_back(ClientEvent::Altered(context.interface, result.outcome));
        self.state = State::Ready;
        self.send_waiting()
    }

    /// The server refuses an alter_context as a whole.
    pub(super) fn handle_alter_refused(&mut self) -> Result<(), ClientError> {
        let Some(context) = self.contexts.last() else { return Err(ClientError::Unexpected) };
        let refused = Outcome::ProviderRejection(0);
        self.events.push_back(ClientEvent::Altered(context.interface, refused));
        self.state = State::Ready;
        self.send_waiting()
    }
}
