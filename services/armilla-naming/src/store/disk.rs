//! The file of a store: a table of contexts and a table of bindings.

use super::codec::{decode, decode_changes, encode, encode_changes};
use crate::model::{Bound, Change, ContextId, NameTree, ROOT, Step, Target};
use armilla_store::{
    CommitError, EngineError, File, Format, Persist, ReadableTable, Recovered, Salvage, StoreError,
    TableDefinition, Transaction,
};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// When each context was created, by its number.
const CONTEXTS: TableDefinition<'_, u64, u32> = TableDefinition::new("contexts");

/// The bindings by context and step, as `codec` writes them.
const BINDINGS: TableDefinition<'_, (u64, &str), &[u8]> = TableDefinition::new("bindings");

/// What transactions will change that have prepared, by what names them. The first one makes the table.
const PREPARED: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("prepared");

/// Single numbers.
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");

/// The number of the next context.
const NEXT: &str = "next context";

/// The number of bindings: more or fewer rows are damage that no checksum of a row shows.
const COUNT: &str = "bindings";

static FORMAT: Format = Format {
    file: "names.redb",
    version: 1,
    service: "naming service",
    otherwise: "save what can be saved with `armilla naming recover`",
    cache: 64 << 20,
    make: |transaction| {
        transaction.open_table(CONTEXTS)?;
        transaction.open_table(BINDINGS)?;
        Ok(())
    },
};

/// How much was saved of a damaged store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// How many contexts, with the root,
    pub contexts: usize,
    /// and how many bindings were saved.
    pub bindings: usize,
    /// How many contexts no name leads to.
    pub orphans: usize,
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} names in {} contexts", self.bindings, self.contexts)?;
        match self.orphans {
            0 => Ok(()),
            orphans => write!(f, ", {orphans} without a name: `armilla naming orphans` lists them"),
        }
    }
}

pub(super) struct Disk {
    file: File,
    /// The number of bindings in the file.
    count: u64,
}

impl Disk {
    /// Opens or makes the file, and reads the tree.
    pub(super) fn open(directory: &Path) -> Result<(Self, NameTree), StoreError> {
        let (file, tree) = File::open(directory, &FORMAT, |file| {
            let mut loaded = Loaded::default();
            loaded.load(file)?;
            file.compact(loaded.octets)?;
            Ok(loaded.tree)
        })?;
        let count = tree.bindings() as u64;
        Ok((Self { file, count }, tree))
    }
}

/// Saves what can be saved of a damaged file, into a new one in its place unless it is a `trial`.
pub(super) fn recover(directory: &Path, is_trial: bool) -> Result<Recovered<Saved>, StoreError> {
    let salvage = Salvage::open(directory, &FORMAT)?;
    let tree = salvaged(&salvage)?;
    let saved = Saved {
        contexts: tree.contexts(),
        bindings: tree.bindings(),
        orphans: tree.orphans().len(),
    };
    salvage.recover(&FORMAT, is_trial, (saved, Vec::new()), |file| fill(file, &tree))
}

/// Writes a tree into a file that has none.
fn fill(file: &File, tree: &NameTree) -> Result<(), StoreError> {
    let mut changes = Vec::new();
    for context in tree.context_ids().filter(|context| *context != ROOT) {
        let created = tree.created(context).unwrap_or_default();
        changes.push(Change::Create { context, created });
    }
    for context in tree.context_ids() {
        for (step, bound) in tree.bindings_after(context, None).into_iter().flatten() {
            changes.push(Change::Bind { context, step: step.clone(), bound: bound.clone() });
        }
    }
    let prepare = |(token, changes): (&Arc<str>, &[Change])| Change::Prepare {
        token: token.clone(),
        changes: changes.into(),
    };
    changes.extend(tree.prepared().map(prepare));
    // The numbers of contexts that are lost are not given again.
    let next = tree.next_context();
    file.write(|transaction| {
        write(transaction, &changes, 0)?;
        transaction.open_table(NUMBERS)?.insert(NEXT, next.0)?;
        Ok(())
    })
}

/// The tree that is left. A context whose record is lost is made anew if something is bound in it,
/// or if it is bound.
fn salvaged(salvage: &Salvage) -> Result<NameTree, StoreError> {
    let mut contexts = BTreeMap::from([(0, 0)]);
    let mut bindings: BTreeMap<u64, Vec<(Step, Bound)>> = BTreeMap::new();
    salvage.rows(CONTEXTS, |context, since| {
        contexts.insert(context, since);
        Ok(())
    })?;
    salvage.rows(BINDINGS, |(context, step), record| {
        let bound = Step::from_text(step).zip(decode(step, record));
        let bound = bound.ok_or("its checksum is wrong")?;
        bindings.entry(context).or_default().push(bound);
        Ok(())
    })?;
    let next = salvage.number(NEXT)?;
    for (context, bound) in &bindings {
        contexts.entry(*context).or_insert(0);
        for (_, bound) in bound {
            if let Target::Context(child) = bound.target {
                contexts.entry(child.0).or_insert(bound.since);
            }
        }
    }
    let mut tree = NameTree::default();
    for (context, since) in contexts {
        let bindings = bindings.remove(&context).unwrap_or_default();
        tree.load(ContextId(context), since, bindings);
    }
    tree.reserve_below(next);
    if salvage.has(PREPARED) {
        salvage.rows(PREPARED, |token, record| prepare(&mut tree, token, record))?;
    }
    Ok(tree)
}

