//! Describes the transactions of a process.

use crate::associations::Associations;
use crate::context::{ARJUNA, OMG};
use crate::engine::Engine;
use crate::journal::{Journal, MemoryJournal};
use crate::model::Options;
use crate::resource::ResourceManager;
use crate::shared::Shared;
use crate::transactions::Transactions;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// Under which number transactions travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ContextId {
    /// 0, that of the OMG: GlassFish, JacORB, omniORB.
    #[default]
    Omg,
    /// 0xDEADBEEF: Narayana, unless it is told otherwise, and WildFly, which refuses 0.
    Arjuna,
    /// Both.
    Both,
}

/// The transactions of a process. See [`Transactions::builder`].
pub struct TransactionsBuilder {
    journal: Arc<dyn Journal>,
    options: Options,
    most: usize,
    timeout: Option<Duration>,
    context: ContextId,
    propagates_always: bool,
    remote_operators: bool,
    managers: HashMap<String, Arc<dyn ResourceManager>>,
}

impl Transactions {
    /// Begins to describe the transactions of a process.
    pub fn builder() -> TransactionsBuilder {
        TransactionsBuilder::default()
    }
}

impl Default for TransactionsBuilder {
    fn default() -> Self {
        Self {
            journal: Arc::new(MemoryJournal::new()),
            options: Options::default(),
            most: 100_000,
            timeout: Some(Duration::from_secs(60)),
            context: ContextId::default(),
            propagates_always: false,
            remote_operators: false,
            managers: HashMap::new(),
        }
    }
}

impl TransactionsBuilder {
    /// Where decisions are written. By default they are in memory only, and a crash between decision
    /// and delivery leaves participants in doubt for good.
    #[must_use]
    pub fn journal(mut self, journal: Arc<dyn Journal>) -> Self {
        self.journal = journal;
        self
    }

    /// How the protocol tries again, and whether calls under way keep a transaction from committing.
    #[must_use]
    pub const fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// How many transactions there are at most. Further ones are refused with `TRANSIENT`. Default:
    /// 100,000.
    #[must_use]
    pub const fn most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// After which time a transaction is rolled back that says nothing else; `None` for never.
    /// Default: one minute.
    #[must_use]
    pub const fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }

    /// Under which number transactions travel. Default: that of the OMG. Both are understood.
    #[must_use]
    pub const fn context(mut self, context: ContextId) -> Self {
        self.context = context;
        self
    }

    /// Lets transactions travel also to objects whose references say nothing of them: those of OTS
    /// 1.1. Default: no.
    #[must_use]
    pub const fn propagate_always(mut self, always: bool) -> Self {
        self.propagates_always = always;
        self
    }

    /// Lets operators on other hosts decide, for whom nobody vouches. Default: no.
    #[must_use]
    pub const fn remote_operators(mut self, allowed: bool) -> Self {
        self.remote_operators = allowed;
        self
    }

    /// Adds who finds the resources that were
    /// [enlisted](crate::Transaction::enlist_durable) by this name, after a restart.
    #[must_use]
    pub fn resource_manager(
        mut self,
        name: impl Into<String>,
        manager: Arc<dyn ResourceManager>,
    ) -> Self {
        self.managers.insert(name.into(), manager);
        self
    }

    /// The transactions, to be given to [`OrbBuilder::initializer`](armilla::OrbBuilder::initializer)
    /// and then [started](Transactions::start).
    pub fn build(self) -> Transactions {
        let context_ids: &'static [u32] = match self.context {
            ContextId::Omg => &[OMG],
            ContextId::Arjuna => &[ARJUNA],
            ContextId::Both => &[OMG, ARJUNA],
        };
        let engine = Engine::new(self.journal, self.options, self.most, self.managers);
        Transactions::of(Shared {
            engine: Arc::new(engine),
            associations: Arc::new(Associations::default()),
            context_ids,
            propagates_always: self.propagates_always,
            timeout: self.timeout,
            remote_operators: self.remote_operators,
            current: OnceLock::new(),
            site: OnceLock::new(),
            factory: OnceLock::new(),
            threads: Mutex::default(),
        })
    }
}

impl fmt::Debug for TransactionsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransactionsBuilder")
            .field("options", &self.options)
            .field("timeout", &self.timeout)
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}
