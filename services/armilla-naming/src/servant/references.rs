//! References as octets, and references to contexts.

use super::Names;
use super::exceptions::internal;
use crate::model::{ContextId, ROOT, ReferenceOctets, Target};
use armilla::{
    ByteOrder, Decode, Decoder, Encode, Encoder, Object, ObjectId, Orb, Poa, SystemException,
};
use armilla_cos_naming::{NamingContextExt, NamingContextRef};

/// The object id of the root context.
const ROOT_ID: &str = "root";

/// The octets of a reference.
///
/// # Errors
/// `INTERNAL` when a part of the reference cannot be encoded.
pub(crate) fn to_octets(object: &Object) -> Result<ReferenceOctets, SystemException> {
    let mut out = Encoder::new(ByteOrder::Big);
    match object.encode(&mut out) {
        Ok(()) => Ok(ReferenceOctets::from(out.to_vec().as_slice())),
        Err(error) => Err(internal(&format!("the reference cannot be stored: {error}"))),
    }
}

/// The reference that octets stand for.
///
/// # Errors
/// `INTERNAL` when they are no reference.
pub(crate) fn from_octets(orb: &Orb, octets: &ReferenceOctets) -> Result<Object, SystemException> {
    let mut input = Decoder::new(octets.as_bytes(), ByteOrder::Big).with_context(orb);
    Object::decode(&mut input)
        .map_err(|error| internal(&format!("a stored reference is malformed: {error}")))
}

/// The object id of a context.
pub(super) fn object_id(context: ContextId) -> ObjectId {
    match context {
        ROOT => ObjectId::from(ROOT_ID),
        ContextId(number) => ObjectId::new(format!("{number:x}")),
    }
}

/// The context with this object id; `None` if no context has such an id.
pub(super) fn context_of(id: &ObjectId) -> Option<ContextId> {
    let text = std::str::from_utf8(id.as_bytes()).ok()?;
    if text == ROOT_ID {
        return Some(ROOT);
    }
    let context = ContextId(u64::from_str_radix(text, 16).ok()?);
    (object_id(context).as_bytes() == id.as_bytes()).then_some(context)
}

/// The reference to a context of the service with this POA. The context may have been destroyed.
pub(super) fn context_reference(poa: &Poa, context: ContextId) -> Result<Object, SystemException> {
    let id = <dyn NamingContextExt as armilla::codegen::Interface>::REPOSITORY_ID;
    Ok(poa.create_object_with_id(id, object_id(context))?)
}

impl Names {
    /// The reference to a context, made in a request for one. The context may have been destroyed.
    pub(super) fn context(&self, context: ContextId) -> Result<Object, SystemException> {
        context_reference(self.orb.poa_current()?.poa(), context)
    }

    /// What a context that a client passes is to the tree: one of its own, or a foreign one.
    pub(super) fn context_target(
        &self,
        context: &NamingContextRef,
    ) -> Result<Target, SystemException> {
        match self.own_context(context.object())? {
            Some(context) => Ok(Target::Context(context)),
            None => Ok(Target::ForeignContext(to_octets(context.object())?)),
        }
    }

    /// The context of this service that a reference denotes, by any address and published name of
    /// this ORB; `None` if it is another object, or an address that nobody here knows.
    pub(super) fn own_context(
        &self,
        object: &Object,
    ) -> Result<Option<ContextId>, SystemException> {
        let current = self.orb.poa_current()?;
        let id = current.poa().reference_to_id(object).ok();
        Ok(id.and_then(|id| context_of(&id)))
    }
}
