//! The tree of contexts with what keeps it: nothing, a file, or a cluster that others share.
//!
//! `disk` is the file, `etcd` the cluster, `codec` writes a binding as octets, `watch` tells
//! observers of changes, `branch` is what transactions change.

#[cfg(feature = "transactions")]
mod branch;
#[cfg(any(feature = "disk", feature = "etcd"))]
mod codec;
#[cfg(feature = "disk")]
mod disk;
mod error;
#[cfg(feature = "etcd")]
mod etcd;
mod watch;

pub use armilla_store::{Recovered, StoreError};
#[cfg(any(feature = "disk", feature = "etcd"))]
#[doc(hidden)]
pub use codec::check_record;
#[cfg(feature = "disk")]
pub use disk::Saved;
pub use error::ChangeError;
#[cfg(feature = "etcd")]
pub use etcd::ClusterUser;
pub use watch::Subscription;

use crate::model::{Change, Decision, Limits, NameTree, NamingError};
use armilla_store::{CommitError, GroupCommit, Persist, Ticket};
use std::fmt;
#[cfg(feature = "disk")]
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use watch::Watchers;

/// How often a change is decided anew because others have changed the tree meanwhile.
const ATTEMPTS: usize = 100;

/// What keeps the tree equal to that of other instances.
pub(crate) trait Replica: fmt::Debug + Send + Sync {
    /// Waits until the tree has all that others had changed when this was called.
    fn catch_up(&self) -> Result<(), StoreError>;
}

/// A tree of naming contexts, in memory or kept on the disk. Any thread may use it.
///
/// A [change](Self::change) returns once it is on the disk. Readers may see it a moment before.
///
/// # Examples
/// ```
/// use armilla_naming::Store;
/// use armilla_naming::model::{Bind, ROOT, Target, parse_name};
///
/// # let directory = std::env::temp_dir().join(format!("armilla-names-{}", std::process::id()));
/// let store = Store::open(&directory)?;
/// let name = parse_name("dome.device")?;
/// let target = Target::Object(b"octets of an IOR".as_slice().into());
/// store.change(|tree| tree.bind(ROOT, &name, target.clone(), Bind::New, 0))?;
/// drop(store);
///
/// let store = Store::open(&directory)?;
/// assert_eq!(store.read().bindings(), 1);
/// # drop(store);
/// # std::fs::remove_dir_all(directory)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Store {
    contents: Arc<Contents>,
    replica: Option<Box<dyn Replica>>,
}

/// The tree, and what makes its changes durable and known.
#[derive(Debug)]
pub(crate) struct Contents {
    tree: RwLock<NameTree>,
    commits: Option<GroupCommit<Change>>,
    watchers: Watchers,
}

impl Store {
    /// An empty tree in memory.
    pub fn in_memory() -> Self {
        Self::new(NameTree::default(), None)
    }

    /// The tree that `directory` holds, in the file `names.redb`. Directory and file are created
    /// if they are missing. Only one process at a time can open them.
    ///
    /// # Errors
    /// The directory cannot be created, the file cannot be read or written, another process has it
    /// open, or it is damaged.
    #[cfg(feature = "disk")]
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, StoreError> {
        let (disk, tree) = disk::Disk::open(directory.as_ref())?;
        Ok(Self::new(tree, Some(Box::new(disk))))
    }

    /// Saves what can be saved of the damaged store in `directory`: into a new file in its place,
    /// beside which the damaged one is kept; as a `trial` it only says what that would be.
    ///
    /// # Errors
    /// There is no file, another process has it open, nothing of it is left, or the new one cannot
    /// be written.
    #[cfg(feature = "disk")]
    pub fn recover(
        directory: impl AsRef<Path>,
        is_trial: bool,
    ) -> Result<Recovered<Saved>, StoreError> {
        disk::recover(directory.as_ref(), is_trial)
    }

    /// Whether a change could be made durable now. It asks the disk or the cluster.
    ///
    /// # Errors
    /// It could not; the text says why.
    pub fn check(&self) -> Result<(), StoreError> {
        self.contents.commits.as_ref().map_or(Ok(()), GroupCommit::check)
    }

    pub(crate) fn new(tree: NameTree, persist: Option<Box<dyn Persist<Change>>>) -> Self {
        let contents = Contents::new(tree, persist.map(GroupCommit::new));
        Self { contents: Arc::new(contents), replica: None }
    }

    /// Whether changes outlive the process.
    pub fn is_persistent(&self) -> bool {
        self.contents.commits.is_some()
    }

    /// Sets the limits.
    pub fn set_limits(&self, limits: Limits) {
        self.contents.write().set_limits(limits);
    }

