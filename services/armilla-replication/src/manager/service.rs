//! A manager in an ORB.

use super::domain::{Domain, GROUPS_OF_MANAGERS, GroupState, OBJECTS};
use super::identity::Contexts;
use super::notifier::{Notifier, Reports};
use super::rounds::Rounds;
use super::servant::Servant;
use crate::documents::Documents;
use crate::error::ReplicaError;
use crate::ft::{
    FaultNotifierRef, ReplicationManager, ReplicationManagerRef, fault_notifier,
    replication_manager,
};
use crate::model::{Failure, View};
use crate::notification::structured_push_consumer;
use crate::reference::{GroupName, group_reference};
use crate::registry::ViewRegistry;
use armilla::{ExceptionKind, Orb, Poa, SystemException};
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The object key of the manager in `corbaloc:` URLs.
pub const MANAGER_KEY: &str = "ReplicationManager";

/// The object key of the fault notifier.
pub const NOTIFIER_KEY: &str = "FaultNotifier";

/// The POA of the objects.
const ADAPTER: &str = "replication";

/// How a manager is set up.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ManagerOptions {
    /// The fault tolerance domain. Default: `default`.
    #[doc(alias = "FTDomainId")]
    pub domain: String,
    /// The name of this manager, which no other of the domain has. Default: the host and port of its
    /// first endpoint.
    pub name: Option<String>,
    /// The time between two of its rounds: another manager takes its place after two and a half.
    /// Default: 200 ms.
    pub interval: Duration,
}

impl Default for ManagerOptions {
    fn default() -> Self {
        Self { domain: "default".into(), name: None, interval: Duration::from_millis(200) }
    }
}

/// A replication manager with a fault notifier, in an ORB, until it is dropped. The groups that it has
/// made go on. Any thread may call it.
///
/// ```
/// use armilla::Orb;
/// use armilla_replication::MemoryRegistry;
/// use armilla_replication::ft::PropertyManager;
/// use armilla_replication::manager::{Manager, ManagerOptions};
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
/// let registry = Arc::new(MemoryRegistry::default());
/// let manager = Manager::serve(&orb, registry, ManagerOptions::default())?;
/// assert!(manager.wait_ready(Duration::from_secs(10)));
/// assert!(manager.object().get_default_properties()?.is_empty());
/// # drop(manager);
/// # orb.shutdown();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Manager {
    domain: Arc<Domain>,
    object: ReplicationManagerRef,
    notifier: FaultNotifierRef,
    url: String,
    poa: Poa,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Manager {
    /// Makes the objects of a manager. All managers of a domain have the same documents.
    ///
    /// # Errors
    /// The ORB cannot listen, or there is no thread.
    pub fn serve(
        orb: &Orb,
        documents: Arc<dyn Documents>,
        options: ManagerOptions,
    ) -> Result<Self, ReplicaError> {
        let name = match options.name {
            Some(name) => name,
            None => address(orb)?,
        };
        let domain = Arc::new(Domain::new(orb, documents, options.domain, name));
        let poa = orb.root_poa().create_poa(ADAPTER).persistent().user_ids();
        let poa = poa.extension(Arc::new(Contexts(domain.clone()))).build()?;
        let object =
            poa.activate_with_id(OBJECTS[0], replication_manager::tie(Servant(domain.clone())))?;
        let notifier =
            poa.activate_with_id(OBJECTS[1], fault_notifier::tie(Notifier(domain.clone())))?;
        let reports = structured_push_consumer::tie(Reports(domain.clone()));
        let reports = poa.activate_with_id("reports", reports)?;
        let url = orb.publish(MANAGER_KEY, &object)?;
        orb.publish(NOTIFIER_KEY, &notifier)?;
        let own = [orb.object_to_string(&object)?, orb.object_to_string(&notifier)?];
        let interval = options.interval.max(Duration::from_millis(20));
        let rounds = Rounds::start(domain.clone(), own, reports, interval);
        let thread = Mutex::new(Some(rounds.map_err(ReplicaError::Thread)?));
        Ok(Self { domain, object, notifier, url, poa, thread })
    }

    /// The object of this manager, and of no other.
    pub const fn object(&self) -> &ReplicationManagerRef {
        &self.object
    }

    /// The fault notifier of this manager.
    pub const fn notifier(&self) -> &FaultNotifierRef {
        &self.notifier
    }

    /// The URL of this manager, `corbaloc::HOST:PORT/ReplicationManager`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The fault tolerance domain.
    pub fn domain(&self) -> &str {
        &self.domain.name
    }

    /// The managers of the domain, as this one knows them. The first looks after members.
    pub fn managers(&self) -> View {
        self.domain.known().views[0].clone()
    }

    /// Whether this manager is the one that looks after members.
    pub fn leads(&self) -> bool {
        self.domain.leads()
    }

    /// Waits until this manager is one of the managers of its domain, at most so long. Whether it is.
    pub fn wait_ready(&self, limit: Duration) -> bool {
        let begun = Instant::now();
        while self.managers().member(&self.domain.me).is_none() {
            if begun.elapsed() >= limit {
                return false;
            }
            thread::sleep(Duration::from_millis(10));
        }
        true
    }

    /// The reference to all managers, as text (`IOR:…`): an object group.
    ///
    /// # Errors
    /// `TRANSIENT` while it does not know them.
    pub fn reference(&self) -> Result<String, SystemException> {
        let name = GroupName::new(self.domain(), GROUPS_OF_MANAGERS[0]);
        let view = self.managers();
        if view.members.is_empty() {
            return Err(ExceptionKind::Transient.because("the managers are not known yet"));
        }
        let text = group_reference(&name, &view)?.to_text();
        text.map_err(|error| ExceptionKind::InvObjref.because(error.to_string()))
    }

    /// All groups of the domain.
    ///
    /// # Errors
    /// The documents cannot be read.
    pub fn groups(&self) -> Result<Vec<GroupState>, Failure> {
        self.domain.groups()
    }

    /// How many members have failed to answer, as this manager has found.
    pub fn faults(&self) -> u64 {
        self.domain.counts[0].load(Ordering::Relaxed)
    }

    /// Ends without a word to the other managers.
    #[doc(hidden)]
    pub fn abandon(&self) {
        self.domain.ends.store(true, Ordering::Relaxed);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        thread.map(JoinHandle::join);
    }
}

/// Where the references of an ORB lead: `HOST:PORT`.
fn address(orb: &Orb) -> Result<String, ReplicaError> {
    let reference = orb.root_poa().create_reference::<dyn ReplicationManager>()?;
    let ior = reference.object().ior();
    let profile = ior.iiop_profiles().find_map(Result::ok).ok_or_else(|| {
        ExceptionKind::Initialize.because("a manager of groups needs an endpoint of IIOP")
    })?;
    Ok(format!("{}:{}", profile.host, profile.port))
}

impl Drop for Manager {
    fn drop(&mut self) {
        let was_alive = !self.domain.ends.load(Ordering::Relaxed);
        self.abandon();
        let groups = GROUPS_OF_MANAGERS.iter().filter(|_| was_alive);
        for number in groups {
            // The others find out, too; but later.
            let name = GroupName::new(self.domain(), *number);
            let documents = &*self.domain.documents;
            if let Ok(Some(view)) = documents.read(&name)
                && view.member(&self.domain.me).is_some()
            {
                documents.replace(&name, view.version, &view.without(&self.domain.me)).ok();
            }
        }
        drop(self.poa.destroy(true, false));
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager")
            .field("domain", &self.domain.name)
            .field("name", &self.domain.me)
            .finish_non_exhaustive()
    }
}
