//! The handle of an ORB, and what everything that holds one needs of it: settings, policies,
//! transports, whether it still runs.
//!
//! The client, the object adapters, the interceptors and the rest stand above this module and are
//! not known here. Each keeps what it has for an ORB as a [`Part`], which [`crate::orb`] installs
//! when it makes the ORB.

mod life;
mod located;
mod main_thread;
mod parts;
mod policies;

pub(crate) use located::Located;
pub(crate) use parts::{Part, PartSlot};

use crate::policies::PolicyFactories;
use crate::settings::Settings;
use crate::transport::Transports;
use life::Life;
use main_thread::MainThread;
use parts::Parts;
use policies::OrbPolicies;
use std::fmt;
use std::sync::{Arc, Weak};

/// An object request broker. Clones are the same ORB; all may be used from any thread.
///
/// A process needs one, and may have several. A client resolves references and calls them:
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
/// A server activates servants in the [root POA](Self::root_poa), gives out their references and
/// [runs](Self::run). It begins to listen with the first activation; requests are served from then
/// on, by the threads that [`Settings::concurrency`] asks for.
#[derive(Clone)]
pub struct Orb(Arc<Core>);

struct Core {
    settings: Arc<Settings>,
    /// Unlike that of any other ORB, so that transient keys of an earlier process are told apart.
    incarnation: u64,
    transports: Transports,
    policy_factories: PolicyFactories,
    policies: OrbPolicies,
    main_thread: MainThread,
    life: Life,
    parts: Parts,
}

impl Orb {
    /// An ORB without parts, whose main thread is the calling one.
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

    /// Its limits and times.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
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

    /// What a module above keeps for this ORB, if it was installed.
    #[inline]
    pub(crate) fn find_part<P: Part>(&self) -> Option<&P> {
        self.0.parts.get()
    }

    /// What a module above keeps for every ORB.
    #[inline]
    pub(crate) fn part<P: Part>(&self) -> &P {
        self.0.parts.require()
    }

    /// Installs a part, once.
    pub(crate) fn install<P: Part>(&self, part: P) {
        self.0.parts.install(part);
    }

    /// The same ORB, without keeping it.
    pub(crate) fn downgrade(&self) -> WeakOrb {
        WeakOrb(Arc::downgrade(&self.0))
    }
}

/// An ORB that may be gone.
#[derive(Clone)]
pub(crate) struct WeakOrb(Weak<Core>);

impl WeakOrb {
    /// The ORB, if it is still there.
    pub(crate) fn upgrade(&self) -> Option<Orb> {
        self.0.upgrade().map(Orb)
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }

    /// Whether it is this one.
    pub(crate) fn is(&self, orb: &Orb) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&orb.0))
    }
}

impl fmt::Debug for Orb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orb").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}
