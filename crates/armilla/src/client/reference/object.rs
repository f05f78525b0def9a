//! Untyped object references.

use super::overrides::Overrides;
use crate::client::interception::Interceptors;
use crate::client::{self, Binding, LocalObject, Operation};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::object_key::ObjectKey;
use crate::runtime::Orb;
use crate::settings::Collocation;
use armilla_cdr::Encode;
use armilla_giop::ior::{IiopProfile, Ior, TaggedProfile};
use armilla_ipc::memory::Inline;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A reference to an object of any interface: IDL `Object` (CORBA 3.4 Part 1, 8.2).
///
/// Clones are cheap and may be used from any thread. A reference may be nil. Two references are
/// equal when they carry the same addresses and keys.
#[derive(Clone, Default)]
pub struct Object {
    pub(super) reference: Option<Arc<Reference>>,
    pub(super) overrides: Option<Arc<Overrides>>,
}

/// What all clones of a reference share. What a call reads of it lies together, in 64 octets, so that it finds all
/// of that in memory at once where many references are called in turn.
#[repr(C)]
pub(crate) struct Reference {
    pub(crate) orb: Orb,
    /// Where calls go.
    pub(crate) binding: Binding,
    place: Place,
    /// Made when it is first asked for, where the object is known.
    ior: OnceLock<Ior>,
}

/// Where the object of a reference lives.
enum Place {
    /// In another process, as far as is known.
    Elsewhere,
    /// In this one. It was active, when the reference was made, and may be so no more.
    Active(Inline<dyn LocalObject>),
    /// In this one, by this key.
    Key(Box<[u8]>),
}

impl Reference {
    /// The IOR.
    pub(crate) fn ior(&self) -> &Ior {
        self.ior.get_or_init(|| match &self.place {
            Place::Active(object) => object.get().ior(&self.orb).unwrap_or_default(),
            // Those are made from an IOR.
            Place::Elsewhere | Place::Key(_) => Ior::default(),
        })
    }

    /// The object, when it is or was active in this process.
    pub(crate) fn local_object(&self) -> Option<&dyn LocalObject> {
        match &self.place {
            Place::Active(object) => Some(object.get()),
            Place::Elsewhere | Place::Key(_) => None,
        }
    }

    /// Whether calls stay in this process.
    #[inline]
    pub(crate) fn is_near(&self) -> bool {
        !matches!(self.place, Place::Elsewhere)
            && self.orb.settings().collocation != Collocation::Remote
    }

    /// The key of an object of this process.
    pub(crate) fn local_key(&self) -> Option<Vec<u8>> {
        match &self.place {
            Place::Elsewhere => None,
            Place::Active(object) => Some(object.get().key()),
            Place::Key(key) => Some(key.to_vec()),
        }
    }
}

impl Object {
    /// The nil reference.
    pub const fn nil() -> Self {
        Self { reference: None, overrides: None }
    }

    /// The reference that `ior` stands for; nil for a nil IOR.
    pub(crate) fn from_ior(orb: &Orb, ior: Ior) -> Self {
        if ior.is_nil() {
            return Self::nil();
        }
        let place = match orb.local_key(&ior) {
            None => Place::Elsewhere,
            Some((_, Some(activation))) => Place::Active(activation),
            Some((key, None)) => Place::Key(key),
        };
        Self::new(orb, ior.into(), place)
    }

    /// A reference to an active object of this process.
    pub(crate) fn to_local(orb: &Orb, object: Inline<dyn LocalObject>) -> Self {
        Self::new(orb, OnceLock::new(), Place::Active(object))
    }

    fn new(orb: &Orb, ior: OnceLock<Ior>, place: Place) -> Self {
        let reference = Reference { orb: orb.clone(), ior, place, binding: Binding::default() };
        Self { reference: Some(Arc::new(reference)), ..Self::nil() }
    }

    /// What `other` denotes, for calls as through this one.
    pub(crate) fn with_reference(&self, other: Self) -> Self {
        Self { reference: other.reference, ..self.clone() }
    }

    /// Whether it denotes no object.
    pub const fn is_nil(&self) -> bool {
        self.reference.is_none()
    }

    /// Sends the oneway calls that wait for each other, those to other objects too.
    pub fn flush(&self) {
        if let Some(reference) = &self.reference {
            reference.orb.client().flush();
        }
    }

    /// The ORB that it belongs to: `_get_orb`.
    ///
    /// # Errors
    /// `INV_OBJREF` when it is nil.
    pub fn orb(&self) -> Result<Orb, SystemException> {
        Ok(self.reference()?.orb.clone())
    }

    /// The IOR: the type id and the addresses that the reference carries. That of a nil reference
    /// is empty.
    pub fn ior(&self) -> Ior {
        self.reference.as_ref().map_or_else(Ior::default, |reference| reference.ior().clone())
    }

