//! Untyped object references, and the state that their clones share.

use super::binding::Binding;
use super::route::describe;
use crate::client::endpoint::LocalObject;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::object_key::KeyOctets;
use crate::policies::{ConnectionPolicy, Policies, SyncScope};
use crate::runtime::Orb;
use crate::settings::Collocation;
use armilla_giop::ior::Ior;
use armilla_ipc::memory::Inline;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A reference to an object of any interface: IDL `Object` (CORBA 3.4 Part 1, 8.2).
///
/// Clones are cheap and may be used from any thread. A reference may be nil. Two references are
/// equal when they carry the same addresses and keys.
#[derive(Clone, Default)]
pub struct Object {
    pub(super) reference: Option<Arc<Reference>>,
    pub(super) overrides: Option<Arc<Overrides>>,
}

/// The overrides of one reference. Most references have none.
#[derive(Clone, Default)]
pub(super) struct Overrides {
    pub(super) timeout: Option<Duration>,
    pub(super) policies: Option<Policies>,
    pub(super) connection_policy: Option<ConnectionPolicy>,
    pub(super) sync_scope: Option<SyncScope>,
}

/// The state that all clones of a reference share. The fields that a call reads lie together in 64
/// octets, so that a call through a reference that is not in the cache loads one cache line.
#[repr(C)]
pub(crate) struct Reference {
    pub(crate) orb: Orb,
    /// The route of the calls.
    pub(in crate::client) binding: Binding,
    place: Place,
    /// Created on first use for an active object of this process.
    ior: OnceLock<Ior>,
}

/// The location of the object of a reference.
enum Place {
    /// In another process, as far as known.
    Elsewhere,
    /// In this process. The object was active when the reference was created; it may no longer be.
    Active(Inline<dyn LocalObject>),
    /// In this process, with this object key. The object was not active.
    Key(Box<[u8]>),
}

impl Reference {
    /// The IOR of the reference.
    pub(crate) fn ior(&self) -> &Ior {
        self.ior.get_or_init(|| match &self.place {
            Place::Active(object) => object.get().ior(&self.orb).unwrap_or_default(),
            // Their IOR is set on creation.
            Place::Elsewhere | Place::Key(_) => Ior::default(),
        })
    }

    /// The object, if it is or was active in this process.
    pub(super) fn local_object(&self) -> Option<&dyn LocalObject> {
        match &self.place {
            Place::Active(object) => Some(object.get()),
            Place::Elsewhere | Place::Key(_) => None,
        }
    }

    /// Whether the object is in this process and calls may be collocated.
    pub(crate) fn is_collocated(&self) -> bool {
        !matches!(self.place, Place::Elsewhere)
            && self.orb.settings().collocation != Collocation::Remote
    }

    /// The object key of an object of this process.
    pub(crate) fn local_key(&self) -> Option<KeyOctets> {
        match &self.place {
            Place::Elsewhere => None,
            Place::Active(object) => Some(object.get().key()),
            Place::Key(key) => Some(KeyOctets::from_slice(key)),
        }
    }
}

impl Object {
    /// The nil reference.
    #[doc(alias = "_nil")]
    pub const fn nil() -> Self {
        Self { reference: None, overrides: None }
    }

    /// The reference for `ior`; nil for a nil IOR.
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

    /// The reference for `ior`, wherever the object is.
    pub(super) fn elsewhere(orb: &Orb, ior: Ior) -> Self {
        Self::new(orb, ior.into(), Place::Elsewhere)
    }

    /// A reference to an active object of this process.
    pub(crate) fn to_local(orb: &Orb, object: Inline<dyn LocalObject>) -> Self {
        Self::new(orb, OnceLock::new(), Place::Active(object))
    }

    fn new(orb: &Orb, ior: OnceLock<Ior>, place: Place) -> Self {
        let reference = Reference { orb: orb.clone(), ior, place, binding: Binding::default() };
        Self { reference: Some(Arc::new(reference)), ..Self::nil() }
    }

    /// The object of `other` with the policy overrides of this reference.
    pub(crate) fn with_reference(&self, other: Self) -> Self {
        Self { reference: other.reference, ..self.clone() }
    }

    /// Whether the reference is nil.
    #[doc(alias = "_is_nil")]
    pub const fn is_nil(&self) -> bool {
        self.reference.is_none()
    }

    /// Sends the buffered oneway calls of the ORB, to this and to other objects.
    pub fn flush(&self) {
        if let Some(reference) = &self.reference {
            reference.orb.client().flush();
        }
    }

    /// The ORB of the reference: `_get_orb`.
    ///
    /// # Errors
    /// `INV_OBJREF` when the reference is nil.
    #[doc(alias = "get_orb")]
    #[doc(alias = "_get_orb")]
    pub fn orb(&self) -> Result<Orb, SystemException> {
        Ok(self.reference()?.orb.clone())
    }

    /// The IOR: the type id and the addresses of the reference. A nil reference has an empty IOR.
    pub fn ior(&self) -> Ior {
        self.reference.as_ref().map_or_else(Ior::default, |reference| reference.ior().clone())
    }

    /// The state that all clones share.
    ///
    /// # Errors
    /// `INV_OBJREF` when the reference is nil.
    pub(crate) fn reference(&self) -> Result<&Arc<Reference>, SystemException> {
        self.reference.as_ref().ok_or_else(|| {
            SystemException::new(ExceptionKind::InvObjref, Minor::NIL_REFERENCE, Completion::No)
                .with_reason("a nil reference denotes no object to call")
        })
    }

    /// The object, if it is or was active in this process.
    pub(crate) fn local_object(&self) -> Option<&dyn LocalObject> {
        self.reference.as_ref()?.local_object()
    }

    /// The object key of an object of this process that was not active when the reference was
    /// created.
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

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reference {
            Some(reference) => {
                let place = describe(&reference.orb, reference.ior());
                match &*reference.ior().type_id {
                    // As a `corbaloc:` URL does not.
                    "" => write!(f, "Object(of a type that it does not state, at {place})"),
                    stated => write!(f, "Object({stated:?} at {place})"),
                }
            }
            None => f.write_str("Object(nil)"),
        }
    }
}
