//! Assembling a naming service in an ORB.

use super::Names;
use super::administration::{Operators, Watches};
use super::contexts::Contexts;
use super::foreign::{Foreign, ForeignLimits};
use super::iterators::{IteratorLimits, IteratorServant, Iterators};
use super::liveness::{Status, Statuses};
use super::references::{context_reference, from_octets, object_id};
use super::shares::count_names;
use super::stored_reply::StoredReplies;
use crate::access::{Rules, RulesFile};
use crate::client::{Liveness, check};
use crate::model::{ContextId, Limits, ROOT, ReferenceOctets};
use crate::store::Store;
use armilla::{AnyServant, ObjectId, Orb, Poa, SystemException};
use armilla_cos_naming::administration::{administration, watch};
use armilla_cos_naming::{NamingContextExtRef, binding_iterator, naming_context_ext};
use armilla_giop::url::NAME_SERVICE;
use armilla_security::ServerSecurity;
#[cfg(feature = "transactions")]
use armilla_transactions::{OtsPolicy, Transactions};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The keys of the root context in `corbaloc:` URLs: the one that CORBA defines, which omniNames
/// and TAO use, and the one of JacORB.
const KEYS: [&str; 2] = [NAME_SERVICE, "StandardNS/NameServer-POA/_root"];

/// The key of what operators ask, in `corbaloc:` URLs.
const ADMINISTRATION: &str = "ArmillaNaming";

/// A naming service in this process. It serves as long as this value or a clone of it exists and
/// its ORB runs.
///
/// Its root context is available as `corbaloc::HOST:PORT/NameService`, and in this ORB as the
/// initial reference `NameService`. References to contexts stay valid after a restart if the
/// [`Store`] is persistent.
///
/// # Examples
/// ```
/// use armilla::Orb;
/// use armilla_cos_naming::{NamingContext, NamingContextExt};
/// use armilla_naming::NamingService;
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
/// let service = NamingService::builder().serve(&orb)?;
/// println!("{}", service.url());
///
/// let root = service.root();
/// root.bind_new_context(&root.to_name("observatory")?)?;
/// orb.bind_name("observatory/dome.device", root)?;
/// assert_eq!(&root.resolve_str("observatory/dome.device")?, root.object());
/// # orb.shutdown();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use = "the service ends when this is dropped"]
pub struct NamingService {
    pub(super) names: Arc<Names>,
    root: NamingContextExtRef,
    url: String,
}

/// What a naming service is made from.
#[derive(Debug)]
#[must_use = "only `serve` makes the service"]
pub struct NamingServiceBuilder {
    store: Store,
    limits: Option<Limits>,
    iterators: IteratorLimits,
    rules: RulesFile,
    security: Option<ServerSecurity>,
    foreign: ForeignLimits,
    #[cfg(feature = "transactions")]
    transactions: Option<Transactions>,
}

impl NamingServiceBuilder {
    /// Sets the store of the bindings. By default they are in memory only.
    pub fn store(mut self, store: Store) -> Self {
        self.store = store;
        self
    }

    /// Sets the limits of names, contexts and bindings.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Sets the limits of binding iterators.
    pub fn iterator_limits(mut self, limits: IteratorLimits) -> Self {
        self.iterators = limits;
        self
    }

    /// Sets the rules: who may do what where, which names several servers share, and which dead
    /// bindings go.
    pub fn rules(self, rules: Rules) -> Self {
        self.rules_file(rules.into())
    }

    /// The same from a file, which is read again when it has changed.
    pub fn rules_file(mut self, rules: RulesFile) -> Self {
        self.rules = rules;
        self
    }

    /// Sets what knows who calls: the security of the ORB that serves. Without it rules know the
    /// address of a client, and its user over a transport for which the kernel vouches.
    pub fn security(mut self, security: ServerSecurity) -> Self {
        self.security = Some(security);
        self
    }

    /// Sets the limits of operations that are passed on to contexts of other servers.
    pub fn foreign_limits(mut self, limits: ForeignLimits) -> Self {
        self.foreign = limits;
        self
    }

    /// Lets names change with the transactions of the ORB: what a transaction binds and unbinds is seen
    /// by others once it commits, and nobody else can change it meanwhile (`TRANSIENT`). The
    /// transactions have to know the [`Store::resource_manager`], and to start before this serves.
    #[cfg(feature = "transactions")]
    pub fn transactions(mut self, transactions: Transactions) -> Self {
        self.transactions = Some(transactions);
        self
    }

