//! The builder of an ORB: its settings, endpoints and initial references, and the order in which
//! the parts of the ORB are installed.
//!
//! The `-ORB…` options are in `options`, the registration of interceptors in `interceptors`.

use super::Initial;
use super::ids::{self, Lookup, Reservation};
use crate::client::{self, LocalObjects};
use crate::dynamic::Context;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::imr;
use crate::interceptor::Registration;
use crate::object::StubFactories;
use crate::policies::{ConnectionPolicy, PolicyFactory, PolicyType};
use crate::runtime::Orb;
use crate::server::poa::{ManagerState, ObjectAdapters};
use crate::server::{HostedObjects, Listeners, Published};
use crate::settings::{Settings, parse_address};
use crate::transport::{Endpoint, Transport, Transports};
use crate::value::Values;
use armilla_giop::Version;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Configures and creates an [`Orb`].
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
#[must_use = "only `build` creates the ORB"]
pub struct OrbBuilder {
    pub(super) settings: Settings,
    pub(super) transports: Transports,
    pub(super) listen: Vec<Endpoint>,
    pub(super) initial: BTreeMap<String, String>,
    pub(super) default_initial: Option<String>,
    pub(crate) registration: Registration,
}

impl OrbBuilder {
    /// Listens at `endpoint`; call it once per endpoint. The form is `iiop://HOST:PORT`:
    ///
    /// * An empty host means every interface, IPv6 and IPv4. An IPv6 address is in brackets.
    /// * Port 0 means any free port. `2809-2819` means the first free port of the range.
    ///
    /// If no endpoint yields a profile for references, an ORB that activates an object listens at a
    /// free port of the addresses from which it has made connections to servers until then, so that
    /// these can call it back; if there is none, at the address from which the default route leaves.
    /// A later connection from another address is told in the log. If the ORB is to publish a name
    /// or another address, it listens on every interface, and says so.
    ///
    /// References carry the host of the endpoint, or the primary address of this host if that is
    /// empty. `iiop://:2809?publish=HOST:PORT` makes them carry another address, as
    /// [`publish_host`](Self::publish_host) does for all endpoints.
    ///
    /// `uiop:///PATH` (a Unix-domain socket) and `shmiop:///PATH` (shared memory) are additional
    /// endpoints for Armilla clients on the same host. These prefer them, in the order of the calls
    /// of `listen`, and fall back to TCP. [`transport`](Self::transport) adds further schemes.
    ///
    /// ```
    /// use armilla::Orb;
    ///
    /// # let path = std::env::temp_dir().join(format!("armilla-doc-{}", std::process::id()));
    /// # let path = path.display();
    /// // TCP for all hosts, and shared memory for processes on this host.
    /// let orb = Orb::builder()
    ///     .listen("iiop://127.0.0.1:0")?
    ///     .listen(&format!("shmiop://{path}"))?
    ///     .build()?;
    /// let account = orb.root_poa().create_object("IDL:Bank/Account:1.0")?;
    /// println!("{}", orb.object_to_string(&account)?);
    /// # orb.shutdown();
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// `BAD_PARAM` when the endpoint is malformed.
    pub fn listen(mut self, endpoint: &str) -> Result<Self, SystemException> {
        self.listen.push(self.transports.endpoint(endpoint)?);
        Ok(self)
    }

    /// Adds a transport, whose scheme later calls of [`listen`](Self::listen) can name. It takes
    /// precedence over transports with the same scheme or the same profile tag.
    pub fn transport(mut self, transport: impl Transport + 'static) -> Self {
        self.transports.add(Arc::new(transport));
        self
    }

    /// Sets the host name or address that references carry instead of the one at which the ORB
    /// listens. Clients outside a container or behind an address translation need it. If the port
    /// differs too, use [`publish_address`](Self::publish_address).
    pub fn publish_host(mut self, host: impl Into<String>) -> Self {
        self.settings.publish_host = Some(host.into());
        self
    }

    /// Adds an address `HOST:PORT` that references carry instead of those at which the ORB listens.
    /// For a single endpoint `iiop://:2809?publish=HOST:PORT` has the same effect.
    ///
    /// # Errors
    /// `BAD_PARAM` when the address is malformed or has no port.
    pub fn publish_address(mut self, address: &str) -> Result<Self, SystemException> {
        let published = parse_address(address)
            .map_err(|what| SystemException::bad_param(Minor::BAD_ARGUMENT, what))?;
        self.settings.publish_addresses.push(published);
        Ok(self)
    }

