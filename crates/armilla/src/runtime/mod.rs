//! The handle of an ORB, and the state that all modules share: settings, policies, transports, the
//! life cycle and the main thread.
//!
//! This module does not know the client, the object adapters, the interceptors and the other
//! modules above it. Each keeps its state for an ORB as a [`Part`], which [`crate::orb`] installs
//! when it creates the ORB.

mod callbacks;
mod life;
mod located;
mod main_thread;
mod parts;
mod policies;

pub(crate) use located::Located;
pub(crate) use parts::{Part, PartSlot};

use crate::policies::PolicyFactories;
use crate::settings::Settings;
use crate::transport::{Transport, Transports};
use life::Life;
use main_thread::MainThread;
use parts::Parts;
use policies::OrbPolicies;
use std::fmt;
use std::sync::{Arc, Weak};

/// An object request broker: the handle of an ORB. Clones are cheap and denote the same ORB; any
/// thread may use them.
///
/// A process usually has one ORB and may have several. A client resolves references and calls the
/// objects:
///
/// ```no_run
/// use armilla::Orb;
///
/// let orb = Orb::from_args(std::env::args())?;
/// let object = orb.string_to_object("corbaloc::localhost:2809/Account")?;
/// println!("alive: {}", !object.non_existent()?);
/// # Ok::<(), armilla::SystemException>(())
/// ```
///
/// A server activates servants in the [root POA](Self::root_poa), publishes their references and
/// calls [`run`](Self::run). The ORB begins to listen, and to serve requests, with the first
/// activation, or at its creation if it was given an endpoint. Until `run`, requests for what is not
/// there yet wait ([`Settings::startup_hold`]). [`Settings::concurrency`] selects the threads that serve them.
#[derive(Clone)]
#[doc(alias = "ORB")]
pub struct Orb(Arc<Core>);

struct Core {
    settings: Arc<Settings>,
    /// A number that no other ORB has. It distinguishes transient keys of this ORB from those of an
    /// earlier process at the same address.
    incarnation: u64,
    transports: Transports,
    policy_factories: PolicyFactories,
    policies: OrbPolicies,
    main_thread: MainThread,
    life: Life,
    parts: Parts,
}

impl Orb {
    /// An ORB without parts. The calling thread is its main thread.
    pub(crate) fn with_core(
        settings: Arc<Settings>,
        incarnation: u64,
        transports: Transports,
    ) -> Self {
        Self(Arc::new(Core {
            settings,
            incarnation,
            transports,
            policy_factories: PolicyFactories::default(),
            policies: OrbPolicies::default(),
            main_thread: MainThread::new(),
            life: Life::default(),
            parts: Parts::default(),
        }))
    }

    /// The settings of this ORB, which do not change after its creation.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// The transport of this ORB that encrypts, such as TLS, if the program has added one: for what
    /// goes beside calls by the same rules.
    pub fn protected_transport(&self) -> Option<Arc<dyn Transport>> {
        self.0.transports.protected()
    }

    pub(crate) fn incarnation(&self) -> u64 {
        self.0.incarnation
    }

    pub(crate) fn transports(&self) -> &Transports {
        &self.0.transports
    }

    pub(crate) fn policy_factories(&self) -> &PolicyFactories {
        &self.0.policy_factories
    }

    pub(crate) fn policy_overrides(&self) -> &OrbPolicies {
        &self.0.policies
    }

    pub(crate) fn main_thread(&self) -> &MainThread {
        &self.0.main_thread
    }

    /// The part of this type, if it was installed.
    #[inline]
    pub(crate) fn find_part<P: Part>(&self) -> Option<&P> {
        self.0.parts.get()
    }

    /// The part of this type, which every ORB has.
    #[inline]
    pub(crate) fn part<P: Part>(&self) -> &P {
        self.0.parts.require()
    }

    /// Installs a part, once.
    pub(crate) fn install<P: Part>(&self, part: P) {
        self.0.parts.install(part);
    }

    /// A weak handle, which does not keep the ORB alive.
    pub(crate) fn downgrade(&self) -> WeakOrb {
        WeakOrb(Arc::downgrade(&self.0))
    }
}

/// A weak handle of an ORB.
#[derive(Clone)]
pub(crate) struct WeakOrb(Weak<Core>);

impl WeakOrb {
    /// The ORB, if it still exists.
    pub(crate) fn upgrade(&self) -> Option<Orb> {
        self.0.upgrade().map(Orb)
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }

    /// Whether this is a handle of `orb`.
    pub(crate) fn is(&self, orb: &Orb) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&orb.0))
    }
}

impl fmt::Debug for Orb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orb").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}
