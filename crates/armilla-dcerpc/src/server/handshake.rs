//! Binding, security, and further interfaces.

use super::machine::{Context, Server, State};
use super::types::ServerError;
use crate::connection::{Protection, longest};
use crate::order::ByteOrder;
use crate::pdu::{
    Auth, AuthLevel, Bind, BindAck, BindNak, Body, ContextOffer, ContextResult, Flags, Outcome, Pdu,
};
use crate::security::SecurityError;
use crate::uuid::{SyntaxId, Uuid};
use alloc::vec;
use alloc::vec::Vec;

/// The features that this server has: several security contexts on a connection, and a connection
/// outlives calls that were given up.
const FEATURES: u16 = 3;

/// A client that offers less than this is offered it.
const LEAST_OFFER: u16 = 2048;

/// No client needs more security contexts on one connection.
const MOST_SECURITY_CONTEXTS: usize = 64;

impl Server {
    pub(super) fn handle_bind(&mut self, bind: &Bind, pdu: &Pdu<'_>) -> Result<(), ServerError> {
        check_offers(bind)?;
        let token = match pdu.auth.as_ref().map(|auth| self.begin_security(auth, pdu.flags)) {
            None => None,
            Some(Ok(token)) => token,
            Some(Err(error)) => return self.refuse_bind(pdu, error),
        };
        // Both directions get the least of what both sides want, as with Windows.
        let wanted = bind.max_transmit.min(bind.max_receive).max(LEAST_OFFER) & !7;
        self.output.longest = longest(self.options.max_transmit, wanted);
        self.concurrent = pdu.flags.has(Flags::CONCURRENT);
        if bind.group != 0 {
            if !self.host.has_group(bind.group) {
                return self.refuse_bind(pdu, ServerError::UnknownGroup(bind.group));
            }
            self.group = bind.group;
        }
        let results = self.take_offers(&bind.contexts);
        self.state = State::Bound;
        let address = self.options.secondary_address.clone();
        let ack = Body::BindAck(self.ack(results, address));
        self.answer(pdu, ack, token)
    }

    fn refuse_bind(&mut self, pdu: &Pdu<'_>, error: ServerError) -> Result<(), ServerError> {
        let none = pdu.auth.as_ref().is_none_or(|auth| auth.trailer.level == AuthLevel::None);
        let reason = match error {
            ServerError::UnknownSecurity(_) if !none => BindNak::UNKNOWN_SECURITY,
            ServerError::Security(_) => BindNak::INVALID_CHECKSUM,
            _ => BindNak::NOT_SPECIFIED,
        };
        self.nak(pdu.order, pdu.call_id, reason)?;
        Err(error)
    }

    /// Refuses the connection.
    pub(super) fn nak(
        &mut self,
        order: ByteOrder,
        call_id: u32,
        reason: u16,
    ) -> Result<(), ServerError> {
        self.refused = true;
        let body = Body::BindNak(BindNak { reason, versions: vec![(5, 0)] });
        let pdu = Pdu { order, flags: Flags::WHOLE, call_id, body, auth: None };
        Ok(self.output.plain(&pdu)?)
    }

    /// Begins a security context; returns the server's token.
    fn begin_security(
        &mut self,
        auth: &Auth<'_>,
        flags: Flags,
    ) -> Result<Option<Vec<u8>>, ServerError> {
        if self.protections.len() >= MOST_SECURITY_CONTEXTS {
            return Err(ServerError::Unexpected);
        }
        let service = auth.trailer.service;
        let mut context =
            self.host.security(service).ok_or(ServerError::UnknownSecurity(service))?;
        // Security without a level is none, and level call is that of datagrams.
        match auth.trailer.level {
            AuthLevel::None => return Err(ServerError::UnknownSecurity(service)),
            AuthLevel::Call => return Err(SecurityError::Missing("a level of connections").into()),
            _ => {}
        }
        let progress = context.step(&auth.token)?;
        let protection = Protection {
            context,
            service,
            level: auth.trailer.level,
            context_id: auth.trailer.context_id,
            header_signing: flags.has(Flags::HEADER_SIGNING),
            established: progress.established,
        };
        check_privacy(&protection)?;
        self.protections.insert(protection.context_id, protection);
        Ok(progress.token)
    }

    /// Goes on with a security context; returns the server's token.
    fn go_on(&mut self, auth: &Auth<'_>) -> Result<Option<Vec<u8>>, ServerError> {
        let protection = self.protections.get_mut(&auth.trailer.context_id);
        let protection = protection.ok_or(ServerError::Unexpected)?;
        let service = auth.trailer.service;
        if service != 0 && service != protection.service {
            return Err(
                SecurityError::Unsuitable("the service that the client goes on with").into()
            );
        }
        if !protection.owns(&auth.trailer) || protection.established {
            return Err(SecurityError::Missing("a security context of its own").into());
        }
        let progress = protection.context.step(&auth.token)?;
        protection.established = progress.established;
        check_privacy(protection)?;
        Ok(progress.token)
    }

