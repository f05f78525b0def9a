//! Copying the names of one service to another.

use super::parallel::each;
use super::{ClientError, Entry, EntryKind, Snapshot, Visited, to_name, to_text, walk};
use armilla::{Error, Object, Orb};
use armilla_cos_naming::naming_context::{BindContextRaises, BindNewContextRaises, BindRaises};
use armilla_cos_naming::{NameComponent, NamingContext, NamingContextRef};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Reads all names below a context, of a service of any vendor. `progress` is told now and then how
/// many names were read.
///
/// # Errors
/// Those of listing the context. A binding that cannot be read is in [`Snapshot::unreadable`].
pub fn export(
    orb: &Orb,
    from: &NamingContextRef,
    progress: &dyn Fn(usize),
) -> Result<Snapshot, ClientError> {
    let mut snapshot = Snapshot::default();
    walk(orb, from, false, &mut |name, visited| {
        let name = to_text(name);
        let kind = match visited {
            Visited::Object { object } => EntryKind::Object(orb.object_to_string(object)?),
            Visited::Context { .. } => EntryKind::Context,
            Visited::Again { name } => EntryKind::SameAs(name.to_owned()),
            Visited::Foreign { context } => EntryKind::Foreign(orb.object_to_string(context)?),
            Visited::Unreadable { error } => {
                snapshot.unreadable.push((name, error.to_string()));
                return Ok::<(), ClientError>(());
            }
        };
        snapshot.entries.push(Entry { name, kind });
        progress(snapshot.entries.len());
        Ok(())
    })?;
    Ok(snapshot)
}

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// How many names were bound.
    pub bound: usize,
    /// The names that were bound before, and stay as they were.
    pub kept: Vec<String>,
}