    /// Whether the object has the interface with this repository id: `_is_a`. Asks the object only
    /// when the reference does not say it.
    ///
    /// # Errors
    /// What a call can fail with.
    pub fn is_a(&self, repository_id: &str) -> Result<bool, SystemException> {
        let reference = self.reference()?;
        let said = &reference.ior().type_id;
        if repository_id == crate::wire::OBJECT_ID || (!said.is_empty() && said == repository_id) {
            return Ok(true);
        }
        match self.local_object().and_then(|object| object.is_a(repository_id)) {
            Some(is_one) => Ok(is_one),
            None => client::invoke(
                self,
                Operation::of_object("_is_a"),
                &|out| repository_id.encode(out),
                |i| i.bool(),
            ),
        }
    }

    /// The repository id of the most derived interface of the object, which is asked: `_repository_id`.
    /// What the reference itself says, [`type_id`](Ior::type_id), may be a base of it or nothing.
    ///
    /// # Errors
    /// What a call can fail with.
    pub fn repository_id(&self) -> Result<String, SystemException> {
        self.reference()?;
        match self.local_object().and_then(LocalObject::repository_id) {
            Some(repository_id) => Ok(repository_id),
            None => {
                client::invoke(self, Operation::of_object("_repository_id"), &|_| Ok(()), |input| {
                    Ok(input.string()?.into_owned())
                })
            }
        }
    }

    /// Whether the object is known not to exist: `_non_existent`.
    ///
    /// # Errors
    /// What a call can fail with when the object cannot be asked.
    pub fn non_existent(&self) -> Result<bool, SystemException> {
        match client::invoke(self, Operation::of_object("_non_existent"), &|_| Ok(()), |input| {
            input.bool()
        }) {
            Err(error) if error.kind() == ExceptionKind::ObjectNotExist => Ok(true),
            answer => answer,
        }
    }

    /// Asks the server where the object is, without calling it (a GIOP LocateRequest), and goes
    /// there with later calls. `false` when the server does not know the object.
    ///
    /// # Errors
    /// What a call can fail with.
    pub fn locate(&self) -> Result<bool, SystemException> {
        client::locate(self)
    }

    /// What all clones share.
    ///
    /// # Errors
    /// `INV_OBJREF` when the reference is nil.
    pub(crate) fn reference(&self) -> Result<&Arc<Reference>, SystemException> {
        self.reference.as_ref().ok_or_else(|| {
            SystemException::new(ExceptionKind::InvObjref, Minor::NIL_REFERENCE, Completion::No)
                .with_reason("a nil reference denotes no object to call")
        })
    }

    /// Whether interceptors see calls from this process to it.
    pub(crate) fn is_intercepted_here(&self) -> bool {
        let interceptors = self.reference.as_ref().and_then(|r| r.orb.interceptors());
        interceptors.is_some_and(Interceptors::see_collocated)
    }

    /// The object, when it is or was active in this process.
    pub(crate) fn local_object(&self) -> Option<&dyn LocalObject> {
        self.reference.as_ref()?.local_object()
    }

    /// The key of an object of this process that was not active when the reference was made.
    pub(crate) fn inactive_key(&self) -> Option<&[u8]> {
        match &self.reference.as_ref()?.place {
            Place::Key(key) => Some(key),
            Place::Elsewhere | Place::Active(_) => None,
        }
    }
}

impl AsRef<Object> for Object {
    fn as_ref(&self) -> &Object {
        self
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        match (&self.reference, &other.reference) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || same(a.ior(), b.ior()),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reference {
            Some(reference) => {
                let place = client::describe(&reference.orb, reference.ior());
                write!(f, "Object({:?} at {place})", reference.ior().type_id)
            }
            None => f.write_str("Object(nil)"),
        }
    }
}

/// Whether two IORs have the same addresses and keys, whatever hints the keys of this ORB's objects
/// contain.
fn same(one: &Ior, other: &Ior) -> bool {
    let same_profile =
        |(a, b): (&TaggedProfile, &TaggedProfile)| a == b || same_but_hint(a, b).unwrap_or(false);
    one.profiles.len() == other.profiles.len()
        && one.profiles.iter().zip(&other.profiles).all(same_profile)
}

fn same_but_hint(one: &TaggedProfile, other: &TaggedProfile) -> Option<bool> {
    let decode = |profile: &TaggedProfile| IiopProfile::decode_data(&profile.data).ok();
    if one.id != other.id || one.data.len() != other.data.len() {
        return None;
    }
    let (one, other) = (decode(one)?, decode(other)?);
    let same_key = ObjectKey::is_same(&one.object_key, &other.object_key);
    Some(same_key && IiopProfile { object_key: other.object_key.clone(), ..one } == other)
}
