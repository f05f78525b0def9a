//! The server's side of NTLM.

use super::av_pairs::{self, AvPairs};
use super::credentials::{FileTime, NtHash};
use super::initiator::require;
use super::keys::{self, Direction, Key, Stream};
use super::messages::{Authenticate, Challenge, MIC_OFFSET, Negotiate, flag};
use super::session::{SIGNATURE_LENGTH, Session};
use super::version_1;
use crate::security::constant_time;
use crate::security::context::{Message, Principal, Progress, SecurityContext, service};
use crate::security::error::SecurityError;
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Who may come in: the hash of a user's password. A function of user and domain is one.
pub trait Accounts: Send {
    /// The hash of the password; `None` if there is no such user. Windows compares names without
    /// regard to case.
    fn hash(&self, user: &str, domain: &str) -> Option<NtHash>;
}

impl<F: Fn(&str, &str) -> Option<NtHash> + Send> Accounts for F {
    fn hash(&self, user: &str, domain: &str) -> Option<NtHash> {
        self(user, domain)
    }
}

/// What a server says of itself, and insists on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptorOptions {
    /// The name of the host, in capitals by custom.
    pub computer: String,
    /// The name of its domain; that of the host, where it is in none.
    pub domain: String,
    /// Whether a client without a name is let in. Off by default.
    pub allow_anonymous: bool,
    /// Whether a client may prove itself by NTLM version 1 with extended session security, which
    /// whoever records it breaks within hours. Off by default.
    pub allow_version_1: bool,
    /// Whether a client has to protect the handshake by a MIC. Off by default: nobody can remove a
    /// MIC that a client sends, and some clients send none.
    pub require_mic: bool,
}

impl AcceptorOptions {
    /// A host of this name in no domain, which refuses what can be refused.
    pub fn new(computer: &str) -> Self {
        let (computer, domain) = (computer.to_owned(), computer.to_owned());
        Self {
            computer,
            domain,
            allow_anonymous: false,
            allow_version_1: false,
            require_mic: false,
        }
    }
}

/// The server's side of NTLM version 2 on one connection.
pub struct Acceptor {
    options: AcceptorOptions,
    accounts: Box<dyn Accounts>,
    challenge: [u8; 8],
    now: FileTime,
    state: State,
    principal: Option<Principal>,
    /// Whether the client agreed to encryption.
    encrypts: bool,
    /// Whether the client's messages have a MIC.
    mic: bool,
}

#[derive(Debug)]
enum State {
    Begin,
    /// The octets of the first two messages.
    Challenged {
        negotiate: Vec<u8>,
        challenge: Vec<u8>,
    },
    Established(Box<Session>),
    Failed,
}

impl Acceptor {
    /// Begins. The challenge has to come from a source of randomness that nobody can predict, and
    /// is used once.
    pub fn new(
        options: AcceptorOptions,
        accounts: impl Accounts + 'static,
        challenge: [u8; 8],
        now: FileTime,
    ) -> Self {
        Self {
            options,
            accounts: Box::new(accounts),
            challenge,
            now,
            state: State::Begin,
            principal: None,
            encrypts: false,
            mic: false,
        }
    }

    /// What the server tells of itself.
    fn attributes(&self) -> AvPairs {
        let mut info = AvPairs::default();
        info.set(av_pairs::DOMAIN, keys::utf16(&self.options.domain));
        info.set(av_pairs::COMPUTER, keys::utf16(&self.options.computer));
        info.set(av_pairs::DNS_DOMAIN, keys::utf16(&self.options.domain));
        info.set(av_pairs::DNS_COMPUTER, keys::utf16(&self.options.computer));
        info.set(av_pairs::TIME, self.now.0.to_le_bytes().to_vec());
        info
    }

    fn challenge(&self, octets: &[u8]) -> Result<Vec<u8>, SecurityError> {
        let wanted = Negotiate::decode(octets)?.flags;
        require(wanted)?;
        let agreed = wanted
            & (flag::UNICODE
                | flag::SIGN
                | flag::SEAL
                | flag::ALWAYS_SIGN
                | flag::EXTENDED
                | flag::BITS_128
                | flag::KEY_EXCHANGE
                | flag::BITS_56);
        let own = flag::REQUEST_TARGET
            | flag::NTLM
            | flag::TARGET_SERVER
            | flag::TARGET_INFO
            | flag::VERSION;
        let challenge = Challenge {
            flags: agreed | own,
            target: keys::utf16(&self.options.computer),
            challenge: self.challenge,
            target_info: self.attributes().encode(),
        };
        Ok(challenge.encode())
    }

