//! Handles of values.

use super::shared::{AnyState, Shared};
use super::{Extends, State, ValueBase, Valuetype, cycles};
use std::any::TypeId;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

/// A value of the valuetype `T`, or of one that inherits from it.
///
/// Clones are the same value, as handles are in IDL: what one changes all see, and a value that two
/// others lead to arrives as one value on the other side of a call, also in a cycle. `==` says
/// whether two handles are the same value, and as keys of sets and maps they say it too: that is how a walk
/// through a graph ends, and how a program keeps what belongs to a value and does not travel. IDL knows null, so nodes and parameters are of the type
/// `Option<Value<T>>`.
///
/// A cycle of values that a program makes is not freed by itself: let one of them forget the next, or end
/// the last handle by [`break_cycles`](Value::break_cycles). One that arrives is freed when nobody has
/// any of its values, at the latest when more have come.
pub struct Value<T: ?Sized> {
    pub(super) shared: Arc<Shared>,
    of: PhantomData<fn(&T)>,
}

/// The state of a value as it was at one moment. Later changes do not change it.
pub struct Snapshot<T> {
    state: Arc<dyn AnyState>,
    of: PhantomData<fn(&T)>,
}

impl<T: State> Value<T> {
    /// A new value with this state.
    pub fn new(state: T) -> Self {
        Self::of(Arc::new(Shared::new(state)))
    }

    /// Its state as it is now; where the value is of a type that inherits from `T`, the part that
    /// is `T`'s.
    ///
    /// # Panics
    /// While the value is being decoded, which only a [`CustomMarshal`](crate::CustomMarshal) can
    /// see.
    pub fn get(&self) -> Snapshot<T> {
        let state = self.shared.state().expect("a value can be used when it has been read");
        Snapshot { state, of: PhantomData }
    }

    /// Changes its state. Within `change` the value itself must not be used.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        // Every handle is of a type that its value has; that is checked where one is made.
        self.shared.update(change).expect("a value can be used when it has been read")
    }
}

impl<T: Valuetype + ?Sized> Value<T> {
    pub(super) const fn of(shared: Arc<Shared>) -> Self {
        Self { shared, of: PhantomData }
    }

    /// The repository id of the type that the value is of, which may inherit from `T`.
    pub fn repository_id(&self) -> &'static str {
        self.shared.kind.repository_id
    }

    /// Ends this handle, and frees the value also where it leads back to itself, unless somebody has it
    /// or what leads to it. Values of `custom` types are not looked into.
    pub fn break_cycles(self) {
        cycles::collect_with(self.shared);
    }

    /// The same value as one of a type that `T` inherits from.
    pub fn upcast<B: Valuetype + ?Sized>(&self) -> Value<B>
    where
        T: Extends<B>,
    {
        Value::of(self.shared.clone())
    }

    /// The same value as one of the type `D`, if it is one.
    pub fn downcast<D: Valuetype + ?Sized>(&self) -> Option<Value<D>> {
        self.shared.is(TypeId::of::<D>()).then(|| Value::of(self.shared.clone()))
    }
}

impl Shared {
    /// Whether the value is of this type.
    pub(super) fn is(&self, wanted: TypeId) -> bool {
        wanted == TypeId::of::<ValueBase>() || (self.kind.is)(wanted)
    }
}

impl<T: State> From<T> for Value<T> {
    fn from(state: T) -> Self {
        Self::new(state)
    }
}

impl<T: ?Sized> Clone for Value<T> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone(), of: PhantomData }
    }
}

impl<T: ?Sized> PartialEq for Value<T> {
    /// Whether both are the same value.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl<T: ?Sized> Eq for Value<T> {}

impl<T: ?Sized> Hash for Value<T> {
    /// By which value it is, whatever its state, so that a handle may be a key of a map although clippy
    /// warns of it (`mutable_key_type`).
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.shared).hash(state);
    }
}

impl<T: ?Sized> fmt::Debug for Value<T> {
    /// Its type only: what it leads to may lead back to it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({})", self.shared.kind.repository_id)
    }
}

impl<T: State> Deref for Snapshot<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // As for `Value::update`.
        let part = self.state.part(TypeId::of::<T>()).and_then(|part| part.downcast_ref());
        part.expect("a value has the type of its handle")
    }
}

impl<T: State + fmt::Debug> fmt::Debug for Snapshot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
