//! The server: what it asks of clients, and whom it lets in.

mod builder;
mod contexts;
mod establish;
mod interceptor;
mod references;

pub use builder::ServerSecurityBuilder;
pub use contexts::ContextLimits;

use crate::caller::Caller;
use armilla::interceptor::{OrbInitInfo, OrbInitializer, PiCurrent, SlotId};
use armilla::{ExceptionKind, SystemException};
use interceptor::{Guard, References, Requests};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The security of a server: an initializer for its ORB, and what servants ask who calls. Clones are
/// the same; one serves one ORB.
///
/// [`builder`](Self::builder) makes one.
#[derive(Clone)]
pub struct ServerSecurity(Arc<Shared>);

struct Shared {
    guard: Arc<Guard>,
    /// Set when the ORB is made: where the numbers of callers are.
    slot: OnceLock<(PiCurrent, SlotId)>,
}

impl ServerSecurity {
    /// Begins to describe the security of a server.
    pub fn builder() -> ServerSecurityBuilder {
        ServerSecurityBuilder::default()
    }

    /// Reads the files of passwords and of rules again now, as a program does on SIGHUP: whatever
    /// its clock says of their times. Without it a change takes effect within a second. The files of
    /// TLS have `Tls::reload`.
    ///
    /// # Errors
    /// What is wrong with which file, one text each. What was read of it before stays in use; the
    /// other file is read all the same.
    pub fn reload(&self) -> Result<(), Vec<String>> {
        let evidence = &self.0.guard.evidence;
        let passwords = evidence.passwords.as_ref().map(|passwords| passwords.reload());
        let rules = evidence.access.as_ref().map(|file| file.reload().map_err(|it| it.to_string()));
        let wrong: Vec<_> =
            [passwords, rules].into_iter().flatten().filter_map(Result::err).collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    /// Who calls: the client of the request that the calling thread serves, which is what the received
    /// credentials and attributes of `SecurityLevel2::Current` told. A call that a servant makes
    /// directly, within the process, has the caller of that servant.
    ///
    /// `None` outside of a request, and for a call from this process. A servant that replies later
    /// asks before it takes its [`ResponseHandler`](armilla::ResponseHandler): with that the request
    /// leaves the thread.
    #[doc(alias = "SecurityLevel2")]
    #[doc(alias = "received_credentials")]
    #[doc(alias = "get_attributes")]
    pub fn caller(&self) -> Option<Arc<Caller>> {
        let (current, slot) = self.0.slot.get()?;
        let number = current.slot(*slot).ok()?.get::<u64>().ok().flatten()?;
        self.0.guard.callers.find(number)
    }
}

impl OrbInitializer for ServerSecurity {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        let slot = info.allocate_slot();
        let first = self.0.guard.slot.set(slot).is_ok();
        if !first || self.0.slot.set((info.orb().pi_current(), slot)).is_err() {
            let what = "the security of a server serves one ORB; make another one";
            return Err(ExceptionKind::BadInvOrder.because(what));
        }
        let factory = |value: &armilla::Any| crate::Authentication::from_value(value);
        info.register_policy_factory(crate::policy::AUTHENTICATION, factory)?;
        if let Some(limits) = &self.0.guard.limits {
            info.add_admission(limits.clone());
        }
        info.add_server_interceptor(Requests(self.0.guard.clone()))?;
        info.add_ior_interceptor(References(self.0.guard.clone()))
    }
}

impl fmt::Debug for ServerSecurity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerSecurity")
            .field("realm", &self.0.guard.evidence.realm)
            .field("authentication", &self.0.guard.authentication)
            .finish_non_exhaustive()
    }
}
