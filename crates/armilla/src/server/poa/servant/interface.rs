//! What the generated code of an interface tells the ORB.

use super::ServantBase;
use crate::server::poa::ObjectId;
use crate::server::poa::{Dispatched, ServerCall};
use crate::signature::Signature;
use armilla_cdr::TypeCode;
use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

/// Finds the id of an object, for the servants that need it.
pub type WhichObject<'o> = &'o dyn Fn() -> ObjectId;

/// An IDL interface as the ORB sees it. The IDL compiler implements it for `dyn Account`, the trait
/// object of the interface's trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an IDL interface",
    label = "an interface is a trait object, such as `dyn Account`",
    note = "to activate a servant, pass what the generated function `tie` of its interface returns: \
            `poa.activate(account::tie(servant))`",
    note = "to narrow or resolve a reference, name the trait object: `narrow::<dyn Account>()`"
)]
pub trait Interface: Send + Sync + 'static {
    /// The repository id of the interface.
    const REPOSITORY_ID: &'static str;

    /// The repository ids of all interfaces that it inherits from, directly or indirectly, without
    /// `Object`.
    const BASES: &'static [&'static str];

    /// The names of its operations, inherited ones included. The index of a name is the number of
    /// the operation.
    const OPERATIONS: &'static [&'static str] = &[];

    /// The repository id of the object with this id that the servant incarnates. Only a dynamic
    /// servant returns another one than that of the interface.
    fn object_type(&self, object: WhichObject<'_>) -> Cow<'_, str> {
        let _ = object;
        Self::REPOSITORY_ID.into()
    }

    /// Whether that object has the interface with this repository id, which is never that of
    /// `Object`.
    fn has_interface(&self, object: WhichObject<'_>, repository_id: &str) -> bool {
        let _ = object;
        repository_id == Self::REPOSITORY_ID || Self::BASES.contains(&repository_id)
    }

    /// The servant's own implementation of the operations of every object, if it has one.
    fn servant_base(&self) -> Option<&dyn ServantBase> {
        None
    }

    /// The skeleton: decodes the arguments of the request, calls the servant, encodes the reply.
    ///
    /// # Errors
    /// When the arguments cannot be decoded or the reply cannot be sent.
    fn dispatch(&self, call: &mut ServerCall<'_>) -> Dispatched;

    /// Does the same as [`dispatch`](Self::dispatch) for the operation with this number.
    ///
    /// # Errors
    /// As [`dispatch`](Self::dispatch).
    fn perform(&self, number: usize, call: &mut ServerCall<'_>) -> Dispatched {
        let _ = number;
        self.dispatch(call)
    }

    /// The TypeCode of references to it. Components and homes have their own kinds of TypeCodes.
    fn reference_type() -> TypeCode {
        // The name is the last scope: `Account` in `IDL:Bank/Account:1.0`.
        let path = Self::REPOSITORY_ID.split(':').nth(1).unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        TypeCode::object_reference(Self::REPOSITORY_ID, name)
    }

    /// The IDL signature of the operation with this name, its own or inherited.
    fn signature(operation: &str) -> Option<Signature> {
        let _ = operation;
        None
    }

    /// Whether only the servant, once it is called, knows the signature of this operation.
    fn is_told_by_servant(operation: &str) -> bool {
        let _ = operation;
        false
    }

    /// Offers the servant as this interface and as each interface that it inherits from.
    fn upcast(servant: Arc<Self>, target: &mut Upcast<'_>);
}

/// States that an interface is `B` or inherits from it. The IDL compiler implements it.
pub trait IsA<B: ?Sized>: Interface {}

/// A search for one interface of a type-erased servant.
pub struct Upcast<'s> {
    /// An `Option<Arc<I>>` for the interface `I` that is searched.
    found: &'s mut dyn Any,
}

impl Upcast<'_> {
    /// The servant as an `I`, if it offers that interface.
    pub(crate) fn find<I: ?Sized + 'static>(offer: impl FnOnce(&mut Upcast<'_>)) -> Option<Arc<I>> {
        let mut found: Option<Arc<I>> = None;
        offer(&mut Upcast { found: &mut found });
        found
    }

    /// Takes `servant` if `I` is the interface that is searched.
    pub fn offer<I: ?Sized + 'static>(&mut self, servant: impl FnOnce() -> Arc<I>) {
        if let Some(found) = self.found.downcast_mut::<Option<Arc<I>>>() {
            found.get_or_insert_with(servant);
        }
    }
}

impl std::fmt::Debug for Upcast<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Upcast(..)")
    }
}
