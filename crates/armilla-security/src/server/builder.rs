//! Describes the security of a server.

use super::contexts::{ContextLimits, ContextTable};
use super::establish::Evidence;
use super::interceptor::Guard;
use super::peers::Peers;
use super::{ServerSecurity, Shared};
use crate::access::{AccessFile, RoleTable, Roles};
use crate::assertion::AssertionRule;
use crate::audit::Audit;
use crate::hash::HashKey;
use crate::limits::Limits;
use crate::mechanism::Mechanism;
use crate::password::{Guarded, GuessLimits, PasswordVerifier};
use crate::policy::Authentication;
use crate::who::Who;
use armilla_giop::ior::TaggedComponent;
use std::fmt;
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What a server asks of its clients, and whom it believes. Without anything the server knows users
/// of its own host and their numbers, and takes no password.
///
/// ```
/// use armilla_security::{Authentication, PasswordVerifier, ServerSecurity};
///
/// let security = ServerSecurity::builder()
///     .realm("bank")
///     .passwords(|user: &armilla_security::ScopedName, password: &[u8]| {
///         user.to_string() == "ann@bank" && password == b"correct horse"
///     })
///     .authentication(Authentication::Required)
///     .may_assert("gateway@bank", "*@bank")
///     .build()?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ServerSecurityBuilder {
    realm: String,
    verifier: Option<Box<dyn PasswordVerifier>>,
    mechanisms: Vec<Box<dyn Mechanism>>,
    authentication: Authentication,
    assertions: Vec<(String, String)>,
    access: Option<AccessFile>,
    audit: Option<Audit>,
    stateful: bool,
    contexts: ContextLimits,
    guesses: GuessLimits,
    remembered: (usize, Duration),
    transport: Option<TaggedComponent>,
    limits: Option<Limits>,
    roles: RoleTable,
}

impl Default for ServerSecurityBuilder {
    fn default() -> Self {
        Self {
            realm: "default".to_owned(),
            verifier: None,
            mechanisms: Vec::new(),
            authentication: Authentication::default(),
            assertions: Vec::new(),
            access: None,
            audit: None,
            stateful: true,
            contexts: ContextLimits::default(),
            guesses: GuessLimits::default(),
            remembered: (1024, Duration::from_secs(300)),
            transport: None,
            limits: None,
            roles: RoleTable::default(),
        }
    }
}

impl ServerSecurityBuilder {
    /// The domain of users whose names have none, and the name by which clients say that a password
    /// is for this server. Default: `default`.
    #[must_use]
    pub fn realm(mut self, realm: &str) -> Self {
        realm.clone_into(&mut self.realm);
        self
    }

    /// Who verifies passwords: a [`PasswordFile`](crate::PasswordFile), or a function. Clients then
    /// may authenticate with GSSUP. Without TLS their passwords travel in clear.
    #[must_use]
    pub fn passwords(mut self, verifier: impl PasswordVerifier) -> Self {
        self.verifier = Some(Box::new(verifier));
        self
    }

    /// Adds another mechanism. References tell clients of passwords first, then of mechanisms in
    /// the order in which they were added.
    #[must_use]
    pub fn mechanism(mut self, mechanism: impl Mechanism) -> Self {
        self.mechanisms.push(Box::new(mechanism));
        self
    }

    /// Whether clients have to show who they are, where a POA has no
    /// [policy](crate::Authentication) of its own. Default: [`Authentication::Optional`].
    #[must_use]
    pub const fn authentication(mut self, authentication: Authentication) -> Self {
        self.authentication = authentication;
        self
    }

    /// Lets some act for others, named as in [rules](crate::AccessRules): `*@bank` and other patterns
    /// of users, `dn:CN=*,O=Bank`, `uid:1000`, `anonymous`, `*`. As `by`, a star does not stand for
    /// callers who have shown nothing. By default nobody may act for others.
    #[must_use]
    pub fn may_assert(mut self, by: &str, on_behalf_of: &str) -> Self {
        self.assertions.push((by.to_owned(), on_behalf_of.to_owned()));
        self
    }

