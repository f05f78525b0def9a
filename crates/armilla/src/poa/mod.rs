//! Portable object adapters: where servants become objects (CORBA 3.4 Part 1, 15).

mod activation;
mod adapters;
mod object_key;
mod object_map;
mod policies;

pub(crate) use activation::Activation;
pub(crate) use adapters::Adapters;
pub(crate) use object_key::{ObjectKey, Slot};
pub(crate) use object_map::ObjectMap;
pub use policies::{IdAssignment, Lifespan, PoaBuilder};

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::object::{Interface, Object, Ref, Servant, Tie};
use crate::orb::{Orb, lock};
use policies::Policies;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};

/// What identifies an object within its POA: octets that only the POA and its owner understand.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(Box<[u8]>);

impl ObjectId {
    /// The id with these octets.
    pub fn new(octets: impl Into<Vec<u8>>) -> Self {
        Self(octets.into().into())
    }

    /// Its octets.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for ObjectId {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({})", self.0.escape_ascii())
    }
}

/// A portable object adapter. Clones are the same adapter; all may be used from any thread.
///
/// The root POA is [`Orb::root_poa`]: transient, with ids that the system assigns. Others are made
/// below it with [`create_poa`](Self::create_poa). Objects answer as soon as they are activated.
#[derive(Clone)]
pub struct Poa {
    orb: Orb,
    inner: Arc<PoaInner>,
}

/// The state of an adapter.
pub(crate) struct PoaInner {
    name: String,
    /// The names from the root down, joined by NUL: what keys and the table of adapters use.
    path: Box<[u8]>,
    policies: Policies,
    children: Mutex<BTreeMap<String, Arc<PoaInner>>>,
    /// The active objects by id. Objects with active keys are not in it: their key is their place.
    objects: RwLock<HashMap<ObjectId, Arc<Activation>>>,
    destroyed: AtomicBool,
}

impl Poa {
    /// The root POA of an ORB that is being made.
    pub(crate) fn root(orb: Orb, inner: Arc<PoaInner>) -> Self {
        Self { orb, inner }
    }

    /// Its name; the root's is `RootPOA`.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Begins a POA below this one; see [`PoaBuilder`].
    pub fn create_poa(&self, name: impl Into<String>) -> PoaBuilder {
        PoaBuilder::new(self.clone(), name.into())
    }

    /// The POA of this name below this one.
    pub fn find_poa(&self, name: &str) -> Option<Self> {
        let inner = lock(&self.inner.children).get(name)?.clone();
        Some(Self { orb: self.orb.clone(), inner })
    }

    /// Activates `servant` under an id that the POA assigns, and gives a reference to it.
    ///
    /// ```no_run
    /// # fn example<T: armilla::rt::Interface + ?Sized>(orb: armilla::Orb, servant: std::sync::Arc<T>)
    /// # -> Result<(), armilla::SystemException> {
    /// let reference = orb.root_poa().activate(servant)?;
    /// println!("{}", orb.object_to_string(reference.object())?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `OBJ_ADAPTER` when the POA has the policy [`IdAssignment::User`]; `OBJECT_NOT_EXIST` when it
    /// was destroyed; `INITIALIZE` when the ORB cannot listen.
    pub fn activate<I: Interface + ?Sized>(
        &self,
        servant: Arc<I>,
    ) -> Result<Ref<I>, SystemException> {
        if self.inner.policies.ids == IdAssignment::User {
            let what = format!(
                "POA {:?} takes its object ids from the program: use activate_with_id",
                self.inner.name
            );
            return Err(wrong_policy(what));
        }
        let tie = Box::new(Tie(servant));
        let objects = self.orb.objects();
        let activation = objects.insert(|slot| {
            let id = slot.object_id(self.orb.incarnation());
            let key = match self.inner.policies.lifespan {
                Lifespan::Transient => {
                    ObjectKey::Active { incarnation: self.orb.incarnation(), slot }.encode()
                }
                Lifespan::Persistent => self.named_key(&id),
            };
            Activation::new(tie, id, key, slot, self.inner.clone())
        });
        self.index(&activation);
        self.reference(activation)
    }

    /// Activates `servant` under the id `id`, and gives a reference to it.
    ///
    /// In a persistent POA references made for the same id by an earlier process, at the same
    /// address, reach the servant too.
    ///
    /// # Errors
    /// `OBJ_ADAPTER` when an object is active under this id already; `OBJECT_NOT_EXIST` when the
    /// POA was destroyed; `INITIALIZE` when the ORB cannot listen.
    pub fn activate_with_id<I: Interface + ?Sized>(
        &self,
        id: impl Into<ObjectId>,
        servant: Arc<I>,
    ) -> Result<Ref<I>, SystemException> {
        let id = id.into();
        let tie: Box<dyn Servant> = Box::new(Tie(servant));
        let activation = {
            let mut objects = lock_write(&self.inner.objects);
            if objects.contains_key(&id) {
                let what = format!("{id:?} is active already in POA {:?}", self.inner.name);
                let kind = ExceptionKind::ObjAdapter;
                return Err(
                    SystemException::new(kind, Minor::ALREADY_ACTIVE, Completion::No).because(what)
                );
            }
            let activation = self.orb.objects().insert(|slot| {
                Activation::new(tie, id.clone(), self.named_key(&id), slot, self.inner.clone())
            });
            objects.insert(id, activation.clone());
            activation
        };
        self.reference(activation)
    }

