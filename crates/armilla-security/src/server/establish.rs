//! What a server makes of what a client shows: the target security service (CORBA 3.4 Part 2,
//! 10.4.5), as a function of octets.

use crate::access::AccessFile;
use crate::assertion::AssertionRule;
use crate::caller::{Caller, Proof};
use crate::mechanism::{Mechanism, is_of};
use crate::password::Guarded;
use crate::principal::Principal;
use armilla_giop::csi::{
    ContextErrorKind, EstablishContext, ExportedName, GssupError, GssupToken, IdentityToken,
    IdentityTypes, ScopedName, certificate_subject, certificates_of, distinguished_name,
};
use armilla_ipc::{Address, Credentials};

/// What a connection tells of its client.
pub(crate) struct Connected<'c> {
    pub(crate) address: &'c Address,
    pub(crate) credentials: Option<Credentials>,
    /// The subject of its certificate, if the connection has verified one.
    pub(crate) subject: Option<String>,
}

/// Why a context is refused. The client gets the kind and the token, the log gets the rest.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) kind: ContextErrorKind,
    pub(crate) token: Vec<u8>,
    pub(crate) why: String,
}

impl Refusal {
    fn new(kind: ContextErrorKind, why: impl Into<String>) -> Self {
        Self { kind, token: Vec::new(), why: why.into() }
    }

    fn evidence(why: impl Into<String>) -> Self {
        Self::new(ContextErrorKind::InvalidEvidence, why)
    }

    fn gssup(error: GssupError, why: impl Into<String>) -> Self {
        Self { token: error.to_octets(), ..Self::evidence(why) }
    }
}

/// What decides about what clients show.
pub(crate) struct Evidence {
    /// The domain of users whose names have none, and the name of the server in tokens.
    pub(crate) realm: String,
    pub(crate) passwords: Option<Guarded>,
    pub(crate) mechanisms: Vec<Box<dyn Mechanism>>,
    pub(crate) assertions: Vec<AssertionRule>,
    pub(crate) access: Option<AccessFile>,
}

impl Connected<'_> {
    /// The caller as far as the connection tells. An endpoint that nobody has asked for, for processes
    /// of the host, gives no rights that TCP does not give: who has to show a password over TCP has to
    /// show it there. The record has the user.
    pub(crate) fn caller(&self) -> Caller {
        let mut caller = Caller::connected(self.address.clone(), self.credentials);
        if let Some(subject) = &self.subject {
            caller.principal = Principal::DistinguishedName(subject.clone());
            caller.proof = Proof::Certificate;
        }
        caller
    }
}

impl Evidence {
    /// Whether clients may act for others.
    pub(crate) fn takes_assertions(&self) -> bool {
        !self.assertions.is_empty()
            || self.access.as_ref().is_some_and(|file| !file.rules().assertions().is_empty())
    }

    /// Whether one may act for the other.
    fn may_assert(&self, by: &Principal, on_behalf_of: &Principal) -> bool {
        let allow = |rules: &[AssertionRule]| rules.iter().any(|it| it.allows(by, on_behalf_of));
        allow(&self.assertions)
            || self.access.as_ref().is_some_and(|file| allow(file.rules().assertions()))
    }

    /// Who calls, by what the connection tells and the client shows. Beside the caller it returns the last
    /// token for the client.
    ///
    /// # Errors
    /// Why the context is refused.
    pub(crate) fn establish(
        &self,
        connected: &Caller,
        shown: &EstablishContext<'_>,
    ) -> Result<(Caller, Vec<u8>), Refusal> {
        let (mut caller, mut last) = (connected.clone(), Vec::new());
        if !shown.authentication.is_empty() {
            let (principal, proof, token) =
                self.authenticate(shown.authentication, &connected.address)?;
            (caller.principal, caller.proof, last) = (principal, proof, token);
        }
        let Some(asserted) = self.asserted(&shown.identity)? else { return Ok((caller, last)) };
        // To act for oneself is no assertion.
        if asserted == caller.principal {
            return Ok((caller, last));
        }
        if !self.may_assert(&caller.principal, &asserted) {
            let why = format!("{} may not act for {asserted}", caller.principal);
            return Err(Refusal::evidence(why));
        }
        let by = std::mem::replace(&mut caller.principal, asserted);
        caller.through = Some((by, std::mem::replace(&mut caller.proof, Proof::Assertion)));
        Ok((caller, last))
    }