/// Takes what a transaction has prepared.
fn prepare(tree: &mut NameTree, token: &str, record: &[u8]) -> Result<(), String> {
    let changes = decode_changes(token, record).ok_or("its checksum is wrong")?.into();
    tree.apply(Change::Prepare { token: token.into(), changes });
    Ok(())
}

/// A tree that is being read.
#[derive(Default)]
struct Loaded {
    tree: NameTree,
    /// The contexts whose bindings were not read yet, and when they were created.
    created: BTreeMap<u64, u32>,
    /// The context whose bindings are being read, and those that were.
    current: Option<u64>,
    pending: Vec<(Step, Bound)>,
    /// How many octets keys and values have.
    octets: u64,
}

impl Loaded {
    fn load(&mut self, file: &File) -> Result<(), StoreError> {
        file.rows(CONTEXTS, |context, since| {
            self.created.insert(context, since);
            Ok(())
        })?;
        self.created.entry(0).or_insert(0);
        file.rows(BINDINGS, |(context, step), record| self.take(context, step, record))?;
        self.finish();
        for (context, since) in std::mem::take(&mut self.created) {
            self.tree.load(ContextId(context), since, []);
        }
        let (count, read) = (file.number(COUNT)?, self.tree.bindings() as u64);
        if count != read {
            let why = format!("it has {read} bindings where it should have {count}");
            return Err(file.damaged(&why));
        }
        self.tree.reserve_below(file.number(NEXT)?);
        match file.has(PREPARED)? {
            true => file.rows(PREPARED, |token, record| prepare(&mut self.tree, token, record)),
            false => Ok(()),
        }
    }

    /// Takes a binding. Those of a context come together.
    fn take(&mut self, context: u64, step: &str, record: &[u8]) -> Result<(), String> {
        if self.current != Some(context) {
            self.finish();
            self.current = Some(context);
            if !self.created.contains_key(&context) {
                return Err(format!("there is no context {context}"));
            }
        }
        self.octets += (step.len() + record.len()) as u64;
        let binding = Step::from_text(step).zip(decode(step, record));
        self.pending.push(binding.ok_or("its checksum is wrong")?);
        Ok(())
    }

    /// Hands the bindings of a context over to the tree.
    fn finish(&mut self) {
        if let Some(context) = self.current.take() {
            let since = self.created.remove(&context).unwrap_or_default();
            self.tree.load(ContextId(context), since, self.pending.drain(..));
        }
    }
}

impl Persist<Change> for Disk {
    fn commit(&mut self, changes: &[Change]) -> Result<(), CommitError> {
        let mut count = self.count;
        self.file.write(|transaction| {
            count = write(transaction, changes, count)?;
            Ok(())
        })?;
        self.count = count;
        Ok(())
    }

    fn check(&mut self) -> Result<(), StoreError> {
        self.file.check()
    }
}

/// Writes changes, and returns how many bindings there are, if there were `count`.
fn write(
    transaction: &Transaction,
    changes: &[Change],
    mut count: u64,
) -> Result<u64, EngineError> {
    let mut contexts = transaction.open_table(CONTEXTS)?;
    let mut bindings = transaction.open_table(BINDINGS)?;
    // The numbers of contexts that only a transaction knows are taken, too.
    let next = changes.iter().map(behind).max().unwrap_or(0);
    for change in changes {
        match change {
            Change::Create { context, created } => drop(contexts.insert(context.0, created)?),
            Change::Destroy { context } => drop(contexts.remove(context.0)?),
            Change::Bind { context, step, bound } => {
                let key = step.as_str();
                let octets = encode(key, bound);
                let before = bindings.insert((context.0, key), octets.as_slice())?;
                count += u64::from(before.is_none());
            }
            Change::Unbind { context, step } => {
                let before = bindings.remove((context.0, step.as_str()))?;
                count -= u64::from(before.is_some());
            }
            Change::Prepare { token, changes } => {
                let octets = encode_changes(token, changes);
                transaction.open_table(PREPARED)?.insert(&**token, octets.as_slice())?;
            }
            Change::Reserve { .. } => {}
            Change::Settle { token } => drop(transaction.open_table(PREPARED)?.remove(&**token)?),
        }
    }
    let mut numbers = transaction.open_table(NUMBERS)?;
    numbers.insert(COUNT, count)?;
    let known = numbers.get(NEXT)?.map_or(0, |known| known.value());
    if known < next {
        numbers.insert(NEXT, next)?;
    }
    Ok(count)
}

/// The number behind those of the contexts that a change makes.
fn behind(change: &Change) -> u64 {
    match change {
        Change::Create { context, .. } => context.0.saturating_add(1),
        Change::Reserve { below } => *below,
        Change::Prepare { changes, .. } => changes.iter().map(behind).max().unwrap_or(0),
        _ => 0,
    }
}
