//! The client: what it shows to which server.

mod choose;
mod credentials;
mod forms;
mod interceptor;
mod session;

pub use credentials::{ClientCredentials, Identity};

use crate::secret::Secret;
use armilla::interceptor::{OrbInitInfo, OrbInitializer, PiCurrent, SlotId};
use armilla::{Any, ExceptionKind, PolicyError, SystemException};
use armilla_giop::csi::ScopedName;
use credentials::CREDENTIALS;
use interceptor::{Acting, Calls, Shown};
use session::Sessions;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The security of a client: an initializer for its ORB. Requests to servers whose references ask
/// for it carry the credentials; others carry nothing. Clones are the same; one serves one ORB.
///
/// ```
/// use armilla::Orb;
/// use armilla_security::ClientSecurity;
///
/// let security = ClientSecurity::builder().user("ann@bank".parse()?, "correct horse").build();
/// let orb = Orb::builder().initializer(security).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ClientSecurity(Arc<Shared>);

struct Shared {
    shown: Arc<Shown>,
    /// Set when the ORB is made.
    slot: OnceLock<(PiCurrent, SlotId)>,
}

impl ClientSecurity {
    /// Begins to describe the security of a client.
    pub fn builder() -> ClientSecurityBuilder {
        ClientSecurityBuilder::default()
    }

    /// Lets the calls that the calling thread begins be made for somebody else, until the result is
    /// dropped. A call whose server takes no assertions then fails.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` before there is the ORB.
    pub fn acting_for(&self, identity: &Identity) -> Result<ActingFor, SystemException> {
        let Some((current, slot)) = self.0.slot.get() else {
            return Err(ExceptionKind::BadInvOrder.because("the ORB was not made yet"));
        };
        let before = current.shared::<Acting>(*slot)?.flatten();
        current.set_shared::<Acting>(*slot, Some(Arc::new(identity.clone())))?;
        Ok(ActingFor { current: current.clone(), slot: *slot, before, _thread: Default::default() })
    }
}

/// As long as this lives, its thread acts for somebody else.
pub struct ActingFor {
    current: PiCurrent,
    slot: SlotId,
    before: Acting,
    /// It stays in its thread.
    _thread: std::marker::PhantomData<*const ()>,
}

impl Drop for ActingFor {
    fn drop(&mut self) {
        // It was set before.
        self.current.set_shared(self.slot, self.before.take()).ok();
    }
}

impl fmt::Debug for ActingFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActingFor").finish_non_exhaustive()
    }
}

impl OrbInitializer for ClientSecurity {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        let slot = info.allocate_slot();
        let first = self.0.shown.slot.set(slot).is_ok();
        if !first || self.0.slot.set((info.orb().pi_current(), slot)).is_err() {
            let what = "the security of a client serves one ORB; make another one";
            return Err(ExceptionKind::BadInvOrder.because(what));
        }
        // Its values are Rust values, made by `ClientCredentials`.
        let factory = |_: &Any| Err(PolicyError::BadPolicyType);
        info.register_policy_factory(CREDENTIALS, factory)?;
        info.add_client_interceptor(Calls(self.0.shown.clone()))
    }
}

impl fmt::Debug for ClientSecurity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientSecurity")
            .field("credentials", &self.0.shown.credentials)
            .field("identity", &self.0.shown.identity)
            .finish_non_exhaustive()
    }
}

/// What a client shows.
#[derive(Debug, Default)]
pub struct ClientSecurityBuilder {
    credentials: Option<ClientCredentials>,
    identity: Option<Identity>,
    stateful: bool,
    in_clear: bool,
}

impl ClientSecurityBuilder {
    /// As whom the client authenticates.
    #[must_use]
    pub fn user(mut self, user: ScopedName, password: impl Into<Secret>) -> Self {
        self.credentials = Some(ClientCredentials::new(user, password));
        self
    }

    /// For whom the client acts, unless a thread [says otherwise](ClientSecurity::acting_for).
    #[must_use]
    pub fn asserting(mut self, identity: Identity) -> Self {
        self.identity = Some(identity);
        self
    }

    /// Whether the client has servers keep its context, so that later requests of the same
    /// connection carry a number instead of the password. A server that has forgotten it asks for it
    /// again, which costs a round trip once for each connection. Default: it does not.
    #[must_use]
    pub const fn stateful(mut self, stateful: bool) -> Self {
        self.stateful = stateful;
        self
    }

    /// Lets the password go over the network in clear: to other hosts without TLS. By default such a
    /// call fails before anything is sent.
    #[must_use]
    pub const fn allow_passwords_in_clear(mut self) -> Self {
        self.in_clear = true;
        self
    }

    /// The security, to be given to
    /// [`OrbBuilder::initializer`](armilla::OrbBuilder::initializer).
    pub fn build(self) -> ClientSecurity {
        let Self { credentials, identity, stateful, in_clear } = self;
        let (sessions, slot) = (Sessions::default(), OnceLock::new());
        let shown = Shown { credentials, identity, stateful, in_clear, sessions, slot };
        ClientSecurity(Arc::new(Shared { shown: Arc::new(shown), slot: OnceLock::new() }))
    }
}
