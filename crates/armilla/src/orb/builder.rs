//! How an ORB is set up.

use super::Initial;
use super::ids::{self, Claim, Reservation};
use crate::client::{Client, LocalObjects};
use crate::dynamic::Context;
use crate::exception::{Minor, SystemException};
use crate::interceptor::Registration;
use crate::object::StubFactories;
use crate::policies::{ConnectionPolicy, PolicyFactory, PolicyType};
use crate::runtime::Orb;
use crate::server::poa::{ManagerState, ObjectAdapters};
use crate::server::{HostedObjects, Listeners, Published};
use crate::settings::Settings;
use crate::transport::{Endpoint, Transport, Transports, parse_published};
use crate::value::Values;
use armilla_giop::Version;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
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
    pub(super) transports: Transports,
    pub(super) listen: Vec<Endpoint>,
    pub(super) initial: BTreeMap<String, String>,
    pub(super) default_initial: Option<String>,
    pub(crate) registration: Registration,
}

impl OrbBuilder {
    /// Listens at `endpoint`: `iiop://HOST:PORT`, where an empty host means every interface, by
    /// IPv6 and IPv4, and port 0 any that is free; `2809-2819` is the first that is free of these.
    /// An IPv6 address stands in brackets. May be called again for more endpoints. Without one that
    /// references can carry as a profile, an ORB that activates an object listens on every
    /// interface at a free port.
    ///
    /// References carry the host as it stands there, and where it is empty the primary address of
    /// this host. `iiop://:2809?publish=HOST:PORT` makes them carry another, as
    /// [`publish_host`](Self::publish_host) does for all endpoints.
    ///
    /// `uiop:///PATH` (a Unix-domain socket) and `shmiop:///PATH` (shared memory) stand beside
    /// those: clients on the same host that are Armilla's too prefer them, in the order in which
    /// they were asked for, and fall back to TCP. [`transport`](Self::transport) adds more schemes.
    ///
    /// # Errors
    /// `BAD_PARAM` when the endpoint is malformed.
    pub fn listen(mut self, endpoint: &str) -> Result<Self, SystemException> {
        self.listen.push(self.transports.endpoint(endpoint)?);
        Ok(self)
    }

    /// Adds a transport, which endpoints can name from now on. It takes precedence over those with
    /// the same scheme or the same kind of profile.
    pub fn transport(mut self, transport: impl Transport + 'static) -> Self {
        self.transports.add(Arc::new(transport));
        self
    }

    /// The host name or address that references carry instead of the one that the ORB listens at:
    /// what clients outside a container or behind an address translation must use. Where the port
    /// differs too, [`publish_address`](Self::publish_address).
    pub fn publish_host(mut self, host: impl Into<String>) -> Self {
        self.settings.publish_host = Some(host.into());
        self
    }

    /// The address `HOST:PORT` that references carry instead of those that the ORB listens at; may
    /// be called again for more. For a single endpoint, `iiop://:2809?publish=HOST:PORT` says it.
    ///
    /// # Errors
    /// `BAD_PARAM` when it is malformed, or lacks the port.
    pub fn publish_address(mut self, address: &str) -> Result<Self, SystemException> {
        let bad = |what| SystemException::bad_param(Minor::BAD_ARGUMENT, what);
        let (host, port) = parse_published(address).map_err(bad)?;
        let port = port.ok_or_else(|| bad(format!("{address:?}: the port is missing")))?;
        self.settings.publish_addresses.push((host, port));
        Ok(self)
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

    /// Lets [`Orb::create_policy`] make policies of this type, which the program defines. A type
    /// that has a factory already, or is the ORB's own, lets [`build`](Self::build) fail with
    /// `BAD_INV_ORDER` (reason 16).
    pub fn policy_factory(mut self, policy_type: PolicyType, factory: impl PolicyFactory) -> Self {
        self.registration.policy_factories.push((policy_type, Arc::new(factory)));
        self
    }

    /// Makes the ORB. Endpoints that were asked for are open when it returns.
    ///
    /// # Errors
    /// `INITIALIZE` when an endpoint cannot be opened, or this process has an ORB with the same
    /// [id](Settings::orb_id), which [`Orb::with_id`] gives; `BAD_PARAM` when a setting cannot be met, or
    /// the URL of an initial reference is malformed.
    pub fn build(self) -> Result<Orb, SystemException> {
        match ids::claim(&self.settings.orb_id)? {
            Claim::Taken(_) => Err(ids::taken(&self.settings.orb_id)),
            Claim::Free(reservation) => self.build_as(reservation),
        }
    }

    /// The ORB with the same id, or else a new one.
    pub(super) fn find_or_build(self) -> Result<Orb, SystemException> {
        match ids::claim(&self.settings.orb_id)? {
            Claim::Taken(orb) => Ok(orb),
            Claim::Free(reservation) => self.build_as(reservation),
        }
    }

    fn build_as(self, reservation: Reservation) -> Result<Orb, SystemException> {
        let orb = self.make()?;
        reservation.take(&orb);
        Ok(orb)
    }

    fn make(mut self) -> Result<Orb, SystemException> {
        self.settings.check()?;
        let initial = Initial {
            registered: Mutex::default(),
            given: self.initial,
            default: self.default_initial,
        };
        initial.check()?;
        if self.settings.offer_bidirectional {
            self.settings.connection_policy = ConnectionPolicy::Multiplexed;
        }
        let settings = Arc::new(self.settings);
        let state =
            if settings.hold_requests { ManagerState::Holding } else { ManagerState::Active };
        let listens = !self.listen.is_empty();
        let orb = Orb::with_core(settings.clone(), new_incarnation(), self.transports);
        orb.install(Client::new(settings));
        orb.install::<Box<dyn LocalObjects>>(Box::new(HostedObjects));
        orb.install(ObjectAdapters::new(&orb, state));
        orb.install(Listeners::new(self.listen));
        orb.install(Published::default());
        orb.install(Values::default());
        orb.install(StubFactories::default());
        orb.install(Context::new());
        orb.install(initial);
        let installed = self.registration.install(&orb);
        orb.life().begin();
        let opened = || if listens { orb.server().map(drop) } else { Ok(()) };
        // Interceptors that were registered hear that there will be no ORB.
        installed.and_then(|()| opened()).inspect_err(|_| orb.shutdown())?;
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