    /// The tree, to read. Changes wait meanwhile, so the caller should be quick.
    pub fn read(&self) -> RwLockReadGuard<'_, NameTree> {
        self.contents.tree.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides an operation, makes its changes, and returns when they are durable. If they cannot
    /// be made so, the tree is as it was before. When other instances share the tree, `decide` may
    /// be called again with a later one.
    ///
    /// # Errors
    /// Those of `decide`; [`ChangeError::Store`] when the changes cannot be written.
    pub fn change(
        &self,
        decide: impl Fn(&NameTree) -> Result<Decision, NamingError>,
    ) -> Result<Decision, ChangeError> {
        // What others have done may allow what would be refused here.
        let mut is_current = self.replica.is_none();
        for _ in 0..ATTEMPTS {
            match self.contents.attempt(None, &decide) {
                Ok(decision) => return Ok(decision),
                Err(Failed::Naming(error)) if is_current => return Err(error.into()),
                Err(Failed::Commit(CommitError::Store(error))) => return Err(error.into()),
                Err(Failed::Naming(_) | Failed::Commit(CommitError::Conflict)) => {
                    is_current = true;
                    self.replica.as_ref().map_or(Ok(()), |replica| replica.catch_up())?;
                }
            }
        }
        let what = format!("was changed by others during {ATTEMPTS} attempts to change it");
        Err(StoreError::new("the shared tree", what).into())
    }

    /// Begins to tell an observer of changes: each is sent once it is durable, in their order.
    pub fn subscribe(&self) -> Subscription {
        self.contents.watchers.subscribe()
    }

    /// Calls `changed` after each change, from a thread that ends with the store.
    ///
    /// # Errors
    /// The system has no thread.
    #[cfg(feature = "server")]
    pub(crate) fn observe(&self, changed: impl Fn() + Send + 'static) -> std::io::Result<()> {
        let contents = Arc::downgrade(&self.contents);
        let observe = move || {
            while let Some(changes) = contents.upgrade().map(|it| it.watchers.subscribe()) {
                // A subscription that ends may have missed some.
                changed();
                changes.iter().for_each(|_| changed());
            }
        };
        let thread = std::thread::Builder::new().name("armilla-changes".to_owned());
        thread.spawn(observe).map(drop)
    }
}

/// Why one attempt to change the tree failed.
enum Failed {
    Naming(NamingError),
    Commit(CommitError),
}

impl Contents {
    pub(crate) fn new(tree: NameTree, commits: Option<GroupCommit<Change>>) -> Self {
        Self { tree: RwLock::new(tree), commits, watchers: Watchers::default() }
    }

    /// Changes the tree as others have done, if that `is_new`. What was not committed before is
    /// undone, and decided anew.
    #[cfg(feature = "etcd")]
    pub(crate) fn adopt(&self, is_new: impl Fn() -> bool, change: impl FnOnce(&mut NameTree)) {
        loop {
            let mut tree = self.write();
            if !is_new() {
                return;
            }
            let queued = self.commits.as_ref().map_or(Some(Vec::new()), GroupCommit::give_up);
            if let Some(undo) = queued {
                undo.into_iter().for_each(|change| drop(tree.apply(change)));
                return change(&mut tree);
            }
            drop(tree);
            self.commits.iter().for_each(GroupCommit::wait_until_idle);
        }
    }

