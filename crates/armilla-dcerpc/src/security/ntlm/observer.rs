//! Reading what two others say to each other, for analysers that know the password.

use super::credentials::NtHash;
use super::keys::{self, Direction, Key, Stream};
use super::messages::{Authenticate, Challenge, flag};
use super::session::Session;
use crate::security::constant_time;
use crate::security::context::Message;
use crate::security::error::SecurityError;

/// Opens what client and server send, from their handshake and the hash of the user's password.
#[derive(Debug)]
pub struct Observer {
    /// What the client sends, as the server receives it.
    requests: Session,
    /// What the server sends, as the client receives it.
    responses: Session,
}

impl Observer {
    /// From the last two messages of a handshake.
    ///
    /// # Errors
    ///
    /// If they are malformed, or the password is another one.
    pub fn new(hash: NtHash, challenge: &[u8], authenticate: &[u8]) -> Result<Self, SecurityError> {
        let challenge = Challenge::decode(challenge)?;
        let message = Authenticate::decode(authenticate)?;
        let (user, domain) = (message.user()?, message.domain()?);
        let bad = SecurityError::Malformed("the response is none of NTLM version 2");
        let (proof, blob) = message.nt_response.split_first_chunk::<16>().ok_or(bad)?;
        let user_key = keys::user_key(&hash.0, &user, &domain);
        let own = keys::proof(&user_key, &challenge.challenge, blob);
        if !constant_time::equal(&own, proof) {
            return Err(SecurityError::Denied);
        }
        let mut key = keys::session_base_key(&user_key, proof);
        let exchanged = message.flags & flag::KEY_EXCHANGE != 0;
        if exchanged {
            let mut session: Key = message.session_key.try_into().map_err(|_| bad)?;
            Stream::new(&key).apply(&mut session);
            key = session;
        }
        Ok(Self {
            requests: Session::new(&key, Direction::ToClient, exchanged),
            responses: Session::new(&key, Direction::ToServer, exchanged),
        })
    }

    /// Checks and decrypts what the client sent next.
    ///
    /// # Errors
    ///
    /// If it is not that.
    pub fn open_request(
        &mut self,
        message: Message<'_>,
        signature: &[u8],
    ) -> Result<(), SecurityError> {
        self.requests.unprotect(message, signature)
    }

    /// Checks and decrypts what the server sent next.
    ///
    /// # Errors
    ///
    /// If it is not that.
    pub fn open_response(
        &mut self,
        message: Message<'_>,
        signature: &[u8],
    ) -> Result<(), SecurityError> {
        self.responses.unprotect(message, signature)
    }
}
