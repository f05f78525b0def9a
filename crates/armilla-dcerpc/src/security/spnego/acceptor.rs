//! The server's side of SPNEGO.

use super::tokens::{NegState, NegTokenInit, NegTokenResponse, Token};
use crate::security::context::{Message, Principal, Progress, SecurityContext, service};
use crate::security::error::SecurityError;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The server's side: of the client's mechanisms it takes the first that it has.
#[derive(Debug)]
pub struct Acceptor {
    mechanisms: Vec<Box<dyn SecurityContext>>,
    /// The one that was taken.
    chosen: Option<Box<dyn SecurityContext>>,
    /// The list of mechanisms, as it came.
    list: Vec<u8>,
    must_sign: bool,
    signed: bool,
    inner_done: bool,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Begin,
    Agreed,
    Established,
    Failed,
}

impl Acceptor {
    /// A server that has these mechanisms.
    pub fn new(mechanisms: Vec<Box<dyn SecurityContext>>) -> Self {
        Self {
            mechanisms,
            chosen: None,
            list: Vec::new(),
            must_sign: false,
            signed: false,
            inner_done: false,
            state: State::Begin,
        }
    }

    fn inner(&mut self) -> Result<&mut Box<dyn SecurityContext>, SecurityError> {
        self.chosen.as_mut().ok_or(SecurityError::NotEstablished)
    }

    fn begin(&mut self, octets: &[u8]) -> Result<Progress, SecurityError> {
        let Token::Init(init) = Token::decode(octets)? else {
            return Err(SecurityError::Unexpected);
        };
        let NegTokenInit { list, mechanisms, token } = init;
        let (place, own) = mechanisms
            .iter()
            .enumerate()
            .find_map(|(place, name)| {
                let own = self.mechanisms.iter().position(|inner| inner.mechanism() == &**name);
                own.map(|own| (place, own))
            })
            .ok_or(SecurityError::NoMechanism)?;
        self.chosen = Some(self.mechanisms.swap_remove(own));
        self.list = list;
        self.must_sign = place != 0;
        self.state = State::Agreed;
        let mut answer = NegTokenResponse {
            state: Some(if self.must_sign { NegState::RequestMic } else { NegState::Incomplete }),
            mechanism: Some(mechanisms[place].clone()),
            ..NegTokenResponse::default()
        };
        // The token of another mechanism than the one that was taken means nothing.
        if let Some(token) = token.filter(|_| place == 0) {
            self.inner_step(&token, None, &mut answer)?;
        }
        self.progress(answer)
    }

    fn go_on(&mut self, octets: &[u8]) -> Result<Progress, SecurityError> {
        let Token::Response(response) = Token::decode(octets)? else {
            return Err(SecurityError::Unexpected);
        };
        if response.state == Some(NegState::Rejected) {
            return Err(SecurityError::Rejected);
        }
        let mut answer =
            NegTokenResponse { state: Some(NegState::Incomplete), ..NegTokenResponse::default() };
        match &response.token {
            Some(token) if !self.inner_done => {
                self.inner_step(token, response.mic.as_deref(), &mut answer)?;
            }
            Some(_) => return Err(SecurityError::Unexpected),
            // Such a token is of use only if it has the signature that was missing.
            None if response.mic.is_none() => return Err(SecurityError::WrongMic),
            None => self.finish(response.mic.as_deref(), &mut answer)?,
        }
        self.progress(answer)
    }

    fn inner_step(
        &mut self,
        token: &[u8],
        mic: Option<&[u8]>,
        answer: &mut NegTokenResponse,
    ) -> Result<(), SecurityError> {
        let progress = self.inner()?.step(token)?;
        answer.token = progress.token;
        self.inner_done = progress.established;
        if self.inner_done { self.finish(mic, answer) } else { Ok(()) }
    }

    /// Checks the client's signature of the list and signs it, once the mechanism is established.
    fn finish(
        &mut self,
        mic: Option<&[u8]>,
        answer: &mut NegTokenResponse,
    ) -> Result<(), SecurityError> {
        if !self.inner_done {
            return Err(SecurityError::Unexpected);
        }
        let must_sign = self.must_sign || self.inner()?.wants_mechanisms_signed();
        match mic {
            Some(mic) if !self.signed => {
                let list = core::mem::take(&mut self.list);
                self.inner()?.verify_mechanisms(&list, mic)?;
                answer.mic = Some(self.inner()?.sign_mechanisms(&list)?);
                self.signed = true;
            }
            Some(_) => return Err(SecurityError::Unexpected),
            // The client has to sign in its next token.
            None if must_sign => return Ok(()),
            None => {}
        }
        answer.state = Some(NegState::Completed);
        self.state = State::Established;
        Ok(())
    }

    fn progress(&self, answer: NegTokenResponse) -> Result<Progress, SecurityError> {
        let established = self.state == State::Established;
        Ok(Progress { token: Some(Token::Response(answer).encode()), established })
    }
}

impl SecurityContext for Acceptor {
    fn service(&self) -> u8 {
        service::SPNEGO
    }

    fn mechanism(&self) -> &'static [u8] {
        &[]
    }

    fn step(&mut self, token: &[u8]) -> Result<Progress, SecurityError> {
        let progress = match self.state {
            State::Begin => self.begin(token),
            State::Agreed => self.go_on(token),
            State::Established | State::Failed => Err(SecurityError::Unexpected),
        };
        if progress.is_err() {
            self.state = State::Failed;
        }
        progress
    }

    fn principal(&self) -> Option<&Principal> {
        self.chosen.as_ref().and_then(|inner| inner.principal())
    }

    fn signature_length(&self) -> usize {
        self.chosen.as_ref().map_or(0, |inner| inner.signature_length())
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

    fn encrypts(&self) -> bool {
        self.chosen.as_ref().is_some_and(|inner| inner.encrypts())
    }

    fn sign_mechanisms(&mut self, _: &[u8]) -> Result<Vec<u8>, SecurityError> {
        Err(SecurityError::NoMechanism)
    }

    fn verify_mechanisms(&mut self, _: &[u8], _: &[u8]) -> Result<(), SecurityError> {
        Err(SecurityError::NoMechanism)
    }
}