    fn write(&self) -> RwLockWriteGuard<'_, NameTree> {
        self.tree.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides and makes changes, of a transaction that ends or of nobody.
    fn attempt(
        &self,
        token: Option<&str>,
        decide: &impl Fn(&NameTree) -> Result<Decision, NamingError>,
    ) -> Result<Decision, Failed> {
        let mut tree = self.write();
        let decision = decide(&tree).map_err(Failed::Naming)?;
        let Decision::Here { changes, .. } = &decision else { return Ok(decision) };
        tree.check_free(token, changes).map_err(Failed::Naming)?;
        let ticket = self.make(&mut tree, changes);
        drop(tree);
        if let (Some(ticket), Some(commits)) = (ticket, &self.commits) {
            let made = |changes: &[Change]| self.watchers.tell(changes);
            let undone = |undo: armilla_store::Undo<'_, Change>| {
                let mut tree = self.write();
                undo.take().into_iter().for_each(|change| drop(tree.apply(change)));
            };
            commits.settle(&ticket, made, undone).map_err(Failed::Commit)?;
        }
        Ok(decision)
    }

    /// Makes the changes in memory, and queues them for what keeps them.
    fn make(&self, tree: &mut NameTree, changes: &[Change]) -> Option<Ticket> {
        let undo: Vec<Change> =
            changes.iter().filter_map(|change| tree.apply(change.clone())).collect();
        match &self.commits {
            Some(commits) => Some(commits.queue(changes.iter().cloned(), undo)),
            None => {
                self.watchers.tell(changes);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Bind, ROOT, Target, parse_name};
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;

    /// Counts commits, each of which takes until another thread waits behind it, and fails on
    /// request.
    #[derive(Clone, Default)]
    struct Fake {
        fails: Arc<AtomicBool>,
        commits: Arc<AtomicUsize>,
        changes: Arc<AtomicUsize>,
    }

    impl Persist<Change> for Fake {
        fn commit(&mut self, changes: &[Change]) -> Result<(), CommitError> {
            self.commits.fetch_add(1, Ordering::Relaxed);
            for _ in 0..100 {
                thread::yield_now();
            }
            if self.fails.load(Ordering::Relaxed) {
                return Err(StoreError::new("fake", "cannot be written: full").into());
            }
            self.changes.fetch_add(changes.len(), Ordering::Relaxed);
            Ok(())
        }
    }

    fn bind(store: &Store, text: &str) -> Result<Decision, ChangeError> {
        let name = parse_name(text).unwrap();
        let target = Target::Object(b"reference".as_slice().into());
        store.change(|tree| tree.bind(ROOT, &name, target.clone(), Bind::New, 0))
    }

    #[test]
    fn what_cannot_be_written_is_undone() {
        let fake = Fake::default();
        let store = Store::new(NameTree::default(), Some(Box::new(fake.clone())));
        bind(&store, "before").unwrap();
        fake.fails.store(true, Ordering::Relaxed);
        thread::scope(|scope| {
            for client in 0..8 {
                let store = &store;
                scope.spawn(move || {
                    for number in 0..20 {
                        let failed = bind(store, &format!("c{client}-{number}"));
                        assert!(matches!(failed, Err(ChangeError::Store(_))), "{failed:?}");
                    }
                });
            }
        });
        assert_eq!(store.read().bindings(), 1);
        fake.fails.store(false, Ordering::Relaxed);
        bind(&store, "c0-0").unwrap();
        assert_eq!(store.read().bindings(), 2);
        assert!(matches!(bind(&store, "before"), Err(ChangeError::Naming(_))));
    }

    #[test]
    fn changes_of_many_threads_share_commits_and_are_told_in_order() {
        let fake = Fake::default();
        let store = Store::new(NameTree::default(), Some(Box::new(fake.clone())));
        let told = store.subscribe();
        thread::scope(|scope| {
            for client in 0..16 {
                let store = &store;
                scope.spawn(move || {
                    for number in 0..50 {
                        bind(store, &format!("c{client:02}-{number:02}")).unwrap();
                    }
                });
            }
        });
        assert_eq!(fake.changes.load(Ordering::Relaxed), 800);
        assert!(fake.commits.load(Ordering::Relaxed) <= 800);
        let told: Vec<String> = told
            .try_iter()
            .map(|change| match change {
                Change::Bind { step, .. } => step.as_str().to_owned(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(told.len(), 800);
        for client in 0..16 {
            let of_client: Vec<_> =
                told.iter().filter(|step| step.starts_with(&format!("c{client:02}"))).collect();
            assert!(of_client.is_sorted(), "a client's changes are in its order");
        }
    }

    #[cfg(feature = "disk")]
    #[test]
    fn a_file_much_larger_than_its_contents_is_compacted() {
        let name = format!("armilla-naming-compact-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::remove_dir_all(&directory).ok();
        let store = Store::open(&directory).unwrap();
        let octets = vec![7; 60_000];
        let steps = |number| {
            let id = format!("n{number}");
            crate::model::Step::new(&crate::model::NameComponent { id, kind: String::new() })
                .unwrap()
        };
        let changes = |unbind: bool| {
            let change = |number| match unbind {
                true => Change::Unbind { context: ROOT, step: steps(number) },
                false => {
                    let target = Target::Object(octets.as_slice().into());
                    let bound = crate::model::Bound::new(target, 0);
                    Change::Bind { context: ROOT, step: steps(number), bound }
                }
            };
            Decision::Here { changes: (1..700).map(change).collect(), created: None }
        };
        bind(&store, "kept").unwrap();
        store.change(|_| Ok(changes(false))).unwrap();
        store.change(|_| Ok(changes(true))).unwrap();
        let size = || std::fs::metadata(directory.join("names.redb")).unwrap().len();
        let before = size();
        drop(store);
        let store = Store::open(&directory).unwrap();
        assert_eq!(store.read().bindings(), 1);
        assert!(size() < before / 2, "{} octets of {before}", size());
        drop(store);
        std::fs::remove_dir_all(directory).unwrap();
    }

    /// A tree with a name for each change.
    #[cfg(feature = "disk")]
    struct Names(Store);

    #[cfg(feature = "disk")]
    impl armilla_store::faults::Trial for Names {
        fn open(directory: &Path) -> Result<Self, String> {
            Store::open(directory).map(Self).map_err(|error| error.to_string())
        }

        fn change(&mut self, number: u32) -> Result<(), String> {
            let bound = bind(&self.0, &format!("n{number}"));
            bound.map(drop).map_err(|error| error.to_string())
        }

        fn changes(&self) -> std::collections::BTreeSet<u32> {
            let names = (1..20).map(|number| (number, parse_name(&format!("n{number}")).unwrap()));
            let tree = self.0.read();
            names.filter(|(_, name)| tree.resolve(ROOT, name).is_ok()).map(|(n, _)| n).collect()
        }
    }

    #[cfg(feature = "disk")]
    #[test]
    fn whatever_fails_nothing_acknowledged_is_lost() {
        let failures = armilla_store::faults::try_every_failure::<Names>("naming");
        assert!(failures > 50, "{failures}");
    }
}