    /// Serves the contexts with `orb`.
    ///
    /// # Errors
    /// `OBJ_ADAPTER` if the ORB serves a naming service already, `INITIALIZE` if it cannot listen.
    pub fn serve(self, orb: &Orb) -> Result<NamingService, SystemException> {
        if let Some(limits) = self.limits {
            self.store.set_limits(limits);
        }
        let names = Arc::new(Names {
            orb: orb.clone(),
            store: self.store,
            iterators: Iterators::new(self.iterators),
            statuses: Statuses::default(),
            rules: self.rules,
            security: self.security,
            foreign: Foreign::new(self.foreign),
            watches: Watches::default(),
            #[cfg(feature = "transactions")]
            transactions: self.transactions,
        });
        count_names(&names);
        let poa = orb.root_poa().create_poa("naming").persistent().user_ids();
        #[cfg(feature = "transactions")]
        let poa = match names.transactions {
            Some(_) => poa.policy(OtsPolicy::Adapts),
            None => poa,
        };
        let contexts = poa.default_servant(contexts_servant(&names, None)).build()?;
        // Most requests are for the root context. An active object is found without a lock.
        let root_servant = contexts_servant(&names, Some(ROOT));
        contexts.activate_servant_with_id(object_id(ROOT), root_servant)?;
        let servant = binding_iterator::tie(IteratorServant(Arc::downgrade(&names)));
        let poa = orb.root_poa().create_poa("naming iterators").user_ids();
        names.iterators.set_poa(poa.default_servant(servant).build()?);
        let root: NamingContextExtRef = context_reference(&contexts, ROOT)?.assume();
        serve_operators(orb, &names, &contexts)?;
        let mut urls = KEYS.map(|key| orb.publish(key, &root)).into_iter();
        let url = urls.by_ref().collect::<Result<Vec<_>, _>>()?.swap_remove(0);
        orb.register_initial_reference(NAME_SERVICE, &root)?;
        Ok(NamingService { names, root, url })
    }
}

/// Serves what operators ask, at a key of its own.
fn serve_operators(orb: &Orb, names: &Arc<Names>, contexts: &Poa) -> Result<(), SystemException> {
    let operators = || Operators(Arc::downgrade(names));
    let poa = orb.root_poa().create_poa("naming watches").user_ids();
    let watches = poa.default_servant(watch::tie(operators())).build()?;
    names.watches.set_poas(watches, contexts.clone());
    let poa = orb.root_poa().create_poa("naming administration").persistent().user_ids().build()?;
    let id = ObjectId::from(ADMINISTRATION);
    let reference = poa.activate_servant_with_id(id, administration::tie(operators()))?;
    orb.publish(ADMINISTRATION, &reference).map(drop)
}

/// The servant of a context, or of all that have none of their own.
fn contexts_servant(names: &Arc<Names>, context: Option<ContextId>) -> AnyServant {
    let names = Arc::downgrade(names);
    let servant = AnyServant::from(naming_context_ext::tie(Contexts(names.clone())));
    servant.with_skeleton(StoredReplies { names, context })
}

impl NamingService {
    /// Begins to make a service.
    pub fn builder() -> NamingServiceBuilder {
        NamingServiceBuilder {
            store: Store::in_memory(),
            limits: None,
            iterators: IteratorLimits::default(),
            rules: Rules::default().into(),
            security: None,
            foreign: ForeignLimits::default(),
            #[cfg(feature = "transactions")]
            transactions: None,
        }
    }

    /// The root context.
    pub const fn root(&self) -> &NamingContextExtRef {
        &self.root
    }

    /// The URL of the root context, `corbaloc::HOST:PORT/NameService`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The contexts and their bindings.
    pub fn store(&self) -> &Store {
        &self.names.store
    }

    /// The rules as they are now.
    pub fn rules(&self) -> Arc<Rules> {
        self.names.rules.current()
    }

    /// What the last check of an object found; `None` if it was not checked yet.
    pub fn status(&self, reference: &ReferenceOctets) -> Option<Status> {
        self.names.statuses.status(reference)
    }

    /// Checks an object, records what was found, and returns that with the number of checks in a
    /// row that found it not alive.
    pub fn check(&self, reference: &ReferenceOctets, timeout: Duration) -> (Liveness, u32) {
        let found = match from_octets(&self.names.orb, reference) {
            Ok(object) => check(&object, timeout),
            Err(error) => Liveness::Unreachable(error.to_string()),
        };
        let failures = self.names.statuses.record(reference, found.clone());
        (found, failures)
    }

    /// How many of the objects that were checked are alive, and how many are not.
    pub fn checked(&self) -> (usize, usize) {
        self.names.statuses.counts()
    }

    /// How many watches there are: clients that are told of changes.
    pub fn open_watches(&self) -> usize {
        self.names.watches.count()
    }

    /// How many binding iterators are open.
    pub fn open_iterators(&self) -> usize {
        self.names.iterators.open_count()
    }

    /// Destroys the binding iterators that have been idle for too long. Opening and using one does
    /// so, too; a service without clients may call this now and then.
    pub fn sweep_iterators(&self) {
        self.names.iterators.sweep();
    }
}

impl fmt::Debug for NamingService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamingService").field("url", &self.url).finish_non_exhaustive()
    }
}