/// Binds the names of a snapshot below a context, of a service of any vendor. A name that is bound
/// already stays as it is, or is bound anew if `replace` is set; a context that is there is used.
/// Many names are bound at once. `progress` is told how many of how many are done.
///
/// # Errors
/// A name or a reference is malformed: then nothing was bound. Or the first name, in the order of the
/// snapshot, whose call fails for another reason than that it is bound; others may be bound then, and
/// stay.
pub fn import(
    orb: &Orb,
    snapshot: &Snapshot,
    to: &NamingContextRef,
    replace: bool,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Imported, ClientError> {
    let read = |(number, entry)| {
        Item::read(orb, number, entry).map_err(|error| ClientError::about(error, entry))
    };
    let items = snapshot.entries.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    let import = Import { to, replace, progress, done: AtomicUsize::new(0), all: items.len() };
    let (again, once): (Vec<&Item<'_>>, Vec<_>) =
        items.iter().partition(|item| matches!(item.what, What::SameAs(_)));
    let deepest = once.iter().map(|item| item.name.len()).max().unwrap_or_default();
    let mut results: Vec<(&Item<'_>, Bound)> = Vec::new();
    let contexts = |results: &[(&Item<'_>, Bound)]| -> HashMap<String, NamingContextRef> {
        let contexts = results
            .iter()
            .filter_map(|(item, bound)| Some((item.entry.name.clone(), bound.context.clone()?)));
        contexts.chain([(String::new(), to.clone())]).collect()
    };
    // A context is there before the names in it.
    for depth in 1..=deepest {
        let level: Vec<_> = once.iter().filter(|item| item.name.len() == depth).collect();
        let done = each(&level, |item| import.item(item, &HashMap::new()));
        for (item, bound) in level.into_iter().zip(done) {
            results.push((item, bound.map_err(|error| error.about(item.entry))?));
        }
    }
    let known = contexts(&results);
    let done = each(&again, |item| import.item(item, &known));
    for (item, bound) in again.into_iter().zip(done) {
        results.push((item, bound.map_err(|error| error.about(item.entry))?));
    }
    let mut kept: Vec<(usize, &str)> = Vec::new();
    for (item, bound) in &results {
        if !bound.is_new {
            kept.push((item.number, &item.entry.name));
        }
    }
    kept.sort_unstable();
    let bound = results.len() - kept.len();
    Ok(Imported { bound, kept: kept.into_iter().map(|(_, name)| name.to_owned()).collect() })
}

/// An entry, with what it says as a client needs it.
struct Item<'i> {
    /// Its number in the snapshot.
    number: usize,
    entry: &'i Entry,
    name: Vec<NameComponent>,
    what: What<'i>,
}

enum What<'i> {
    Object(Object),
    Context,
    SameAs(&'i str),
    Foreign(NamingContextRef),
}

/// What has become of an entry.
struct Bound {
    /// Whether it was bound; `false` if it was bound before, and stays.
    is_new: bool,
    /// The context that it is, if it is one.
    context: Option<NamingContextRef>,
}

impl<'i> Item<'i> {
    fn read(orb: &Orb, number: usize, entry: &'i Entry) -> Result<Self, ClientError> {
        let what = match &entry.kind {
            EntryKind::Object(reference) => What::Object(orb.string_to_object(reference)?),
            EntryKind::Context => What::Context,
            EntryKind::SameAs(other) => What::SameAs(other),
            EntryKind::Foreign(reference) => {
                What::Foreign(orb.string_to_object(reference)?.assume())
            }
        };
        Ok(Self { number, entry, name: to_name(&entry.name)?, what })
    }
}

impl ClientError {
    fn about(self, entry: &Entry) -> Self {
        Self::at(&entry.name, self)
    }
}

struct Import<'i> {
    to: &'i NamingContextRef,
    replace: bool,
    progress: &'i (dyn Fn(usize, usize) + Sync),
    done: AtomicUsize,
    all: usize,
}

impl Import<'_> {
    fn item(
        &self,
        item: &Item<'_>,
        contexts: &HashMap<String, NamingContextRef>,
    ) -> Result<Bound, ClientError> {
        let bound = self.bind(item, contexts)?;
        (self.progress)(self.done.fetch_add(1, Ordering::Relaxed) + 1, self.all);
        Ok(bound)
    }

    fn bind(
        &self,
        Item { name, what, .. }: &Item<'_>,
        contexts: &HashMap<String, NamingContextRef>,
    ) -> Result<Bound, ClientError> {
        let plain = |is_new| Bound { is_new, context: None };
        match what {
            What::Object(object) if self.replace => {
                self.to.rebind(name, object)?;
                Ok(plain(true))
            }
            What::Object(object) => Ok(plain(unless_bound(self.to.bind(name, object))?)),
            What::Context => match self.to.bind_new_context(name) {
                Ok(context) => Ok(Bound { is_new: true, context: Some(context) }),
                Err(Error::User(BindNewContextRaises::AlreadyBound(_))) => {
                    let context = self.to.resolve(name)?.narrow()?;
                    Ok(Bound { is_new: false, context: Some(context) })
                }
                Err(error) => Err(error.into()),
            },
            What::SameAs(other) => {
                let context = contexts.get(*other).ok_or_else(|| {
                    ClientError::at(other, "the snapshot has no context with this name")
                })?;
                Ok(plain(self.context(name, context)?))
            }
            What::Foreign(context) => Ok(plain(self.context(name, context)?)),
        }
    }

    fn context(
        &self,
        name: &[NameComponent],
        context: &NamingContextRef,
    ) -> Result<bool, ClientError> {
        match self.replace {
            true => {
                self.to.rebind_context(name, context)?;
                Ok(true)
            }
            false => Ok(unless_bound(self.to.bind_context(name, context))?),
        }
    }
}

/// Errors that may say that a name is bound.
trait AlreadyBound {
    fn is_already_bound(&self) -> bool;
}

impl AlreadyBound for BindRaises {
    fn is_already_bound(&self) -> bool {
        matches!(self, Self::AlreadyBound(_))
    }
}

impl AlreadyBound for BindContextRaises {
    fn is_already_bound(&self) -> bool {
        matches!(self, Self::AlreadyBound(_))
    }
}

/// Whether a name was bound; `false` if it was bound before.
fn unless_bound<E: AlreadyBound>(bound: Result<(), Error<E>>) -> Result<bool, Error<E>> {
    match bound {
        Ok(()) => Ok(true),
        Err(Error::User(error)) if error.is_already_bound() => Ok(false),
        Err(error) => Err(error),
    }
}