    /// Makes the object at `url` the initial reference `name`, as `-ORBInitRef` does.
    pub fn initial_reference(mut self, name: impl Into<String>, url: impl Into<String>) -> Self {
        self.initial.insert(name.into(), url.into());
        self
    }

    /// Sets the URL to which the ORB appends `/NAME` for all other initial references, as
    /// `-ORBDefaultInitRef` does.
    pub fn default_initial_reference(mut self, url: impl Into<String>) -> Self {
        self.default_initial = Some(url.into());
        self
    }

    /// Sets the [time limit of a call](Settings::call_timeout); `None` sets no limit.
    pub fn call_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.settings.call_timeout = timeout;
        self
    }

    /// Sets the [time limit for establishing a connection](Settings::connect_timeout).
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.settings.connect_timeout = timeout;
        self
    }

    /// Sets the highest GIOP version that the ORB speaks and puts into references.
    pub fn max_giop(mut self, version: Version) -> Self {
        self.settings.max_giop = version;
        self
    }

    /// Changes any [settings](Settings).
    pub fn settings(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// Registers a factory, which [`Orb::create_policy`] calls for policies of this type. If the
    /// type has a factory already or is one of the ORB's own, [`build`](Self::build) fails with
    /// `BAD_INV_ORDER` (minor code 16).
    pub fn policy_factory(mut self, policy_type: PolicyType, factory: impl PolicyFactory) -> Self {
        self.registration.policy_factories.push((policy_type, Arc::new(factory)));
        self
    }

    /// Creates the ORB. All endpoints of [`listen`](Self::listen) are open when it returns.
    ///
    /// # Errors
    /// `INITIALIZE` when an endpoint cannot be opened, or when this process has an ORB with the
    /// same [id](Settings::orb_id) (see [`Orb::with_id`]). `BAD_PARAM` when a setting is invalid or
    /// the URL of an initial reference is malformed.
    pub fn build(self) -> Result<Orb, SystemException> {
        match ids::reserve(&self.settings.orb_id)? {
            Lookup::Taken(_) => Err(ids::taken(&self.settings.orb_id)),
            Lookup::Free(reservation) => self.build_as(reservation),
        }
    }

    /// The ORB with the same id, or a new one if there is none.
    pub(super) fn find_or_build(self) -> Result<Orb, SystemException> {
        match ids::reserve(&self.settings.orb_id)? {
            Lookup::Taken(orb) => Ok(orb),
            Lookup::Free(reservation) => self.build_as(reservation),
        }
    }

    fn build_as(self, reservation: Reservation) -> Result<Orb, SystemException> {
        let orb = self.make()?;
        reservation.register(&orb);
        Ok(orb)
    }

    fn make(mut self) -> Result<Orb, SystemException> {
        self.settings.check()?;
        self.transports.prepare(&self.settings)?;
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
        let orb = Orb::with_core(settings.clone(), new_incarnation()?, self.transports);
        client::install(&orb, settings);
        orb.install::<Box<dyn LocalObjects>>(Box::new(HostedObjects));
        orb.install(ObjectAdapters::new(&orb, state));
        orb.install(Listeners::new(self.listen));
        orb.install(Published::default());
        orb.install(Values::default());
        orb.install(StubFactories::default());
        orb.install(Context::new());
        orb.install(initial);
        imr::Registration::install(&orb);
        let installed = self.registration.install(&orb);
        orb.life().begin();
        let opened = || if listens { orb.server().map(drop) } else { Ok(()) };
        // After an error, the shutdown calls `destroy` of the interceptors registered so far.
        installed.and_then(|()| opened()).inspect_err(|_| orb.shutdown())?;
        Ok(orb)
    }
}

/// A number that no other ORB has, and that nobody can guess: it is in the object keys of transient
/// objects, so that only who was given a reference can make requests to them.
///
/// # Errors
/// `INITIALIZE` when the operating system has no random numbers.
fn new_incarnation() -> Result<u64, SystemException> {
    let number = armilla_ipc::random::number().map_err(|error| {
        SystemException::new(ExceptionKind::Initialize, Minor::default(), Completion::No)
            .with_reason(format!("the system has no random number for the ORB: {error}"))
    })?;
    Ok(number.get())
}
