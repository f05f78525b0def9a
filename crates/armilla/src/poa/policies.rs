//! The policies of a POA and how one is made.

use super::{Poa, PoaInner};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::orb::lock;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How long the objects of a POA exist (CORBA 3.4 Part 1, 15.2.8.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lifespan {
    /// As long as their POA. A reference that outlives it fails with `OBJECT_NOT_EXIST`.
    #[default]
    Transient,
    /// Beyond the process: a later one that activates the same id at the same address serves the
    /// references that an earlier one made.
    Persistent,
}

/// Who chooses object ids (CORBA 3.4 Part 1, 15.2.8.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IdAssignment {
    /// The POA.
    #[default]
    System,
    /// The program.
    User,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Policies {
    pub(crate) lifespan: Lifespan,
    pub(crate) ids: IdAssignment,
}

/// The longest path of POA names, in octets.
const MAX_PATH: usize = 4096;

/// A POA about to be made, with the policies of the root POA until others are chosen. All POAs
/// retain their active objects.
///
/// ```no_run
/// # fn example(orb: &armilla::Orb) -> Result<(), armilla::SystemException> {
/// let accounts = orb.root_poa().create_poa("accounts").persistent().user_ids().build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "the POA is made by `build`"]
pub struct PoaBuilder {
    parent: Poa,
    name: String,
    policies: Policies,
}

impl PoaBuilder {
    pub(crate) fn new(parent: Poa, name: String) -> Self {
        Self { parent, name, policies: Policies::default() }
    }

    /// References outlive the process.
    pub fn persistent(mut self) -> Self {
        self.policies.lifespan = Lifespan::Persistent;
        self
    }

    /// The program chooses the object ids.
    pub fn user_ids(mut self) -> Self {
        self.policies.ids = IdAssignment::User;
        self
    }

    /// Makes the POA.
    ///
    /// # Errors
    /// `OBJ_ADAPTER` when the parent has a POA of this name already, `BAD_PARAM` when the name is
    /// empty, contains NUL or makes the path of names too long, `OBJECT_NOT_EXIST` when the parent
    /// was destroyed.
    pub fn build(self) -> Result<Poa, SystemException> {
        let parent = &self.parent.inner;
        let path = join(&parent.path, &self.name)?;
        let child = Arc::new(PoaInner::new(self.name.clone(), path, self.policies));
        let mut siblings = lock(&parent.children);
        parent.check_alive()?;
        match siblings.entry(self.name) {
            Entry::Vacant(place) => place.insert(child.clone()),
            Entry::Occupied(taken) => {
                let what = format!("POA {:?} has a POA {:?} already", parent.name, taken.key());
                let kind = ExceptionKind::ObjAdapter;
                return Err(
                    SystemException::new(kind, Minor::ADAPTER_EXISTS, Completion::No).because(what)
                );
            }
        };
        self.parent.orb.adapters().insert(child.clone());
        drop(siblings);
        Ok(Poa { orb: self.parent.orb, inner: child })
    }
}

impl PoaInner {
    pub(crate) fn new(name: String, path: Box<[u8]>, policies: Policies) -> Self {
        let (children, objects) = Default::default();
        Self { name, path, policies, children, objects, destroyed: AtomicBool::new(false) }
    }

    /// The root: transient, system ids.
    pub(crate) fn new_root() -> Self {
        Self::new("RootPOA".into(), Box::default(), Policies::default())
    }

    pub(crate) fn path(&self) -> &[u8] {
        &self.path
    }

    /// The path of the POA above; the root has none.
    pub(crate) fn parent_path(&self) -> Option<&[u8]> {
        self.path.strip_suffix(self.name.as_bytes())?.strip_suffix(b"\0")
    }

    pub(crate) fn is_persistent(&self) -> bool {
        self.policies.lifespan == Lifespan::Persistent
    }
}

fn join(parent: &[u8], name: &str) -> Result<Box<[u8]>, SystemException> {
    if name.is_empty() || name.contains('\0') {
        let what = "the name of a POA has at least one character and no NUL";
        return Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what));
    }
    let mut path = parent.to_vec();
    path.push(0);
    path.extend_from_slice(name.as_bytes());
    if path.len() > MAX_PATH {
        let what = format!("the names of this POA and those above it exceed {MAX_PATH} octets");
        return Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what));
    }
    Ok(path.into())
}
