//! The trader as CORBA objects, without rules of its own: `model` has them.
//!
//! One servant type, [`Servant`], implements all interfaces; each is an object of its own. `query`
//! is the way of a query: `policies`, a search in the model, then, without any lock, `evaluation`
//! of dynamic properties, `proxies` and `federation`. `iterators` holds what replies left over. `view`
//! is what a transaction sees and changes.

mod activity;
mod admin;
mod answer;
mod attributes;
mod evaluation;
mod federation;
mod iterators;
mod link;
mod lookup;
#[cfg(feature = "server")]
mod operator;
mod parallel;
mod policies;
mod proxies;
mod proxy;
mod query;
mod raise;
mod register;
mod request_ids;
mod silent;
mod types;
mod view;

pub use activity::Activity;

use crate::limits::Limits;
use crate::model::{Model, ModelError, Planned};
use crate::store::{Contents, Store};
use activity::Counters;
use armilla::{
    Caller, Completion, ExceptionKind, Minor, Object, ObjectId, Orb, Poa, SystemException,
};
use armilla_cos_trading::repos::{ServiceTypeRepositoryRef, service_type_repository};
use armilla_cos_trading::{
    AdminRef, LinkRef, LookupRef, ProxyRef, RegisterRef, admin as admin_interface,
    link as link_interface, lookup as lookup_interface, proxy as proxy_interface,
    register as register_interface,
};
#[cfg(feature = "transactions")]
use armilla_transactions::{OtsPolicy, Transactions};
use iterators::Iterators;
use parallel::CallThreads;
use request_ids::RequestIds;
use silent::Silent;
use std::sync::{Arc, OnceLock, RwLockReadGuard};
use std::time::{Duration, Instant};

/// The name under which a trader is published: the initial reference of CORBA for its `Lookup`.
pub const TRADING_SERVICE: &str = "TradingService";

/// A trader that is served. Clones denote the same one.
#[derive(Clone)]
pub struct Trader {
    servant: Servant,
}

impl Trader {
    /// The reference to its `Lookup`, from which clients get the other interfaces.
    pub fn lookup(&self) -> LookupRef {
        self.servant.references().map(|all| all.lookup.clone()).unwrap_or_default()
    }

    /// Reads the contents. No operation of the trader that changes them goes on meanwhile.
    pub fn read<T>(&self, look: impl FnOnce(&Model) -> T) -> T {
        look(&self.servant.model())
    }

    /// How many offers and proxy offers there may be.
    #[cfg(feature = "server")]
    pub(crate) fn most_offers(&self) -> usize {
        self.servant.service.limits.offers
    }

    /// Closes the store, so that another trader can open it. From now on changes fail with
    /// `PERSIST_STORE`; queries go on.
    pub fn close(&self) {
        self.servant.service.contents.close();
    }

    /// Whether a change could be kept now. It asks the disk, if there is a store on it.
    ///
    /// # Errors
    /// It could not; the text says why.
    pub fn check_store(&self) -> Result<(), String> {
        self.servant.service.contents.check()
    }

    /// What the trader has done.
    pub fn activity(&self) -> Activity {
        let service = &self.servant.service;
        service.counters.activity(service.iterators.count())
    }

    /// Calls `listener` after every change of the contents, in the thread that made it.
    pub fn on_change(&self, listener: impl Fn() + Send + Sync + 'static) {
        self.servant.service.counters.listen(Arc::new(listener));
    }
}

/// Serves a trader as objects of `orb`. Its `Lookup` is available as
/// `corbaloc::HOST:PORT/TradingService` ([`TRADING_SERVICE`]), and as the initial reference of
/// that name. With a persistent store, references to it stay valid after a restart.
///
/// # Errors
/// `OBJ_ADAPTER` if the ORB serves a trader already; `INITIALIZE` if it cannot listen.
pub fn serve(orb: &Orb, store: Store, limits: Limits) -> Result<Trader, SystemException> {
    let poa = orb.root_poa().create_poa(TRADING_SERVICE).persistent().user_ids();
    let service = Service::new(orb, store, limits);
    publish(poa.build()?, service)
}

/// Serves a trader whose offers, service types and links change with the transactions of the ORB: what a
/// transaction exports, adds, modifies, masks, withdraws and removes is seen by others once it commits, and
/// nobody else can change it meanwhile (`TRANSIENT`). The transactions have to know the
/// [`Store::resource_manager`], and to start before. Attributes change at once, also for a client in a
/// transaction.
///
/// # Errors
/// As [`serve`].
#[cfg(feature = "transactions")]
pub fn serve_with_transactions(
    orb: &Orb,
    store: Store,
    limits: Limits,
    transactions: &Transactions,
) -> Result<Trader, SystemException> {
    let poa = orb.root_poa().create_poa(TRADING_SERVICE).persistent().user_ids();
    let poa = poa.policy(OtsPolicy::Adapts).build()?;
    let transactions = Some(transactions.clone());
    publish(poa, Service { transactions, ..Service::new(orb, store, limits) })
}

