//! The ORB itself: what ties references, adapters, connections and settings together.

mod arguments;
mod builder;
mod find;
mod ids;
mod main_thread;
mod published;
mod resolve;
mod run;
mod values;

pub use builder::OrbBuilder;
pub(crate) use find::Located;
pub(crate) use main_thread::MainThread;

use crate::client::Client;
use crate::dynamic::Context;
use crate::exception::SystemException;
use crate::interceptor::Interceptors;
use crate::object::Object;
use crate::poa::{Activation, Adapters, Managers, PoaInner};
use crate::policies::{OrbPolicies, PolicyFactories};
use crate::remoting::StubFactories;
use crate::server::Server;
use crate::settings::Settings;
use crate::sync::lock;
use crate::transport::{Endpoint, Transports};
use arc_swap::ArcSwap;
use armilla_ipc::memory::Table;
use published::Published;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use values::Values;

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
pub struct Orb(Arc<Inner>);

struct Inner {
    settings: Arc<Settings>,
    /// Unlike that of any other ORB, so that transient keys of an earlier process are told apart.
    incarnation: u64,
    transports: Transports,
    listen: Vec<Endpoint>,
    initial: Initial,
    objects: Table<Activation>,
    adapters: Adapters,
    /// The root POA, or the last one, where that was destroyed.
    root: ArcSwap<PoaInner>,
    managers: Mutex<Managers>,
    main_thread: MainThread,
    client: Client,
    server: OnceLock<Result<Server, SystemException>>,
    opening: Mutex<()>,
    /// Whether references can be encoded.
    references: OnceLock<Result<(), SystemException>>,
    published: Published,
    values: Values,
    interceptors: OnceLock<Interceptors>,
    stub_factories: StubFactories,
    policy_factories: PolicyFactories,
    policies: OrbPolicies,
    context: Context,
    life: run::Life,
}

/// Where initial references come from.
#[derive(Debug, Default)]
struct Initial {
    /// By name, as object URLs, what the program has registered since the ORB is there.
    registered: Mutex<BTreeMap<String, String>>,
    /// Those that the ORB was made with.
    given: BTreeMap<String, String>,
    /// The URL to which `/NAME` is added for others.
    default: Option<String>,
}

impl Orb {
    /// An ORB with the default settings.
    ///
    /// # Errors
    /// None with the default settings; see [`OrbBuilder::build`].
    pub fn new() -> Result<Self, SystemException> {
        Self::builder().build()
    }

    /// Begins an ORB with other settings.
    pub fn builder() -> OrbBuilder {
        OrbBuilder::default()
    }

    /// An ORB that takes the `-ORB…` options among the arguments of the program; see
    /// [`OrbBuilder::arguments`] for what they are. Where they name one by `-ORBid` that this process
    /// has, it is that one, as it was set up: `ORB_init` (CORBA 3.4 Part 1, 8.5.1). Without an id it
    /// is another one each time.
    ///
    /// # Errors
    /// `BAD_PARAM` for an option that is malformed, `INITIALIZE` when an endpoint cannot be opened.
    pub fn from_args(arguments: impl IntoIterator<Item = String>) -> Result<Self, SystemException> {
        Self::builder().arguments(arguments)?.find_or_build()
    }

    /// [`from_args`](Self::from_args), after which `arguments` are what the ORB has left to the program.
    ///
    /// ```no_run
    /// use armilla::Orb;
    ///
    /// let mut arguments: Vec<String> = std::env::args().collect();
    /// let orb = Orb::init(&mut arguments)?;
    /// let file = arguments.get(1);
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// Those of `from_args`.
    pub fn init(arguments: &mut Vec<String>) -> Result<Self, SystemException> {
        Self::builder().take_arguments(arguments)?.find_or_build()
    }

    /// The ORB of this process with this [id](Settings::orb_id), from when it was made until it was
    /// shut down.
    pub fn with_id(id: &str) -> Option<Self> {
        ids::find(id)
    }

    /// Its limits and times.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// The addresses that references to objects of this ORB carry. The ORB listens from now on.
    ///
    /// # Errors
    /// `INITIALIZE` when an endpoint cannot be opened.
    pub fn published_addresses(&self) -> Result<&[(String, u16)], SystemException> {
        Ok(self.server()?.publications().addresses())
    }

    /// The context that holds for the whole program: `get_default_context`. It is empty at first.
    pub fn default_context(&self) -> &Context {
        &self.0.context
    }

    /// The server side, listening; an ORB that was shut down does not begin to.
    pub(crate) fn server(&self) -> Result<&Server, SystemException> {
        if let Some(server) = self.0.server.get() {
            return server.as_ref().map_err(Clone::clone);
        }
        // One thread opens, the others wait for it.
        let _opening = lock(&self.0.opening);
        self.check_running()?;
        let server = self.0.server.get_or_init(|| Server::open(self, &self.0.listen));
        server.as_ref().map_err(Clone::clone)
    }

    pub(crate) fn transports(&self) -> &Transports {
        &self.0.transports
    }

    pub(crate) fn stub_factories(&self) -> &StubFactories {
        &self.0.stub_factories
    }

    pub(crate) fn policy_factories(&self) -> &PolicyFactories {
        &self.0.policy_factories
    }

    pub(crate) fn policy_overrides(&self) -> &OrbPolicies {
        &self.0.policies
    }

    /// The interceptors, if there are any.
    #[inline]
    pub(crate) fn interceptors(&self) -> Option<&Interceptors> {
        self.0.interceptors.get()
    }

    /// From now on `interceptors` see every request. Only for an ORB that is being made.
    pub(crate) fn intercept(&self, interceptors: Interceptors) {
        // It is called once.
        self.0.interceptors.set(interceptors).ok();
    }

    pub(crate) fn client(&self) -> &Client {
        &self.0.client
    }

    pub(crate) fn objects(&self) -> &Table<Activation> {
        &self.0.objects
    }

    pub(crate) fn adapters(&self) -> &Adapters {
        &self.0.adapters
    }

    pub(crate) fn incarnation(&self) -> u64 {
        self.0.incarnation
    }

    pub(crate) fn root(&self) -> Arc<PoaInner> {
        self.0.root.load_full()
    }

    /// Makes another POA the root.
    pub(crate) fn set_root(&self, root: Arc<PoaInner>) {
        self.0.root.store(root);
    }

    pub(crate) fn managers(&self) -> &Mutex<Managers> {
        &self.0.managers
    }

    pub(crate) fn main_thread(&self) -> &MainThread {
        &self.0.main_thread
    }

    /// The same ORB, without keeping it.
    pub(crate) fn downgrade(&self) -> WeakOrb {
        WeakOrb(Arc::downgrade(&self.0))
    }
}

/// An ORB that may be gone.
#[derive(Clone)]
pub(crate) struct WeakOrb(Weak<Inner>);

impl WeakOrb {
    /// The ORB, if it is still there.
    pub(crate) fn upgrade(&self) -> Option<Orb> {
        self.0.upgrade().map(Orb)
    }

    fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }

    /// Whether it is this one.
    fn is(&self, orb: &Orb) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&orb.0))
    }
}

impl AsRef<Object> for Object {
    fn as_ref(&self) -> &Object {
        self
    }
}

impl fmt::Debug for Orb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orb").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}
