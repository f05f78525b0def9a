//! Type-erased servants, as the object adapters hold them.

use super::{Interface, NumberedOperations, ServantBase, Upcast, WhichObject};
use crate::callbacks::drop_guarded;
use crate::server::poa::ObjectId;
use crate::server::poa::{Dispatched, ServerCall};
use crate::server::reply::amh::Signatures;
use armilla_ipc::memory::{Inline, Shows};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A servant of any interface.
pub(crate) trait Servant: NumberedOperations + Send + Sync {
    /// The repository id of the most derived interface of an object that the servant incarnates.
    fn repository_id(&self, object: WhichObject<'_>) -> Cow<'_, str>;

    /// Whether that object has the interface with this repository id. Every object has the
    /// interface `Object`.
    fn is_a(&self, object: WhichObject<'_>, repository_id: &str) -> bool;

    /// The repository ids of the interfaces that its interface inherits from.
    fn base_ids(&self) -> &'static [&'static str];

    /// The servant's own implementation of the operations of every object, if it has one.
    fn base(&self) -> Option<&dyn ServantBase>;

    /// Passes a request to the skeleton.
    fn dispatch(&self, call: &mut ServerCall<'_>) -> Dispatched;

    /// Finds the IDL signature of an operation, by its name.
    fn signatures(&self) -> Signatures;

    /// Whether only the servant, once it is called, knows the signature of this operation.
    fn is_told_by_servant(&self, operation: &str) -> bool;

    /// Offers the servant as each of its interfaces.
    fn upcast(&self, target: &mut Upcast<'_>);

    /// The address of the servant, unique among living servants.
    fn address(&self) -> usize;

    /// Another handle of the same servant.
    fn share(&self) -> AnyServant;
}

/// Ties a servant to the skeleton of the interface `I`.
pub(super) struct Tie<I: ?Sized> {
    /// Taken when it is dropped.
    servant: Option<Arc<I>>,
}

impl<I: ?Sized> Tie<I> {
    #[inline(always)]
    pub(super) fn servant(&self) -> &Arc<I> {
        // Only the drop takes it.
        self.servant.as_ref().expect("a servant in use")
    }
}

impl<I: ?Sized> Drop for Tie<I> {
    /// Whoever drops the last handle, perhaps a thread that serves others, runs code of the program.
    fn drop(&mut self) {
        drop_guarded("the drop of a servant", self.servant.take());
    }
}

impl<I: Interface + ?Sized> Shows<dyn Servant> for Tie<I> {
    fn show(&self) -> &(dyn Servant + 'static) {
        self
    }
}

impl<I: Interface + ?Sized> Servant for Tie<I> {
    fn repository_id(&self, object: WhichObject<'_>) -> Cow<'_, str> {
        self.servant().object_type(object)
    }

    fn is_a(&self, object: WhichObject<'_>, repository_id: &str) -> bool {
        repository_id == crate::wire::OBJECT_ID
            || self.servant().has_interface(object, repository_id)
    }

    fn base_ids(&self) -> &'static [&'static str] {
        I::BASES
    }

    fn base(&self) -> Option<&dyn ServantBase> {
        self.servant().servant_base()
    }

    #[inline]
    fn dispatch(&self, call: &mut ServerCall<'_>) -> Dispatched {
        self.servant().dispatch(call)
    }

    fn signatures(&self) -> Signatures {
        I::signature
    }

    fn is_told_by_servant(&self, operation: &str) -> bool {
        I::is_told_by_servant(operation)
    }

    fn upcast(&self, target: &mut Upcast<'_>) {
        I::upcast(self.servant().clone(), target);
    }

    fn address(&self) -> usize {
        address(self.servant())
    }

    fn share(&self) -> AnyServant {
        self.servant().clone().into()
    }
}

/// The address of a servant, unique among living servants.
pub(crate) fn address<I: ?Sized>(servant: &Arc<I>) -> usize {
    Arc::as_ptr(servant).cast::<()>().addr()
}

/// A servant of any interface: `Servant`.
///
/// ```
/// # fn example<T: armilla::codegen::Interface + ?Sized>(account: std::sync::Arc<T>) {
/// let servant = armilla::AnyServant::from(account);
/// println!("a servant of {}", servant.repository_id());
/// # }
/// ```
pub struct AnyServant(Inline<dyn Servant>);

impl Clone for AnyServant {
    fn clone(&self) -> Self {
        self.get().share()
    }
}

impl AnyServant {
    /// The repository id of its most derived interface. A dynamic servant is asked about an object
    /// with an empty id.
    pub fn repository_id(&self) -> Cow<'_, str> {
        self.get().repository_id(&|| ObjectId::new([]))
    }

    /// The servant as an `I`, a trait object such as `dyn Account`, if it has that interface.
    pub fn downcast<I: Interface + ?Sized>(&self) -> Option<Arc<I>> {
        Upcast::find(|target| self.get().upcast(target))
    }

    pub(crate) fn new(servant: impl Shows<dyn Servant> + Send + Sync + 'static) -> Self {
        Self(Inline::new(servant))
    }

    #[inline]
    pub(crate) fn get(&self) -> &dyn Servant {
        self.0.get()
    }
}

impl<I: Interface + ?Sized> From<Arc<I>> for AnyServant {
    fn from(servant: Arc<I>) -> Self {
        Self::new(Tie { servant: Some(servant) })
    }
}

impl PartialEq for AnyServant {
    /// Whether both are the same servant.
    fn eq(&self, other: &Self) -> bool {
        self.get().address() == other.get().address()
    }
}

impl fmt::Debug for AnyServant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyServant({})", self.repository_id())
    }
}