/// Makes the objects of a trader.
fn publish(poa: Poa, service: Service) -> Result<Trader, SystemException> {
    let orb = service.orb.clone();
    let servant = Servant { service: Arc::new(service) };
    let references = References::activate(&poa, &servant)?;
    let lookup = references.lookup.clone();
    // Nobody else has the servant yet.
    servant.service.references.set(references).ok();
    orb.publish(TRADING_SERVICE, &lookup)?;
    orb.register_initial_reference(TRADING_SERVICE, &lookup)?;
    Ok(Trader { servant })
}
/// The objects of a trader.
struct References {
    lookup: LookupRef,
    register: RegisterRef,
    link: LinkRef,
    proxy: ProxyRef,
    admin: AdminRef,
    types: ServiceTypeRepositoryRef,
}

impl References {
    fn activate(poa: &Poa, servant: &Servant) -> Result<Self, SystemException> {
        let id = |name: &str| ObjectId::from(name);
        let all = || servant.clone();
        Ok(Self {
            lookup: poa.activate_with_id(id("Lookup"), lookup_interface::tie(all()))?,
            register: poa.activate_with_id(id("Register"), register_interface::tie(all()))?,
            link: poa.activate_with_id(id("Link"), link_interface::tie(all()))?,
            proxy: poa.activate_with_id(id("Proxy"), proxy_interface::tie(all()))?,
            admin: poa.activate_with_id(id("Admin"), admin_interface::tie(all()))?,
            types: poa.activate_with_id(
                id("ServiceTypeRepository"),
                service_type_repository::tie(all()),
            )?,
        })
    }
}

/// The shared state of all servants.
struct Service {
    orb: Orb,
    contents: Arc<Contents>,
    /// The transactions of the ORB, if offers change with them.
    #[cfg(feature = "transactions")]
    transactions: Option<Transactions>,
    references: OnceLock<References>,
    iterators: Arc<Iterators>,
    request_ids: RequestIds,
    counters: Arc<Counters>,
    call_threads: CallThreads,
    silent: Silent,
    limits: Limits,
}

impl Service {
    fn new(orb: &Orb, store: Store, limits: Limits) -> Self {
        let (contents, counters) = (store.into_contents(), Arc::new(Counters::default()));
        let told = counters.clone();
        contents.on_change(move || told.changed());
        Self {
            orb: orb.clone(),
            contents,
            #[cfg(feature = "transactions")]
            transactions: None,
            references: OnceLock::new(),
            iterators: Iterators::new(orb.root_poa(), limits.iterators, limits.iterator_idle),
            request_ids: RequestIds::new(limits.request_ids),
            counters,
            call_threads: CallThreads::new(limits.call_threads),
            silent: Silent::default(),
            limits,
        }
    }
}

/// The servant of every object of a trader.
#[derive(Clone)]
struct Servant {
    service: Arc<Service>,
}

impl Servant {
    fn model(&self) -> RwLockReadGuard<'_, Model> {
        self.service.contents.model()
    }

    fn orb(&self) -> &Orb {
        &self.service.orb
    }

    fn references(&self) -> Result<&References, SystemException> {
        self.service.references.get().ok_or_else(|| {
            SystemException::new(ExceptionKind::Transient, Minor::default(), Completion::No)
                .with_reason("the trader is starting")
        })
    }

    /// Fails unless the client may change what all others depend on: limits, links, the service types
    /// that there are.
    fn check_operator(&self) -> Result<(), SystemException> {
        let is_local = || Caller::current().is_some_and(|caller| caller.is_on_this_host());
        match self.service.limits.remote_operators || is_local() {
            true => Ok(()),
            false => Err(SystemException::new(
                ExceptionKind::NoPermission,
                Minor::default(),
                Completion::No,
            )
            .with_reason(
                "attributes, links and service types are changed on the host of the trader; \
                 `--remote-operators` admits clients on others",
            )),
        }
    }

    /// Plans a change, makes it, and waits until it is kept. If any step fails, nothing has
    /// changed. It is of no transaction.
    fn change<T>(&self, plan: impl FnOnce(&Model) -> Planned<T>) -> Result<T, ModelError> {
        self.service.contents.change(None, plan)
    }

    /// When a query that begins now has to end.
    fn query_end(&self) -> Instant {
        // Longer than any client waits, and no time that cannot be told.
        const LONGEST: Duration = Duration::from_secs(24 * 3600);
        Instant::now() + self.service.limits.query_time.min(LONGEST)
    }

    /// A reference whose calls take no longer than the limit for calls to others.
    fn bounded(&self, object: &Object) -> Object {
        object.with_timeout(self.service.limits.call_time)
    }
}
