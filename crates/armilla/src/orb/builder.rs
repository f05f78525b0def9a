//! How an ORB is set up.

use super::{Initial, Inner, Orb, run::Life};
use crate::client::Client;
use crate::exception::{Minor, SystemException};
use crate::poa::{Adapters, ObjectMap, PoaInner};
use crate::server::ListenAddress;
use crate::settings::Settings;
use armilla_giop::Version;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

/// An ORB about to be made.
///
/// ```no_run
/// use armilla::Orb;
/// use std::time::Duration;
///
/// let orb = Orb::builder()
///     .listen("iiop://0.0.0.0:2809")?
///     .publish_host("telescope.example.org")
///     .call_timeout(Some(Duration::from_secs(2)))
///     .build()?;
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[derive(Debug, Default)]
#[must_use = "the ORB is made by `build`"]
pub struct OrbBuilder {
    pub(super) settings: Settings,
    pub(super) listen: Vec<ListenAddress>,
    pub(super) publish_host: Option<String>,
    pub(super) initial: HashMap<String, String>,
    pub(super) default_initial: Option<String>,
}

impl OrbBuilder {
    /// Listens at `endpoint`: `iiop://HOST:PORT`, where an empty host means every interface and
    /// port 0 any that is free. May be called again for more endpoints. Without one over TCP, an
    /// ORB that activates an object listens on every interface at a free port.
    ///
    /// `uiop:///PATH` (a Unix-domain socket) and `shmiop:///PATH` (shared memory) stand beside
    /// those: clients on the same host that are Armilla's too prefer them, in the order in which
    /// they were asked for, and fall back to TCP.
    ///
    /// # Errors
    /// `BAD_PARAM` when the endpoint is malformed.
    pub fn listen(mut self, endpoint: &str) -> Result<Self, SystemException> {
        let address = endpoint
            .parse()
            .map_err(|what: String| SystemException::bad_param(Minor::BAD_ARGUMENT, what))?;
        self.listen.push(address);
        Ok(self)
    }

    /// The host name or address that references carry instead of the one that the ORB listens at:
    /// what clients outside a container or behind an address translation must use.
    pub fn publish_host(mut self, host: impl Into<String>) -> Self {
        self.publish_host = Some(host.into());
        self
    }

    /// Makes `resolve_initial_references(name)` give the object at `url`.
    pub fn initial_reference(mut self, name: impl Into<String>, url: impl Into<String>) -> Self {
        self.initial.insert(name.into(), url.into());
        self
    }

    /// Makes initial references that nothing else is known of come from `url` with `/NAME` added.
    pub fn default_initial_reference(mut self, url: impl Into<String>) -> Self {
        self.default_initial = Some(url.into());
        self
    }

    /// Sets how long a call may take; `None` waits for ever.
    pub fn call_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.settings.call_timeout = timeout;
        self
    }

    /// Sets how long it may take to make a connection.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.settings.connect_timeout = timeout;
        self
    }

    /// Sets the highest GIOP version that is spoken and put into references.
    pub fn max_giop(mut self, version: Version) -> Self {
        self.settings.max_giop = version;
        self
    }

    /// Changes any of the settings.
    pub fn settings(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// Makes the ORB. Endpoints that were asked for are open when it returns.
    ///
    /// # Errors
    /// `INITIALIZE` when an endpoint cannot be opened, `BAD_PARAM` when a setting cannot be met.
    pub fn build(self) -> Result<Orb, SystemException> {
        self.settings.check()?;
        let settings = Arc::new(self.settings);
        let root = Arc::new(PoaInner::new_root());
        let adapters = Adapters::default();
        adapters.insert(root.clone());
        let listens = !self.listen.is_empty();
        let orb = Orb(Arc::new(Inner {
            client: Client::new(settings.clone()),
            settings,
            incarnation: new_incarnation(),
            listen: self.listen,
            publish_host: self.publish_host,
            initial: Initial {
                references: Mutex::new(self.initial),
                default: self.default_initial,
            },
            objects: ObjectMap::new(),
            adapters,
            root,
            server: OnceLock::new(),
            opening: Mutex::default(),
            published: Default::default(),
            values: Default::default(),
            life: Life::default(),
        }));
        if listens {
            orb.server()?;
        }
        Ok(orb)
    }
}

/// A number that no ORB of this host had before: the time in nanoseconds, made to differ between
/// the ORBs of a process.
fn new_incarnation() -> u64 {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let nanos = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
    let process = u64::from(std::process::id()) << 40;
    (nanos ^ process).wrapping_add(MADE.fetch_add(1, Ordering::Relaxed)).max(1)
}