    /// Whether the server keeps contexts, so that a client shows its password once for a
    /// connection. Default: it does.
    #[must_use]
    pub const fn stateful(mut self, stateful: bool) -> Self {
        self.stateful = stateful;
        self
    }

    /// How many contexts it keeps.
    #[must_use]
    pub const fn contexts(mut self, limits: ContextLimits) -> Self {
        self.contexts = limits;
        self
    }

    /// How often passwords may be guessed.
    #[must_use]
    pub const fn guesses(mut self, limits: GuessLimits) -> Self {
        self.guesses = limits;
        self
    }

    /// How many passwords that were verified are remembered, as keyed hashes, and for how long.
    /// Default: 1024 for five minutes. A change of the password file forgets all.
    #[must_use]
    pub const fn remember(mut self, passwords: usize, time: Duration) -> Self {
        self.remembered = (passwords, time);
        self
    }

    /// The transport that references name for secured calls, a component `TAG_TLS_SEC_TRANS`, where
    /// something else than the ORB takes TLS for it. Default: the ORB's own endpoints, those over TLS
    /// first.
    #[must_use]
    pub fn transport(mut self, component: TaggedComponent) -> Self {
        self.transport = Some(component);
        self
    }

    /// How much hosts and users may do, and who is not let in for a while.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// The rules about who may do what: an [`AccessFile`], or
    /// [`AccessRules`](crate::AccessRules) that do not change. What no rule allows is denied.
    /// Without rules everything is allowed to whom the server lets in.
    #[must_use]
    pub fn access(mut self, rules: impl Into<AccessFile>) -> Self {
        self.access = Some(rules.into());
        self
    }

    /// Adds the roles that IDL names for the operations of an interface: `idl::account::ROLES`. A call
    /// about which no [rule](Self::access) decides is allowed to members of one of them; who has which
    /// role stands in the `[roles]` of the rules.
    #[must_use]
    pub fn roles(mut self, roles: Roles) -> Self {
        self.roles.add(roles);
        self
    }

    /// Records who has done what.
    #[must_use]
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
        self
    }

    /// The security, to be given to
    /// [`OrbBuilder::initializer`](armilla::OrbBuilder::initializer).
    ///
    /// # Errors
    /// When the operating system has no random numbers, the realm is empty, a name of
    /// [`may_assert`](Self::may_assert) is wrong, or there are [roles](Self::roles) without rules.
    pub fn build(self) -> io::Result<ServerSecurity> {
        let Self { realm, verifier, mechanisms, access, .. } = self;
        let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
        if realm.is_empty() {
            // Else a user could have the name of somebody who is none.
            return Err(wrong("a realm needs a name".to_owned()));
        }
        if access.is_none() && !self.roles.is_empty() {
            let what = "the roles of operations need rules, whose `[roles]` say who has them";
            return Err(wrong(what.to_owned()));
        }
        let who = |text: &str| Who::parse(text).map_err(|what| wrong(format!("{text:?}: {what}")));
        let assertions = self.assertions.iter();
        let assertions = assertions.map(|(by, other)| Ok(AssertionRule::of(who(by)?, who(other)?)));
        let assertions = assertions.collect::<io::Result<Vec<_>>>()?;
        let passwords = verifier
            .map(|verifier| Guarded::new(verifier, self.guesses, self.remembered))
            .transpose()?;
        let evidence = Evidence { realm, passwords, mechanisms, assertions, access };
        let guard = Guard {
            evidence,
            authentication: self.authentication,
            contexts: self.stateful.then(|| ContextTable::new(self.contexts)),
            key: HashKey::new()?,
            transport: self.transport,
            limits: self.limits,
            roles: self.roles,
            audit: self.audit,
            has_policies: AtomicBool::new(false),
            peers: Peers::default(),
            slot: OnceLock::new(),
        };
        Ok(ServerSecurity(Arc::new(Shared { guard: Arc::new(guard), slot: OnceLock::new() })))
    }
}

impl fmt::Debug for ServerSecurityBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerSecurityBuilder")
            .field("realm", &self.realm)
            .field("authentication", &self.authentication)
            .finish_non_exhaustive()
    }
}
