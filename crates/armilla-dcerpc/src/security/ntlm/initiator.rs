//! The client's side of NTLM.

use super::av_pairs::{self, AvPairs};
use super::credentials::{Credentials, FileTime};
use super::keys::{self, Direction, Key, Stream};
use super::messages::{Authenticate, Challenge, MIC_OFFSET, Negotiate, flag};
use super::session::{SIGNATURE_LENGTH, Session};
use crate::security::context::{Message, Principal, Progress, SecurityContext, service};
use crate::security::error::SecurityError;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// What a client asks for, and insists on but for the key exchange and the version.
const WANTED: u32 = flag::UNICODE
    | flag::REQUEST_TARGET
    | flag::SIGN
    | flag::SEAL
    | flag::NTLM
    | flag::ALWAYS_SIGN
    | flag::EXTENDED
    | flag::TARGET_INFO
    | flag::VERSION
    | flag::BITS_128
    | flag::KEY_EXCHANGE
    | flag::BITS_56;

/// The client's side of NTLM version 2 on one connection.
pub struct Initiator {
    credentials: Credentials,
    client_challenge: [u8; 8],
    session_key: Key,
    now: FileTime,
    state: State,
    /// Whether the server was told that the messages have a MIC.
    mic: bool,
}

#[derive(Debug)]
enum State {
    Begin,
    /// The first message was sent: these are its octets.
    Sent(Vec<u8>),
    Established(Box<Session>),
    Failed,
}

impl Initiator {
    /// Begins. Both arrays have to come from a source of randomness that nobody can predict, and
    /// are used once.
    pub fn new(
        credentials: Credentials,
        client_challenge: [u8; 8],
        session_key: [u8; 16],
        now: FileTime,
    ) -> Self {
        Self { credentials, client_challenge, session_key, now, state: State::Begin, mic: false }
    }

    fn authenticate(
        &mut self,
        negotiate: &[u8],
        octets: &[u8],
    ) -> Result<(Session, Vec<u8>), SecurityError> {
        let challenge = Challenge::decode(octets)?;
        require(challenge.flags)?;
        let mut info = AvPairs::decode(&challenge.target_info)?;
        self.mic = info.time().is_some();
        let time = info.time().unwrap_or(self.now.0.to_le_bytes());
        if self.mic {
            let flags = info.flags() | av_pairs::HAS_MIC;
            info.set(av_pairs::FLAGS, flags.to_le_bytes().to_vec());
            info.set(av_pairs::CHANNEL, vec![0; 16]);
            info.set(av_pairs::TARGET, keys::utf16(&self.credentials.target));
        }
        let Credentials { domain, user, hash, workstation, .. } = &self.credentials;
        let user_key = keys::user_key(&hash.0, user, domain);
        let blob = blob(time, &self.client_challenge, &info);
        let proof = keys::proof(&user_key, &challenge.challenge, &blob);
        let base_key = keys::session_base_key(&user_key, &proof);
        let exchanged = challenge.flags & flag::KEY_EXCHANGE != 0;
        let session_key = if exchanged { self.session_key } else { base_key };
        let mut message = Authenticate {
            flags: challenge.flags & WANTED,
            lm_response: self.lm_response(&user_key, &challenge.challenge),
            nt_response: [&proof[..], &blob].concat(),
            domain: keys::utf16(domain),
            user: keys::utf16(user),
            workstation: keys::utf16(workstation),
            session_key: Vec::new(),
            mic: None,
        };
        if exchanged {
            let mut encrypted = session_key;
            Stream::new(&base_key).apply(&mut encrypted);
            message.session_key = encrypted.to_vec();
        }
        let mut token = message.encode();
        if self.mic {
            let mic = keys::hmac_md5(&session_key, &[negotiate, octets, &token]);
            token[MIC_OFFSET..MIC_OFFSET + mic.len()].copy_from_slice(&mic);
        }
        Ok((Session::new(&session_key, Direction::ToServer, exchanged), token))
    }

    /// Zeros where there is a MIC, and else LM version 2 (MS-NLMP 3.3.2).
    fn lm_response(&self, user_key: &Key, server_challenge: &[u8; 8]) -> Vec<u8> {
        if self.mic {
            return vec![0; 24];
        }
        let parts: [&[u8]; 2] = [server_challenge, &self.client_challenge];
        [&keys::hmac_md5(user_key, &parts)[..], &self.client_challenge].concat()
    }

    fn session(&mut self) -> Result<&mut Session, SecurityError> {
        match &mut self.state {
            State::Established(session) => Ok(session),
            _ => Err(SecurityError::NotEstablished),
        }
    }
}

/// What the client proves (MS-NLMP 2.2.2.7, `NTLMv2_CLIENT_CHALLENGE`).
fn blob(time: [u8; 8], client_challenge: &[u8; 8], info: &AvPairs) -> Vec<u8> {
    let head = [1, 1, 0, 0, 0, 0, 0, 0];
    [&head[..], &time, client_challenge, &[0; 4], &info.encode(), &[0; 4]].concat()
}

/// Refuses a peer that leaves out what protects.
pub(super) fn require(flags: u32) -> Result<(), SecurityError> {
    for (bit, name) in [
        (flag::EXTENDED, "extended session security"),
        (flag::BITS_128, "keys of 128 bits"),
        (flag::UNICODE, "Unicode"),
    ] {
        if flags & bit == 0 {
            return Err(SecurityError::Missing(name));
        }
    }
    Ok(())
}

impl SecurityContext for Initiator {
    fn service(&self) -> u8 {
        service::NTLM
    }

    fn mechanism(&self) -> &'static [u8] {
        super::MECHANISM
    }

    fn step(&mut self, token: &[u8]) -> Result<Progress, SecurityError> {
        match core::mem::replace(&mut self.state, State::Failed) {
            State::Begin if token.is_empty() => {
                let first = Negotiate { flags: WANTED }.encode();
                self.state = State::Sent(first.clone());
                Ok(Progress { token: Some(first), established: false })
            }
            State::Sent(negotiate) => {
                let (session, last) = self.authenticate(&negotiate, token)?;
                self.state = State::Established(Box::new(session));
                Ok(Progress { token: Some(last), established: true })
            }
            State::Begin | State::Established(_) | State::Failed => Err(SecurityError::Unexpected),
        }
    }

    fn principal(&self) -> Option<&Principal> {
        None
    }

    fn signature_length(&self) -> usize {
        SIGNATURE_LENGTH
    }

    fn protect(&mut self, message: Message<'_>) -> Result<Vec<u8>, SecurityError> {
        self.session()?.protect(message)
    }

    fn unprotect(&mut self, message: Message<'_>, signature: &[u8]) -> Result<(), SecurityError> {
        self.session()?.unprotect(message, signature)
    }

    fn sign_mechanisms(&mut self, list: &[u8]) -> Result<Vec<u8>, SecurityError> {
        Ok(self.session()?.sign_mechanisms(list))
    }

    fn verify_mechanisms(&mut self, list: &[u8], mic: &[u8]) -> Result<(), SecurityError> {
        self.session()?.verify_mechanisms(list, mic)
    }

    fn wants_mechanisms_signed(&self) -> bool {
        self.mic
    }
}

/// Keys are not shown.
impl fmt::Debug for Initiator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Initiator").field("state", &self.state).finish_non_exhaustive()
    }
}