    /// Who has made the token.
    fn authenticate(
        &self,
        token: &[u8],
        peer: &Address,
    ) -> Result<(Principal, Proof, Vec<u8>), Refusal> {
        if let Some(mechanism) = self.mechanisms.iter().find(|it| is_of(token, it.identifier())) {
            return match mechanism.accept(token, peer) {
                Ok((principal, last)) => Ok((principal, Proof::Mechanism, last)),
                Err(why) => Err(Refusal::evidence(why)),
            };
        }
        let passwords = match &self.passwords {
            Some(passwords) if GssupToken::is_one(token) => passwords,
            _ => {
                let why = "the token is of a mechanism that the server does not have";
                return Err(Refusal::new(ContextErrorKind::InvalidMechanism, why));
            }
        };
        let token = GssupToken::parse(token)
            .map_err(|error| Refusal::gssup(GssupError::Unspecified, error.to_string()))?;
        if let Some(target) = token.target_name()
            && !std::str::from_utf8(target)
                .is_ok_and(|target| ScopedName::is_same_domain(target, &self.realm))
        {
            let why = format!("the token is for {:?}", String::from_utf8_lossy(target));
            return Err(Refusal::gssup(GssupError::BadTarget, why));
        }
        let name = ScopedName::from_octets(token.user)
            .map_err(|error| Refusal::gssup(GssupError::Unspecified, error.to_string()))?;
        let Principal::User(name) = Principal::user(name, &self.realm) else {
            return Err(Refusal::evidence("the name is of no user"));
        };
        // Whether the user or the password is wrong is nobody's business.
        passwords.verify(&name, token.password, peer).map_err(|refused| {
            Refusal::gssup(GssupError::Unspecified, format!("{name}: {}", refused.text()))
        })?;
        Ok((Principal::User(name), Proof::Password, Vec::new()))
    }

    /// For whom the client acts, if it is not for itself.
    fn asserted(&self, identity: &IdentityToken<'_>) -> Result<Option<Principal>, Refusal> {
        if matches!(identity, IdentityToken::Absent) {
            return Ok(None);
        }
        if !self.takes_assertions() || !IdentityTypes::ALL.has(identity.kind()) {
            let why = "the server takes no identity token of this kind";
            return Err(Refusal::new(ContextErrorKind::InvalidMechanism, why));
        }
        let malformed = |error: &dyn std::fmt::Display| Refusal::evidence(error.to_string());
        Ok(Some(match identity {
            IdentityToken::PrincipalName(octets) => {
                // Some send the name without the frame of an exported name.
                let name = ExportedName::parse(octets).map_or(*octets, |exported| exported.name);
                let name = ScopedName::from_octets(name).map_err(|error| malformed(&error))?;
                if name.user.is_empty() {
                    return Err(Refusal::evidence("the name has a domain and no user"));
                }
                Principal::user(name, &self.realm)
            }
            IdentityToken::Certificates(chain) => {
                let certificates = certificates_of(chain).map_err(|error| malformed(&error))?;
                let first = certificates.first().ok_or_else(|| malformed(&"an empty chain"))?;
                let subject = certificate_subject(first).and_then(distinguished_name);
                Principal::DistinguishedName(subject.map_err(|error| malformed(&error))?)
            }
            IdentityToken::DistinguishedName(name) => Principal::DistinguishedName(
                distinguished_name(name).map_err(|error| malformed(&error))?,
            ),
            _ => Principal::Anonymous,
        }))
    }
}