    /// Deactivates the object: calls to it fail with `OBJECT_NOT_EXIST`, those under way go on, and
    /// the servant is dropped when the last of them ends.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` when no object is active under this id.
    pub fn deactivate(&self, id: &ObjectId) -> Result<(), SystemException> {
        let found = lock_write(&self.inner.objects).remove(id);
        let found = found.or_else(|| self.placed(id));
        let activation = found.ok_or_else(SystemException::object_not_exist)?;
        self.orb.retire(&activation);
        Ok(())
    }

    /// The id of the object that `reference` denotes.
    ///
    /// # Errors
    /// `OBJ_ADAPTER` when the object is not active in this POA.
    pub fn id_of(&self, reference: &Object) -> Result<ObjectId, SystemException> {
        let activation = reference.activation().filter(|a| Arc::ptr_eq(&a.poa, &self.inner));
        activation.map(|a| a.id.clone()).ok_or_else(|| {
            wrong_policy(format!("the object is not active in POA {:?}", self.inner.name))
        })
    }

    /// Destroys this POA and all below it: their objects are deactivated, and the name is free.
    pub fn destroy(&self) {
        if let Some(parent) = self.inner.parent_path().and_then(|p| self.orb.adapters().get(p)) {
            let mut siblings = lock(&parent.children);
            if siblings.get(&self.inner.name).is_some_and(|poa| Arc::ptr_eq(poa, &self.inner)) {
                siblings.remove(&self.inner.name);
            }
        }
        self.orb.adapters().remove(&self.inner);
        self.inner.destroy(&self.orb);
    }

    fn reference<I: Interface + ?Sized>(
        &self,
        activation: Arc<Activation>,
    ) -> Result<Ref<I>, SystemException> {
        // Asked when the object is in its place: either the POA's end finds it there, or this.
        let alive = self.inner.check_alive();
        let object = alive.and_then(|()| self.orb.local_object(activation.clone()));
        if let Err(error) = object {
            self.deactivate(&activation.id).ok();
            return Err(error);
        }
        object.map(|object| object.assume())
    }

    /// Makes the object findable by its id, if its key does not lead to it.
    fn index(&self, activation: &Arc<Activation>) {
        if self.inner.policies.lifespan == Lifespan::Persistent {
            lock_write(&self.inner.objects).insert(activation.id.clone(), activation.clone());
        }
    }

    /// The object whose id, assigned by this POA, says where it stands.
    fn placed(&self, id: &ObjectId) -> Option<Arc<Activation>> {
        let slot = Slot::from_object_id(id)?;
        let found = self.orb.objects().get(slot)?;
        found.as_ref().filter(|a| Arc::ptr_eq(&a.poa, &self.inner) && a.id == *id).cloned()
    }

    fn named_key(&self, id: &ObjectId) -> Vec<u8> {
        let incarnation = match self.inner.policies.lifespan {
            Lifespan::Transient => self.orb.incarnation(),
            Lifespan::Persistent => 0,
        };
        ObjectKey::Named { incarnation, adapter: &self.inner.path, id: id.as_bytes() }.encode()
    }
}

impl PoaInner {
    /// The object that is active under `id`.
    pub(crate) fn find(&self, id: &[u8]) -> Option<Arc<Activation>> {
        let objects = self.objects.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        objects.get(id).cloned()
    }

    /// Fails when the POA was destroyed.
    fn check_alive(&self) -> Result<(), SystemException> {
        match self.destroyed.load(Ordering::SeqCst) {
            true => Err(SystemException::object_not_exist()
                .because(format!("POA {:?} was destroyed", self.name))),
            false => Ok(()),
        }
    }

    fn destroy(&self, orb: &Orb) {
        self.destroyed.store(true, Ordering::SeqCst);
        for child in std::mem::take(&mut *lock(&self.children)).into_values() {
            orb.adapters().remove(&child);
            child.destroy(orb);
        }
        lock_write(&self.objects).clear();
        let ours = |activation: &Activation| std::ptr::eq(&*activation.poa, self);
        orb.objects().iter().filter(|a| ours(a)).for_each(|a| orb.retire(&a));
    }
}

impl std::borrow::Borrow<[u8]> for ObjectId {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Poa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poa").field("name", &self.inner.name).finish_non_exhaustive()
    }
}

fn wrong_policy(what: String) -> SystemException {
    SystemException::new(ExceptionKind::ObjAdapter, Minor::WRONG_POLICY, Completion::No)
        .because(what)
}

fn lock_write<T>(shared: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    shared.write().unwrap_or_else(std::sync::PoisonError::into_inner)
}
