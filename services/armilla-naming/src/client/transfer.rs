//! Copying the names of one service to another.

use super::{ClientError, Entry, EntryKind, Snapshot, Visited, to_name, to_text, walk};
use armilla::{Error, Orb};
use armilla_cos_naming::naming_context::{BindContextRaises, BindNewContextRaises, BindRaises};
use armilla_cos_naming::{NamingContext, NamingContextRef};
use std::collections::HashMap;

/// Reads all names below a context, of a service of any vendor.
///
/// # Errors
/// Those of listing the context. A binding that cannot be read is in [`Snapshot::unreadable`].
pub fn export(orb: &Orb, from: &NamingContextRef) -> Result<Snapshot, ClientError> {
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
///
/// # Errors
/// The first call that fails for another reason, with the name. What was bound before stays.
pub fn import(
    orb: &Orb,
    snapshot: &Snapshot,
    to: &NamingContextRef,
    replace: bool,
) -> Result<Imported, ClientError> {
    let mut import = Import {
        orb,
        to,
        replace,
        contexts: HashMap::from([(String::new(), to.clone())]),
        done: Imported::default(),
    };
    for entry in &snapshot.entries {
        import.entry(entry).map_err(|error| ClientError::at(&entry.name, error))?;
    }
    Ok(import.done)
}

struct Import<'i> {
    orb: &'i Orb,
    to: &'i NamingContextRef,
    replace: bool,
    /// The contexts of the snapshot in the new service, by name.
    contexts: HashMap<String, NamingContextRef>,
    done: Imported,
}

impl Import<'_> {
    fn entry(&mut self, entry: &Entry) -> Result<(), ClientError> {
        let name = to_name(&entry.name)?;
        let bound = match &entry.kind {
            EntryKind::Object(reference) => {
                let object = self.orb.string_to_object(reference)?;
                match self.replace {
                    true => {
                        self.to.rebind(&name, &object)?;
                        true
                    }
                    false => unless_bound(self.to.bind(&name, &object))?,
                }
            }
            EntryKind::Context => {
                let (context, is_new) = match self.to.bind_new_context(&name) {
                    Ok(context) => (context, true),
                    Err(Error::User(BindNewContextRaises::AlreadyBound(_))) => {
                        (self.to.resolve(&name)?.narrow()?, false)
                    }
                    Err(error) => return Err(error.into()),
                };
                self.contexts.insert(entry.name.clone(), context);
                is_new
            }
            EntryKind::SameAs(other) => {
                let context = self.contexts.get(other).ok_or_else(|| {
                    ClientError::at(other, "the snapshot has no such context before this name")
                })?;
                self.context(&name, &context.clone())?
            }
            EntryKind::Foreign(reference) => {
                let context: NamingContextRef = self.orb.string_to_object(reference)?.assume();
                self.context(&name, &context)?
            }
        };
        match bound {
            true => self.done.bound += 1,
            false => self.done.kept.push(entry.name.clone()),
        }
        Ok(())
    }

    fn context(
        &self,
        name: &[armilla_cos_naming::NameComponent],
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
