//! The trader as CORBA objects, without rules of its own: `model` has them.
//!
//! One servant type, [`Servant`], implements all interfaces; each is an object of its own. `query`
//! is the way of a query: `policies`, a search in the model, then, without any lock, `evaluation`
//! of dynamic properties, `proxies` and `federation`. `iterators` holds what replies left over.

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

pub use activity::Activity;

use crate::limits::Limits;
use crate::model::{Model, ModelError, Planned};
use crate::store::{Keeper, Kept, Store};
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
use armilla_store::Undo;
use iterators::Iterators;
use parallel::CallThreads;
use request_ids::RequestIds;
use silent::Silent;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};

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
        let service = &self.servant.service;
        *service.keeper.lock().unwrap_or_else(PoisonError::into_inner) = Keeper::Closed;
    }

    /// Whether a change could be kept now. It asks the disk, if there is a store on it.
    ///
    /// # Errors
    /// It could not; the text says why.
    pub fn check_store(&self) -> Result<(), String> {
        let keeper = self.servant.service.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let check = keeper.check();
        drop(keeper);
        check()
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
    let poa = orb.root_poa().create_poa(TRADING_SERVICE).persistent().user_ids().build()?;
    let (model, keeper) = store.into_parts();
    let service = Arc::new(Service {
        orb: orb.clone(),
        model: RwLock::new(model),
        keeper: Mutex::new(keeper),
        references: OnceLock::new(),
        iterators: Iterators::new(orb.root_poa(), limits.iterators, limits.iterator_idle),
        request_ids: RequestIds::new(limits.request_ids),
        counters: Counters::default(),
        call_threads: CallThreads::new(limits.call_threads),
        silent: Silent::default(),
        limits,
    });
    let servant = Servant { service };
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
    /// Locked while nothing but memory is touched: never during a call or a write to the disk.
    model: RwLock<Model>,
    /// Held by the one thread that changes the model, from its plan until the change is queued.
    keeper: Mutex<Keeper>,
    references: OnceLock<References>,
    iterators: Arc<Iterators>,
    request_ids: RequestIds,
    counters: Counters,
    call_threads: CallThreads,
    silent: Silent,
    limits: Limits,
}

/// The servant of every object of a trader.
#[derive(Clone)]
struct Servant {
    service: Arc<Service>,
}

impl Servant {
    fn model(&self) -> RwLockReadGuard<'_, Model> {
        self.service.model.read().unwrap_or_else(PoisonError::into_inner)
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
    /// changed.
    fn change<T>(&self, plan: impl FnOnce(&Model) -> Planned<T>) -> Result<T, ModelError> {
        let (result, pending) = {
            let keeper = self.service.keeper.lock().unwrap_or_else(PoisonError::into_inner);
            let (changes, result) = plan(&self.model())?;
            let kept = keeper.prepare(changes)?;
            let mut model = self.service.model.write().unwrap_or_else(PoisonError::into_inner);
            let undo = model.make(kept.iter().map(|(change, _)| change.clone()))?;
            (result, keeper.queue(kept, undo))
        };
        pending.map_or(Ok(()), |pending| pending.settle(|undo| self.undo(undo)))?;
        self.service.counters.changed();
        Ok(result)
    }

    /// Undoes in memory what was not kept.
    fn undo(&self, undo: Undo<'_, Kept>) {
        // Nothing is queued meanwhile.
        let _keeper = self.service.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let mut model = self.service.model.write().unwrap_or_else(PoisonError::into_inner);
        let changes = undo.take().into_iter().map(|(change, _)| change);
        // What undoes a change fits the model that the change was made in.
        model.apply(changes).ok();
    }

    /// A reference whose calls take no longer than the limit for calls to others.
    fn bounded(&self, object: &Object) -> Object {
        object.with_timeout(self.service.limits.call_time)
    }
}
