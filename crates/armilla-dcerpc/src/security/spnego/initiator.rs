//! The client's side of SPNEGO.

use super::tokens::{NegState, NegTokenInit, NegTokenResponse, Token};
use crate::security::context::{Message, Principal, Progress, SecurityContext, service};
use crate::security::error::SecurityError;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The client's side: it offers mechanisms in the order in which it prefers them.
#[derive(Debug)]
pub struct Initiator {
    mechanisms: Vec<Box<dyn SecurityContext>>,
    /// The list of mechanisms, as it was sent.
    list: Vec<u8>,
    /// Which one is in use.
    chosen: usize,
    state: State,
    /// Whether the list has to be signed both ways.
    must_sign: bool,
    signed: bool,
    verified: bool,
    /// Whether the mechanism needs nothing more.
    inner_done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Begin,
    Offered,
    Agreed,
    Established,
    Failed,
}

impl Initiator {
    /// Offers these mechanisms.
    pub fn new(mechanisms: Vec<Box<dyn SecurityContext>>) -> Self {
        Self {
            mechanisms,
            list: Vec::new(),
            chosen: 0,
            state: State::Begin,
            must_sign: false,
            signed: false,
            verified: false,
            inner_done: false,
        }
    }

    fn inner(&mut self) -> Result<&mut Box<dyn SecurityContext>, SecurityError> {
        self.mechanisms.get_mut(self.chosen).ok_or(SecurityError::NoMechanism)
    }

    fn begin(&mut self) -> Result<Progress, SecurityError> {
        let token = self.inner()?.step(&[])?.token;
        let names = self.mechanisms.iter().map(|inner| inner.mechanism().to_vec()).collect();
        let init = NegTokenInit::new(names, token);
        self.list = init.list.clone();
        self.state = State::Offered;
        Ok(Progress { token: Some(Token::Init(init).encode()), established: false })
    }

    fn go_on(&mut self, octets: &[u8]) -> Result<Progress, SecurityError> {
        let Token::Response(response) = Token::decode(octets)? else {
            return Err(SecurityError::Unexpected);
        };
        if response.state == Some(NegState::Rejected) {
            return Err(SecurityError::Rejected);
        }
        self.must_sign |= response.state == Some(NegState::RequestMic);
        let first = core::mem::replace(&mut self.state, State::Agreed) == State::Offered;
        let switched = first && self.choose(response.mechanism.as_deref())?;
        let mut answer = NegTokenResponse::default();
        if switched {
            answer.token = self.inner()?.step(&[])?.token;
        } else if let Some(token) = &response.token {
            let progress = self.inner()?.step(token)?;
            self.inner_done = progress.established;
            answer.token = progress.token;
        }
        if self.inner_done {
            self.finish(&response, &mut answer)?;
        }
        if self.state == State::Established {
            return Ok(Progress { token: None, established: true });
        }
        if answer.token.is_none() && answer.mic.is_none() {
            return Err(SecurityError::Unexpected);
        }
        answer.state = Some(NegState::Incomplete);
        Ok(Progress { token: Some(Token::Response(answer).encode()), established: false })
    }

    /// Takes what the server took; returns whether it is another mechanism than the first.
    fn choose(&mut self, mechanism: Option<&[u8]>) -> Result<bool, SecurityError> {
        let Some(mechanism) = mechanism else { return Ok(false) };
        let found = self.mechanisms.iter().position(|inner| inner.mechanism() == mechanism);
        self.chosen = found.ok_or(SecurityError::NoMechanism)?;
        self.must_sign |= self.chosen != 0;
        Ok(self.chosen != 0)
    }

    /// Signs the list and checks the server's signature, once the mechanism is established.
    fn finish(
        &mut self,
        response: &NegTokenResponse,
        answer: &mut NegTokenResponse,
    ) -> Result<(), SecurityError> {
        let list = core::mem::take(&mut self.list);
        let must_sign = self.must_sign || self.inner()?.wants_mechanisms_signed();
        let completed = response.state == Some(NegState::Completed);
        if let Some(mic) = response.mic.as_deref().filter(|_| !self.verified) {
            self.inner()?.verify_mechanisms(&list, mic)?;
            self.verified = true;
        }
        if !self.signed && (must_sign || self.verified) && !completed {
            answer.mic = Some(self.inner()?.sign_mechanisms(&list)?);
            self.signed = true;
        }
        self.list = list;
        if completed {
            // Somebody may have shortened the list if the server does not sign it, too.
            if (self.must_sign || self.signed) && !self.verified {
                return Err(SecurityError::WrongMic);
            }
            self.state = State::Established;
        }
        Ok(())
    }
}

impl SecurityContext for Initiator {
    fn service(&self) -> u8 {
        service::SPNEGO
    }

    fn mechanism(&self) -> &'static [u8] {
        &[]
    }

    fn step(&mut self, token: &[u8]) -> Result<Progress, SecurityError> {
        let progress = match self.state {
            State::Begin if token.is_empty() => self.begin(),
            State::Offered | State::Agreed => self.go_on(token),
            State::Begin | State::Established | State::Failed => Err(SecurityError::Unexpected),
        };
        if progress.is_err() {
            self.state = State::Failed;
        }
        progress
    }

    fn principal(&self) -> Option<&Principal> {
        None
    }

    fn signature_length(&self) -> usize {
        self.mechanisms.get(self.chosen).map_or(0, |inner| inner.signature_length())
    }

    fn protect(&mut self, message: Message<'_>) -> Result<Vec<u8>, SecurityError> {
        match self.state {
            State::Established => self.inner()?.protect(message),
            _ => Err(SecurityError::NotEstablished),
        }
    }

    fn unprotect(&mut self, message: Message<'_>, signature: &[u8]) -> Result<(), SecurityError> {
        match self.state {
            State::Established => self.inner()?.unprotect(message, signature),
            _ => Err(SecurityError::NotEstablished),
        }
    }

    fn sign_mechanisms(&mut self, _: &[u8]) -> Result<Vec<u8>, SecurityError> {
        Err(SecurityError::NoMechanism)
    }

    fn verify_mechanisms(&mut self, _: &[u8], _: &[u8]) -> Result<(), SecurityError> {
        Err(SecurityError::NoMechanism)
    }
}