    fn verify(
        &mut self,
        negotiate: &[u8],
        challenge: &[u8],
        octets: &[u8],
    ) -> Result<Session, SecurityError> {
        let message = Authenticate::decode(octets)?;
        // A client without a name has no key, and so nothing that could be protected.
        let anonymous = message.nt_response.is_empty();
        if !anonymous {
            require(message.flags)?;
        }
        let principal = Principal { domain: message.domain()?, user: message.user()? };
        let base_key =
            if anonymous { self.anonymous(&message)? } else { self.proven(&principal, &message)? };
        let exchanged = message.flags & flag::KEY_EXCHANGE != 0;
        let session_key = if exchanged {
            let mut key: Key = message
                .session_key
                .try_into()
                .map_err(|_| SecurityError::Malformed("the session key has not 16 octets"))?;
            Stream::new(&base_key).apply(&mut key);
            key
        } else {
            base_key
        };
        if self.mic {
            let mic = message.mic.ok_or(SecurityError::WrongMic)?;
            let mut zeroed = octets.to_vec();
            zeroed[MIC_OFFSET..MIC_OFFSET + mic.len()].fill(0);
            let own = keys::hmac_md5(&session_key, &[negotiate, challenge, &zeroed]);
            if !constant_time::equal(&own, &mic) {
                return Err(SecurityError::WrongMic);
            }
        } else if self.options.require_mic {
            return Err(SecurityError::NoMic);
        }
        self.principal = Some(principal);
        self.encrypts = message.flags & flag::SEAL != 0;
        Ok(Session::new(&session_key, Direction::ToClient, exchanged))
    }

    fn anonymous(&self, message: &Authenticate) -> Result<Key, SecurityError> {
        if !message.user.is_empty() && message.flags & flag::ANONYMOUS == 0 {
            return Err(SecurityError::Denied);
        }
        if !self.options.allow_anonymous {
            return Err(SecurityError::Anonymous);
        }
        Ok([0; 16])
    }

    /// Checks the proof of the client; returns the session base key.
    fn proven(
        &mut self,
        principal: &Principal,
        message: &Authenticate,
    ) -> Result<Key, SecurityError> {
        let response = &*message.nt_response;
        if response.len() == version_1::LENGTH {
            return self.proven_by_version_1(principal, message);
        }
        let bad = SecurityError::Malformed("the response is none of NTLM version 2");
        let (proof, blob) = response.split_first_chunk::<16>().ok_or(bad)?;
        if !blob.starts_with(&[1, 1]) {
            return Err(bad);
        }
        let info = AvPairs::decode(blob.get(28..).ok_or(bad)?)?;
        // An unknown user takes as long as a wrong password.
        let Principal { user, domain } = principal;
        let hash = self.accounts.hash(user, domain);
        let key = keys::user_key(&hash.unwrap_or(NtHash([0; 16])).0, user, domain);
        let own = keys::proof(&key, &self.challenge, blob);
        if !constant_time::equal(&own, proof) || hash.is_none() {
            return Err(SecurityError::Denied);
        }
        // A client repeats what it was told. Without the time it would leave the MIC out.
        if !info.contains(&self.attributes()) {
            return Err(SecurityError::WrongMic);
        }
        self.mic = info.flags() & av_pairs::HAS_MIC != 0;
        Ok(keys::session_base_key(&key, proof))
    }

    fn proven_by_version_1(
        &self,
        Principal { user, domain }: &Principal,
        message: &Authenticate,
    ) -> Result<Key, SecurityError> {
        if !self.options.allow_version_1 {
            return Err(SecurityError::NtlmV1);
        }
        // With extended session security the client's challenge is in place of another answer.
        let bad = SecurityError::Malformed("the client's challenge is missing");
        let client = message.lm_response.first_chunk().ok_or(bad)?;
        let hash = self.accounts.hash(user, domain);
        let known = hash.unwrap_or(NtHash([0; 16]));
        let own = version_1::proof(&known, &self.challenge, client);
        if !constant_time::equal(&own, &message.nt_response) || hash.is_none() {
            return Err(SecurityError::Denied);
        }
        Ok(version_1::session_base_key(&known, &self.challenge, client))
    }

    fn session(&mut self) -> Result<&mut Session, SecurityError> {
        match &mut self.state {
            State::Established(session) => Ok(session),
            _ => Err(SecurityError::NotEstablished),
        }
    }
}

impl SecurityContext for Acceptor {
    fn service(&self) -> u8 {
        service::NTLM
    }

    fn mechanism(&self) -> &'static [u8] {
        super::MECHANISM
    }

    fn step(&mut self, token: &[u8]) -> Result<Progress, SecurityError> {
        match core::mem::replace(&mut self.state, State::Failed) {
            State::Begin => {
                let challenge = self.challenge(token)?;
                let answer = Some(challenge.clone());
                self.state = State::Challenged { negotiate: token.to_vec(), challenge };
                Ok(Progress { token: answer, established: false })
            }
            State::Challenged { negotiate, challenge } => {
                let session = self.verify(&negotiate, &challenge, token)?;
                self.state = State::Established(Box::new(session));
                Ok(Progress { token: None, established: true })
            }
            State::Established(_) | State::Failed => Err(SecurityError::Unexpected),
        }
    }

    fn principal(&self) -> Option<&Principal> {
        self.principal.as_ref()
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

    fn encrypts(&self) -> bool {
        self.encrypts
    }

    fn wants_mechanisms_signed(&self) -> bool {
        self.mic
    }
}

/// Keys are not shown.
impl fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acceptor").field("state", &self.state).finish_non_exhaustive()
    }
}
