//! Untyped object references, and the operations that every object has.

use super::binding::Binding;
use super::overrides::Overrides;
use super::route::describe;
use crate::client::endpoint::LocalObject;
use crate::client::interception::Interceptors;
use crate::client::operations::Waiting;
use crate::client::request::Operation;
use crate::client::synchronous::{invoke, locate};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::object_key::KeyOctets;
use crate::runtime::Orb;
use crate::settings::Collocation;
use crate::signature::Signature;
use armilla_cdr::Encoder;
use armilla_giop::ior::Ior;
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

/// The state that all clones of a reference share. The fields that a call reads lie together in 64
/// octets, so that a call through a reference that is not in the cache loads one cache line.
#[repr(C)]
pub(crate) struct Reference {
    pub(crate) orb: Orb,
    /// The route of the calls.
    pub(crate) binding: Binding,
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
    pub(crate) fn local_object(&self) -> Option<&dyn LocalObject> {
        match &self.place {
            Place::Active(object) => Some(object.get()),
            Place::Elsewhere | Place::Key(_) => None,
        }
    }

    /// Whether the object is in this process and calls may be collocated.
    #[inline]
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
    pub(crate) fn elsewhere(orb: &Orb, ior: Ior) -> Self {
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
    pub fn orb(&self) -> Result<Orb, SystemException> {
        Ok(self.reference()?.orb.clone())
    }

    /// The IOR: the type id and the addresses of the reference. A nil reference has an empty IOR.
    pub fn ior(&self) -> Ior {
        self.reference.as_ref().map_or_else(Ior::default, |reference| reference.ior().clone())
    }

    /// Whether the object supports the interface with this repository id: `_is_a`. Calls the object
    /// only if the reference does not tell.
    ///
    /// # Errors
    /// Those of a call.
    pub fn is_a(&self, repository_id: &str) -> Result<bool, SystemException> {
        Waiting::blocking(|waiting| self.ask_is_a(repository_id, waiting))
    }

    /// [`is_a`](Self::is_a) without blocking a thread.
    ///
    /// # Errors
    /// Those of a call.
    pub async fn is_a_async(&self, repository_id: &str) -> Result<bool, SystemException> {
        self.ask_is_a(repository_id, Waiting::Task).await
    }

    pub(crate) async fn ask_is_a(
        &self,
        repository_id: &str,
        waiting: Waiting,
    ) -> Result<bool, SystemException> {
        let reference = self.reference()?;
        let said = &reference.ior().type_id;
        if repository_id == crate::wire::OBJECT_ID || (!said.is_empty() && said == repository_id) {
            return Ok(true);
        }
        match self.local_object().and_then(|object| object.is_a(repository_id)) {
            Some(is_one) => Ok(is_one),
            None => {
                let operation = ("_is_a", Signature::of_object as _);
                let put = |out: &mut Encoder<'_>| out.put_string(repository_id);
                waiting.invoke(self, operation, put, |input| input.bool()).await
            }
        }
    }

    /// The repository id of the most derived interface of the object: `_repository_id`. Calls the
    /// object. The [`type_id`](Ior::type_id) of the reference may name a base interface or be
    /// empty.
    ///
    /// # Errors
    /// Those of a call.
    pub fn repository_id(&self) -> Result<String, SystemException> {
        self.reference()?;
        match self.local_object().and_then(LocalObject::repository_id) {
            Some(repository_id) => Ok(repository_id),
            None => invoke(self, Operation::of_object("_repository_id"), &|_| Ok(()), |input| {
                Ok(input.string()?.into_owned())
            }),
        }
    }

    /// Whether the object is known not to exist: `_non_existent`.
    ///
    /// # Errors
    /// Those of a call, when the object cannot be reached.
    pub fn non_existent(&self) -> Result<bool, SystemException> {
        Waiting::blocking(|waiting| self.ask_non_existent(waiting))
    }

    /// [`non_existent`](Self::non_existent) without blocking a thread.
    ///
    /// # Errors
    /// Those of a call, when the object cannot be reached.
    pub async fn non_existent_async(&self) -> Result<bool, SystemException> {
        self.ask_non_existent(Waiting::Task).await
    }

    async fn ask_non_existent(&self, waiting: Waiting) -> Result<bool, SystemException> {
        let operation = ("_non_existent", Signature::of_object as _);
        match waiting.invoke(self, operation, |_| Ok(()), |input| input.bool()).await {
            Err(error) if error.kind() == ExceptionKind::ObjectNotExist => Ok(true),
            answer => answer,
        }
    }

    /// Asks the server for the location of the object with a LocateRequest, without calling the
    /// object. Later calls go to that location. `false` when the server does not know the object.
    ///
    /// # Errors
    /// Those of a call.
    pub fn locate(&self) -> Result<bool, SystemException> {
        locate(self)
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

    /// Whether interceptors see calls of the object from this process.
    pub(crate) fn is_intercepted_here(&self) -> bool {
        let interceptors = self.reference.as_ref().and_then(|r| r.orb.interceptors());
        interceptors.is_some_and(Interceptors::see_collocated)
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
                write!(f, "Object({:?} at {place})", reference.ior().type_id)
            }
            None => f.write_str("Object(nil)"),
        }
    }
}