    pub(super) fn handle_alter(&mut self, bind: &Bind, pdu: &Pdu<'_>) -> Result<(), ServerError> {
        check_offers(bind)?;
        let other = |offer: &ContextOffer| {
            let wide = || offer.transfer.contains(&SyntaxId::NDR64);
            self.contexts.get(&offer.id).is_some_and(|known| {
                known.interface != offer.interface || wide() && !known.offered_wide
            })
        };
        // Who goes on with security without any is told so, whatever else has changed.
        if let Some(auth) = &pdu.auth
            && auth.trailer.service == 0
            && self.protections.contains_key(&auth.trailer.context_id)
        {
            return Err(SecurityError::Missing("a security context of its own").into());
        }
        // A context stays what it is. One that is offered NDR64 now would change its encoding.
        if bind.contexts.iter().any(other) {
            return Err(ServerError::Unexpected);
        }
        let token = match &pdu.auth {
            None => None,
            Some(auth) if self.protections.contains_key(&auth.trailer.context_id) => {
                self.go_on(auth)?
            }
            Some(auth) => self.begin_security(auth, pdu.flags)?,
        };
        let results = self.take_offers(&bind.contexts);
        let ack = Body::AlterContextResponse(self.ack(results, Vec::new()));
        self.answer(pdu, ack, token)
    }

    /// Nothing answers an auth3 in its place: the next call is told of its failure.
    pub(super) fn handle_auth3(&mut self, pdu: &Pdu<'_>) -> Result<(), ServerError> {
        let auth = pdu.auth.as_ref().ok_or(ServerError::Unexpected)?;
        if self.protection(Some(auth.trailer.context_id)).is_some_and(|it| it.established) {
            return Err(ServerError::Unexpected);
        }
        match self.go_on(auth) {
            Ok(None) => {}
            Ok(Some(_)) => {
                // The answer has no place to go.
                self.state = State::Denied(SecurityError::Missing("the end of its handshake"));
            }
            Err(ServerError::Security(error)) => self.state = State::Denied(error),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn ack(&self, results: Vec<ContextResult>, secondary_address: Vec<u8>) -> BindAck {
        BindAck {
            max_transmit: self.output.longest,
            max_receive: self.options.max_receive.min(self.output.longest),
            group: self.group,
            secondary_address,
            results,
        }
    }

    fn answer(
        &mut self,
        pdu: &Pdu<'_>,
        body: Body<'static>,
        token: Option<Vec<u8>>,
    ) -> Result<(), ServerError> {
        let protection =
            pdu.auth.as_ref().and_then(|auth| self.protections.get(&auth.trailer.context_id));
        let flags = Flags::WHOLE
            .with(Flags::HEADER_SIGNING, pdu.flags.has(Flags::HEADER_SIGNING))
            .with(Flags::CONCURRENT, matches!(body, Body::BindAck(_)) && self.concurrent);
        // Windows sends a trailer even where there is no token for it.
        let auth = protection.map(|protection| protection.token(token.unwrap_or_default()));
        let answer = Pdu { order: pdu.order, flags, call_id: pdu.call_id, body, auth };
        Ok(self.output.plain(&answer)?)
    }

    /// What becomes of the contexts. Of several for one interface the first is taken, as with
    /// Windows: each encoding is there once.
    fn take_offers(&mut self, offers: &[ContextOffer]) -> Vec<ContextResult> {
        let mut taken: Vec<SyntaxId> = Vec::new();
        let mut result = |offer: &ContextOffer| {
            let result = self.take_offer(offer, &taken);
            if result.outcome == Outcome::Accepted {
                taken.push(offer.interface);
            }
            result
        };
        offers.iter().map(&mut result).collect()
    }

    fn take_offer(&mut self, offer: &ContextOffer, taken: &[SyntaxId]) -> ContextResult {
        let outcome = self.outcome(offer, taken);
        let nil = SyntaxId { uuid: Uuid::NIL, major: 0, minor: 0 };
        let transfer = if outcome == Outcome::Accepted { SyntaxId::NDR } else { nil };
        ContextResult { outcome, transfer }
    }

    fn outcome(&mut self, offer: &ContextOffer, taken: &[SyntaxId]) -> Outcome {
        if let Some(bits) = offer.transfer.first().and_then(|first| first.features()) {
            return Outcome::Features(bits & FEATURES);
        }
        if self.host.interface(offer.interface).is_none() {
            return Outcome::UnknownInterface;
        }
        if !offer.transfer.contains(&SyntaxId::NDR) || taken.contains(&offer.interface) {
            return Outcome::UnknownTransfer;
        }
        let known = self.contexts.contains_key(&offer.id);
        if !known && self.contexts.len() >= self.options.max_contexts {
            return Outcome::TooMany;
        }
        let (interface, offered_wide) =
            (offer.interface, offer.transfer.contains(&SyntaxId::NDR64));
        self.contexts.entry(offer.id).or_insert(Context { interface, offered_wide });
        Outcome::Accepted
    }
}

/// Refuses an offer of nothing, and a second question for features.
fn check_offers(bind: &Bind) -> Result<(), ServerError> {
    let empty = |offer: &ContextOffer| offer.transfer.is_empty();
    let asks =
        |offer: &&ContextOffer| offer.transfer.first().is_some_and(|it| it.features().is_some());
    let twice = bind.contexts.iter().filter(asks).count() > 1;
    match bind.contexts.is_empty() || bind.contexts.iter().any(empty) || twice {
        true => Err(ServerError::Unexpected),
        false => Ok(()),
    }
}

/// Refuses a client that wants its calls encrypted and cannot do it.
fn check_privacy(protection: &Protection) -> Result<(), ServerError> {
    let Protection { context, level, established, .. } = protection;
    match *established && *level == AuthLevel::Privacy && !context.encrypts() {
        true => Err(SecurityError::Unsuitable("encryption").into()),
        false => Ok(()),
    }
}
