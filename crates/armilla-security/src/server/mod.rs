//! The server: what it asks of clients, and whom it lets in.

mod builder;
mod contexts;
mod establish;
mod interceptor;
mod peers;
mod references;

pub use builder::ServerSecurityBuilder;
pub use contexts::ContextLimits;

use crate::caller::Caller;
use crate::limits::{Held, Limits, Resource, UsedUp};
use armilla::interceptor::{OrbInitInfo, OrbInitializer, PiCurrent, SlotId};
use armilla::{Completion, ExceptionKind, Minor, SystemException};
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
    /// Set when the ORB is made: where callers are.
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
        current.shared(*slot).ok()?
    }

    /// The limits of clients, if there are any.
    pub fn limits(&self) -> Option<&Limits> {
        self.0.guard.limits.as_ref()
    }

    /// Takes one of what the service keeps, for the caller of the request that the calling thread
    /// serves: [`Limits::hold`]. `None` without a limit, outside of a request, and for a call from
    /// this process.
    ///
    /// # Errors
    /// `NO_RESOURCES` ([`Minor::SHARE_USED_UP`]) if the share of its host or of its principal does not
    /// suffice: it helps to give back what it holds, and not to try again.
    pub fn hold(&self, resource: Resource) -> Result<Option<Held>, SystemException> {
        let Some((limits, caller)) = self.limits().zip(self.caller()) else { return Ok(None) };
        limits.hold(resource, &caller, 1).map_err(|why| used_up(ExceptionKind::NoResources, why))
    }

    /// Takes so many events from the shares of the caller of the request that the calling thread
    /// serves: [`Limits::pass`].
    ///
    /// # Errors
    /// `TRANSIENT` ([`Minor::SHARE_USED_UP`]), as for a call beyond a limit: later it may pass.
    pub fn pass(&self, events: u64) -> Result<(), SystemException> {
        let Some((limits, caller)) = self.limits().zip(self.caller()) else { return Ok(()) };
        limits.pass(&caller, events).map_err(|why| used_up(ExceptionKind::Transient, why))
    }
}

fn used_up(kind: ExceptionKind, why: UsedUp) -> SystemException {
    let refused = SystemException::new(kind, Minor::SHARE_USED_UP, Completion::No);
    // The servant that asks has done nothing yet, and passes this on.
    refused.with_reason(why.to_string()).with_completed(Completion::No)
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
